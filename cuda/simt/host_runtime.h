// What the kernels' headers need from the host runtime. Its namespace does not depend on the
// target's, so that two builds of the kernels (of 64-bit and of 32-bit limbs) share one runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace g16_host_runtime {

using Status = int32_t;

struct Uint3 {
    uint32_t x, y, z;
};

struct Dim3 {
    uint32_t x, y, z;
    constexpr Dim3(uint32_t x_ = 1, uint32_t y_ = 1, uint32_t z_ = 1) : x(x_), y(y_), z(z_) {}
    constexpr Dim3(Uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator Uint3() const { return {x, y, z}; }
};

// A place in a kernel's source.
struct Site {
    const char* file;
    int line;
};

class Block;

// What the kernel thread that runs on this host thread sees of itself.
struct Context {
    Uint3 thread_index, block_index, block_size, grid_size;
    uint32_t thread;  // linear index in the block
    Block* block;     // null outside kernels
    unsigned char* dynamic_shared;
};
extern __thread Context context;

// --- in kernels ---

enum class Reduction : uint8_t { kNone, kCount, kOr, kAnd };

// Waits for the block's living threads; their predicates' reduction.
uint32_t block_barrier(Reduction reduction, bool predicate, Site site);
// Waits for the mask's living lanes.
void warp_sync(uint32_t mask, Site site);
// The lanes of `mask` whose predicate holds.
uint32_t warp_ballot(uint32_t mask, bool predicate, Site site);
// Copies the `bytes` at lane `source_lane`'s `src` to this lane's `dst`.
void warp_shuffle(uint32_t mask, const void* src, void* dst, uint32_t bytes, uint32_t source_lane,
                  Site site);
// Every lane's value, by lane; the set of lanes that gave one.
uint32_t warp_gather(uint32_t mask, uint64_t value, uint64_t (&values)[32], Site site);
// Lets the block's other threads run.
void yield_thread();
// The block's array of the site that `token` names.
void* shared_array(const void* token, size_t bytes, size_t alignment);
// Asynchronous copies: the bytes arrive at the wait, and are poison until then.
void copy_async(void* shared_dst, const void* global_src, uint32_t bytes);
void copy_async_commit();
void copy_async_wait(uint32_t groups_left);

// --- on streams ---

// A kernel with its arguments; `run` is one thread of it.
struct KernelCall {
    virtual ~KernelCall() = default;
    virtual void run() const = 0;
};

struct LaunchShape {
    Dim3 grid, block;
    size_t dynamic_shared_bytes;
    const void* kernel;
};

// A command that one host thread runs.
struct HostTask {
    virtual ~HostTask() = default;
    virtual Status run() = 0;
};

Status enqueue_launch(void* stream, const LaunchShape& shape, std::unique_ptr<KernelCall> call);
Status enqueue_task(void* stream, std::unique_ptr<HostTask> task);
Status enqueue_copy(void* stream, void* dst, const void* src, size_t bytes);
Status enqueue_fill(void* stream, void* dst, uint8_t value, size_t bytes);
const char* status_text(Status status);

}  // namespace g16_host_runtime
