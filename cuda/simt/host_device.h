// A host device: its memory, its pool, its streams' queues and who runs their commands.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "simt/host_api.h"
#include "simt/host_pool.h"

namespace g16_host_runtime {

using Clock = std::chrono::steady_clock;

// The seed under which commands run late, and first those that nobody waits for.
constexpr uint64_t kOthersFirst = 2;

// One recording of an event: the place in a stream that it marks.
struct Record {
    G16HostStream* stream;
    uint64_t position;  // how many commands the stream has completed when it happens
    bool happened = false;
    Clock::time_point time{};
};

// What a stream runs in its turn: exactly one of the three.
struct Command {
    std::unique_ptr<HostTask> task;
    std::shared_ptr<Record> record;
    std::shared_ptr<Record> wait;
    uint64_t order = 0;  // among all commands of the device
};

// --- host_memory.cpp ---

// A device's memory: a limit, and what has been handed out.
class Memory {
  public:
    explicit Memory(uint64_t limit) : limit_(limit) {}
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    Status alloc(size_t bytes, void** pointer, std::string& story);
    Status free(void* pointer);
    // Whether the range lies in one living allocation; `touches`: whether it begins in one.
    bool contains(const void* pointer, size_t bytes, bool& touches) const;
    void usage(uint64_t* free_bytes, uint64_t* total_bytes) const;

  private:
    struct Allocation {
        size_t bytes;
        bool mapped;
    };
    void* take(size_t bytes, bool& mapped);
    void give_back(void* pointer, const Allocation& allocation);
    void* map_poison(size_t bytes);

    const uint64_t limit_;
    mutable std::mutex mutex_;
    uint64_t used_ = 0;
    int poison_file_ = -1;
    std::map<uintptr_t, Allocation> allocations_;
};

}  // namespace g16_host_runtime

struct G16HostStream {
    G16HostDevice* device;
    std::deque<g16_host_runtime::Command> queue;
    uint64_t enqueued = 0, completed = 0;
    bool busy = false;  // its first command runs
};

struct G16HostEvent {
    G16HostDevice* device;
    std::shared_ptr<g16_host_runtime::Record> latest;
};

// --- host_stream.cpp ---

// One mutex, held shortly, guards the queues. Whoever needs commands to have run runs them itself,
// one at a time over all threads, in the order of asking.
struct G16HostDevice {
    explicit G16HostDevice(const G16HostConfig& config);

    g16_host_runtime::Status enqueue(G16HostStream* stream, g16_host_runtime::Command command);
    // Enqueues an event's record and makes it the event's latest.
    g16_host_runtime::Status enqueue_record(G16HostStream* stream, G16HostEvent* event,
                                            g16_host_runtime::Command command);
    // Waits for all that the stream holds now, or asks whether it has run.
    g16_host_runtime::Status finish(G16HostStream* stream, bool wait);
    // Waits for an event's latest record, or asks whether it has happened.
    g16_host_runtime::Status finish(G16HostEvent* event, bool wait);
    // Waits for all that every stream holds now.
    g16_host_runtime::Status drain();
    g16_host_runtime::Status status();
    void tell(const std::string& story);

    const G16HostConfig config;
    g16_host_runtime::Memory memory;
    g16_host_runtime::Pool pool;
    std::mutex mutex;
    std::set<G16HostStream*> streams;
    std::set<G16HostEvent*> events;
    std::string story;  // the latest error's

    // Runs a launch; called by the command whose turn it is.
    g16_host_runtime::Status run_launch(g16_host_runtime::Launch& launch);

  private:
    using Lock = std::unique_lock<std::mutex>;
    // So many completed commands of a stream; with a record, the place that it marks. Its stream
    // may go when the record has happened.
    struct Goal {
        G16HostStream* stream;
        uint64_t position;
        std::shared_ptr<g16_host_runtime::Record> record;
    };

    g16_host_runtime::Status push(Lock& lock, G16HostStream* stream,
                                  g16_host_runtime::Command command);
    g16_host_runtime::Status reach(Lock& lock, const Goal& goal);
    g16_host_runtime::Status approach(Lock& lock, const Goal& goal);
    bool reached(const Goal& goal);
    void settle(G16HostStream* stream);
    G16HostStream* pick(const Goal& goal);
    G16HostStream* pick_any(uint64_t latest_order, const G16HostStream* except = nullptr);
    void run_first(Lock& lock, G16HostStream* stream);
    void discard_all();
    void run_eagerly(Lock& lock, uint64_t order);
    void take_turn(Lock& lock);
    bool try_take_turn();
    void end_turn();

    g16_host_runtime::Fault fault_;  // of a kernel: nothing runs after it
    g16_host_runtime::Random random_;
    uint64_t orders_ = 0, launches_ = 0;
    uint64_t next_ticket_ = 0, serving_ = 0;
    std::condition_variable turn_;
};
