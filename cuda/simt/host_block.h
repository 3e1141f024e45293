// One block at a time on one host thread: its threads, its barriers and warps, its shared memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "simt/host_fiber.h"
#include "simt/host_runtime.h"

namespace g16_host_runtime {

constexpr uint32_t kMaxBlockThreads = 1024;
constexpr uint32_t kMaxWarps = kMaxBlockThreads / 32;
constexpr size_t kMaxSharedBytes = 227 * 1024;
constexpr size_t kMaxStaticSharedBytes = 48 * 1024;
// What fresh and freed memory is filled with.
constexpr unsigned char kPoison = 0xa5;

// A fault's code and its story.
struct Fault {
    Status code = 0;
    std::string story;
};

// A kernel's launch, as a device's pool runs it.
struct Launch {
    LaunchShape shape;
    std::unique_ptr<KernelCall> call;
    uint64_t order;  // seeds the order of its threads
};

// A small generator for orders (splitmix64); no secrets come near it.
struct Random {
    uint64_t state = 0;
    uint64_t next() {
        uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    uint32_t below(uint32_t n) { return static_cast<uint32_t>(next() >> 32) % n; }
};

struct BlockOptions {
    uint64_t seed;
    size_t stack_bytes;
    bool strict;
};

enum class WarpOperation : uint8_t { kSync, kBallot, kShuffle, kGather };
enum class Wait : uint8_t { kNone, kBarrier, kWarp, kYield };

// What a lane brings to a warp operation and where it wants the answer.
struct LaneRequest {
    const void* src = nullptr;
    void* dst = nullptr;
    uint32_t bytes = 0;
    uint32_t source_lane = 0;
    uint64_t value = 0;
    uint64_t* values = nullptr;
    uint32_t* lanes = nullptr;  // of this lane: the ballot, or who gave a value
    Site site{};
};

// Runs the blocks that one host thread takes. Threads run to their end one after another on one
// fiber; where one must wait, the others go on on another fiber.
class Block {
  public:
    explicit Block(const BlockOptions& options);
    ~Block();
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

    // Runs a block of `launch`; false: `fault` says why not.
    bool run(const Launch& launch, Uint3 index, uint64_t linear_index, Fault& fault);

    uint32_t barrier(Reduction reduction, bool predicate, Site site);
    void warp(WarpOperation operation, uint32_t mask, const LaneRequest& request);
    void yield();
    void* shared_array(const void* token, size_t bytes, size_t alignment);
    void copy_async(void* dst, const void* src, uint32_t bytes);
    void copy_async_commit();
    void copy_async_wait(uint32_t groups_left);

  private:
    struct Thread {
        Fiber* fiber;
        Site site;
        Wait wait;
        bool exited;
        WarpOperation operation;
        uint32_t mask;
    };
    struct WarpGroup {
        uint32_t mask, arrived;
        WarpOperation operation;
        uint32_t bytes;
    };
    struct Warp {
        uint32_t exited;  // lanes that do not exist among them
        uint32_t group_count;
        WarpGroup groups[32];
        const LaneRequest* lanes[32];
    };
    struct SharedSlot {
        const void* token;
        size_t offset;
    };
    struct AsyncCopy {
        void* dst;
        const void* src;
        uint32_t bytes;
        uint32_t group;
    };
    struct AsyncCopies {
        std::vector<AsyncCopy> pending;
        uint32_t group = 0;
    };

    // host_block.cpp: threads and fibers
    static void fiber_entry();
    void prepare(const Launch& launch, Uint3 index, uint64_t linear_index);
    void run_threads();
    void call_kernel();
    void exit_thread();
    Fiber* start_fiber();
    Fiber* next_fiber(bool prefer_fresh);
    void suspend(Wait wait, Site site, WarpOperation operation, uint32_t mask);
    [[noreturn]] void finish_fiber();
    // Ends the block; the strings' memory is given back first, for nothing unwinds.
    [[noreturn]] void fail(Status code, std::string&& what);
    void make_ready(uint32_t thread);
    uint32_t take_ready();
    // host_warp.cpp
    void check_barrier_site(Reduction reduction, Site site);
    void release_barrier();
    WarpGroup& join(Warp& warp, uint32_t lane, uint32_t mask, WarpOperation operation,
                    const LaneRequest& request);
    bool complete(const Warp& warp, const WarpGroup& group) const;
    void deliver(uint32_t warp_index, uint32_t group_index, uint32_t own_lane);
    void deliver_ballot(const Warp& warp, const WarpGroup& group);
    void deliver_gather(const Warp& warp, const WarpGroup& group);
    void deliver_shuffle(const Warp& warp, const WarpGroup& group);
    [[noreturn]] void fail_diverged(Site site);
    [[noreturn]] void fail_foreign_mask(uint32_t lane, uint32_t mask, Site site);
    [[noreturn]] void fail_disagreement(const Warp& warp, const WarpGroup& group, uint32_t lane,
                                        uint32_t mask, Site site);
    [[noreturn]] void fail_outside(const LaneRequest& request, uint32_t lane, uint32_t present);
    // host_shared.cpp
    void reset_shared(size_t dynamic_bytes);
    size_t take_shared(size_t bytes, size_t alignment);
    // host_story.cpp
    std::string tell(const std::string& what) const;
    std::string deadlock_story() const;

    const BlockOptions options_;
    const Launch* launch_ = nullptr;
    uint32_t size_ = 0, started_ = 0, exited_ = 0;
    Random random_;
    std::vector<uint16_t> order_;
    std::vector<Thread> threads_;

    Fiber thread_stack_;  // the host thread's own
    bool thread_stack_left_ = false;
    Fiber* current_ = nullptr;
    std::vector<std::unique_ptr<Fiber>> fibers_;
    std::vector<Fiber*> free_fibers_;
    std::vector<uint16_t> ready_;  // a ring of kMaxBlockThreads places
    uint32_t ready_head_ = 0, ready_count_ = 0;

    std::vector<uint16_t> barrier_waiters_;
    Reduction barrier_kind_ = Reduction::kNone;
    Site barrier_site_{};
    uint32_t barrier_true_ = 0, barrier_result_ = 0;
    std::vector<Warp> warps_;

    unsigned char* shared_ = nullptr;
    size_t shared_capacity_ = 0, shared_used_ = 0, static_shared_ = 0, dynamic_shared_ = 0;
    std::vector<SharedSlot> slots_;
    std::vector<AsyncCopies> copies_;
    bool copies_used_ = false;

    Fault fault_;
};

// host_symbol.cpp: the name of the function at `address`, or its place in its file.
std::string function_name(const void* address);
// host_story.cpp: a path without the folders above the sources.
const char* short_path(const char* path);

}  // namespace g16_host_runtime
