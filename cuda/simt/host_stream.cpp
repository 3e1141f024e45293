// Queues and turns: which command runs when.
#include <algorithm>
#include <cstring>

#include "simt/host_device.h"

namespace rt = g16_host_runtime;
using rt::Command;
using rt::Status;

G16HostDevice::G16HostDevice(const G16HostConfig& config_)
    : config(config_),
      memory(config_.memory_bytes),
      pool(config_.threads, {config_.seed, config_.stack_bytes, config_.strict != 0}),
      random_{config_.seed} {}

void G16HostDevice::tell(const std::string& text) {
    Lock lock(mutex);
    story = text;
}

Status G16HostDevice::status() {
    Lock lock(mutex);
    return fault_.code;
}

Status G16HostDevice::enqueue(G16HostStream* stream, Command command) {
    Lock lock(mutex);
    return push(lock, stream, std::move(command));
}

Status G16HostDevice::enqueue_record(G16HostStream* stream, G16HostEvent* event, Command command) {
    Lock lock(mutex);
    if (fault_.code != 0) return fault_.code;
    event->latest = command.record;
    return push(lock, stream, std::move(command));
}

Status G16HostDevice::finish(G16HostStream* stream, bool wait) {
    Lock lock(mutex);
    Goal goal{stream, stream->enqueued, nullptr};
    return wait ? reach(lock, goal) : approach(lock, goal);
}

// The record that stands now is meant, whatever is recorded meanwhile. An event that was never
// recorded has nothing to wait for.
Status G16HostDevice::finish(G16HostEvent* event, bool wait) {
    Lock lock(mutex);
    if (fault_.code != 0) return fault_.code;
    std::shared_ptr<rt::Record> record = event->latest;
    if (record == nullptr) return G16_HOST_OK;
    Goal goal{record->stream, record->position, record};
    return wait ? reach(lock, goal) : approach(lock, goal);
}

Status G16HostDevice::push(Lock& lock, G16HostStream* stream, Command command) {
    if (fault_.code != 0) return fault_.code;
    command.order = ++orders_;
    if (command.record != nullptr) command.record->position = stream->enqueued + 1;
    uint64_t order = command.order;
    stream->queue.push_back(std::move(command));
    ++stream->enqueued;
    if (config.seed != 0 && config.seed != rt::kOthersFirst) run_eagerly(lock, order);
    return G16_HOST_OK;
}

// Seed 1 runs commands as soon as they are there, higher seeds a random few at random moments. A
// command that another thread runs is not waited for: what is left runs later.
void G16HostDevice::run_eagerly(Lock& lock, uint64_t order) {
    uint32_t commands = ~0u;
    if (config.seed >= 2) {
        commands = random_.below(2) == 0 ? 0 : random_.below(4) + 1;
        order = ~uint64_t{0};
    }
    if (commands == 0 || !try_take_turn()) return;
    for (; commands != 0 && fault_.code == 0; --commands) {
        G16HostStream* stream = pick_any(order);
        if (stream == nullptr) break;
        run_first(lock, stream);
    }
    end_turn();
}

Status G16HostDevice::drain() {
    Lock lock(mutex);
    uint64_t end = orders_;
    for (;;) {
        if (fault_.code != 0) return fault_.code;
        take_turn(lock);
        G16HostStream* first = fault_.code == 0 ? pick_any(end) : nullptr;
        if (first != nullptr) run_first(lock, first);
        end_turn();
        // A wait's record is older than the wait, so where nothing can run nothing is left.
        if (first == nullptr) return fault_.code;
    }
}

// --- with the mutex held ---

// Completes the commands at the front that take no time.
void G16HostDevice::settle(G16HostStream* stream) {
    while (!stream->busy && !stream->queue.empty()) {
        Command& first = stream->queue.front();
        if (first.task != nullptr) return;
        if (first.wait != nullptr && !first.wait->happened) return;
        if (first.record != nullptr) {
            first.record->happened = true;
            first.record->time = rt::Clock::now();
        }
        stream->queue.pop_front();
        ++stream->completed;
    }
}

bool G16HostDevice::reached(const Goal& goal) {
    if (goal.record != nullptr && goal.record->happened) return true;
    settle(goal.stream);
    return goal.stream->completed >= goal.position;
}

// Runs what the goal needs, and with a higher seed other commands between; kOthersFirst runs all of
// those that can run before each that the goal needs.
Status G16HostDevice::reach(Lock& lock, const Goal& goal) {
    for (;;) {
        if (fault_.code != 0) return fault_.code;
        if (reached(goal)) return G16_HOST_OK;
        take_turn(lock);
        if (fault_.code == 0 && !reached(goal)) {
            G16HostStream* first = pick(goal);
            const bool others_first = config.seed == rt::kOthersFirst;
            if (others_first || (config.seed >= 2 && random_.below(2) == 0)) {
                G16HostStream* other = pick_any(~uint64_t{0}, others_first ? first : nullptr);
                if (other != nullptr) first = other;
            }
            if (first != nullptr) run_first(lock, first);
        }
        end_turn();
    }
}

// Runs what the goal needs, or with a higher seed a part of it, but waits for nobody's command.
Status G16HostDevice::approach(Lock& lock, const Goal& goal) {
    if (fault_.code != 0) return fault_.code;
    uint32_t commands = config.seed >= 2 ? random_.below(4) : ~0u;
    if (commands != 0 && !reached(goal) && try_take_turn()) {
        while (commands-- != 0 && fault_.code == 0 && !reached(goal)) {
            G16HostStream* first = pick(goal);
            if (first == nullptr) break;
            run_first(lock, first);
        }
        end_turn();
    }
    if (fault_.code != 0) return fault_.code;
    return reached(goal) ? G16_HOST_OK : G16_HOST_NOT_READY;
}

// For a goal that is not reached, the stream whose first command brings it nearer. A wait names a
// record that was enqueued before it, so the search ends. Null: such a command runs already.
G16HostStream* G16HostDevice::pick(const Goal& goal) {
    G16HostStream* stream = goal.stream;
    for (;;) {
        if (stream->busy) return nullptr;
        settle(stream);
        if (stream->queue.empty()) return nullptr;
        const Command& first = stream->queue.front();
        if (first.wait == nullptr) return stream;
        std::shared_ptr<rt::Record> record = first.wait;
        settle(record->stream);
        // What the wait waited for may have happened just now.
        stream = record->happened ? goal.stream : record->stream;
    }
}

// A stream, but not `except`, whose first command can run and is not later than `latest_order`: the
// oldest command's for seed 1, a random one's for higher seeds.
G16HostStream* G16HostDevice::pick_any(uint64_t latest_order, const G16HostStream* except) {
    G16HostStream* chosen = nullptr;
    uint32_t found = 0;
    for (bool settled = false; !settled;) {
        settled = true;
        for (G16HostStream* stream : streams) {
            uint64_t before = stream->completed;
            settle(stream);
            settled = settled && before == stream->completed;
        }
    }
    for (G16HostStream* stream : streams) {
        if (stream == except || stream->busy || stream->queue.empty()) continue;
        const Command& first = stream->queue.front();
        if (first.wait != nullptr || first.order > latest_order) continue;
        bool better = config.seed >= 2
                          ? random_.below(++found) == 0
                          : chosen == nullptr || first.order < chosen->queue.front().order;
        if (better) chosen = stream;
    }
    return chosen;
}

void G16HostDevice::run_first(Lock& lock, G16HostStream* stream) {
    std::unique_ptr<rt::HostTask> task = std::move(stream->queue.front().task);
    stream->busy = true;
    lock.unlock();
    Status status = G16_HOST_KERNEL_EXCEPTION;
    try {
        status = task->run();
    } catch (const std::bad_alloc&) {
        status = G16_HOST_KERNEL_MEMORY;
    } catch (...) {
    }
    task.reset();
    lock.lock();
    stream->busy = false;
    stream->queue.pop_front();
    ++stream->completed;
    if (status != G16_HOST_OK) {
        if (fault_.code == 0) fault_.code = status;
        discard_all();
    }
    settle(stream);
}

// After a fault nothing runs any more, as on a GPU: everybody's next call reports it.
void G16HostDevice::discard_all() {
    for (G16HostStream* stream : streams) {
        if (stream->busy) continue;
        for (Command& command : stream->queue) {
            if (command.record != nullptr) {
                command.record->happened = true;
                command.record->time = rt::Clock::now();
            }
        }
        stream->completed += stream->queue.size();
        stream->queue.clear();
    }
    turn_.notify_all();
}

Status G16HostDevice::run_launch(rt::Launch& launch) {
    launch.order = ++launches_;
    rt::Fault fault = pool.run(launch);
    if (fault.code != 0) tell(fault.story);
    return fault.code;
}

void G16HostDevice::take_turn(Lock& lock) {
    uint64_t ticket = next_ticket_++;
    turn_.wait(lock, [&] { return serving_ == ticket; });
}

bool G16HostDevice::try_take_turn() {
    if (next_ticket_ != serving_) return false;
    ++next_ticket_;
    return true;
}

void G16HostDevice::end_turn() {
    ++serving_;
    turn_.notify_all();
}

// --- commands ---

namespace g16_host_runtime {

namespace {

struct LaunchTask final : HostTask {
    G16HostDevice* device;
    Launch launch;
    Status run() override { return device->run_launch(launch); }
};

struct CopyTask final : HostTask {
    void* dst;
    const void* src;
    size_t bytes;
    Status run() override {
        memmove(dst, src, bytes);
        return G16_HOST_OK;
    }
};

struct FillTask final : HostTask {
    void* dst;
    uint8_t value;
    size_t bytes;
    Status run() override {
        memset(dst, value, bytes);
        return G16_HOST_OK;
    }
};

Status enqueue_command(void* stream, std::unique_ptr<HostTask> task) {
    auto* target = static_cast<G16HostStream*>(stream);
    Command command;
    command.task = std::move(task);
    return target->device->enqueue(target, std::move(command));
}

// CUDA's limits.
bool shape_fits(const LaunchShape& shape) {
    const Dim3 &grid = shape.grid, &block = shape.block;
    uint64_t threads = static_cast<uint64_t>(block.x) * block.y * block.z;
    bool grid_fits = grid.x != 0 && grid.y != 0 && grid.z != 0 && grid.x <= 0x7fffffffu &&
                     grid.y <= 0xffffu && grid.z <= 0xffffu;
    bool block_fits = threads != 0 && threads <= kMaxBlockThreads && block.x <= kMaxBlockThreads &&
                      block.y <= kMaxBlockThreads && block.z <= 64;
    return grid_fits && block_fits && shape.dynamic_shared_bytes <= kMaxSharedBytes;
}

}  // namespace

Status enqueue_launch(void* stream, const LaunchShape& shape, std::unique_ptr<KernelCall> call) {
    // A kernel cannot launch, and there is no default stream.
    if (stream == nullptr || context.block != nullptr) return G16_HOST_INVALID_VALUE;
    if (call == nullptr) return G16_HOST_OUT_OF_MEMORY;
    if (!shape_fits(shape)) return G16_HOST_INVALID_LAUNCH;
    try {
        auto task = std::make_unique<LaunchTask>();
        task->device = static_cast<G16HostStream*>(stream)->device;
        task->launch = {shape, std::move(call), 0};
        return enqueue_command(stream, std::move(task));
    } catch (...) {
        return G16_HOST_OUT_OF_MEMORY;
    }
}

Status enqueue_task(void* stream, std::unique_ptr<HostTask> task) {
    if (stream == nullptr || context.block != nullptr) return G16_HOST_INVALID_VALUE;
    if (task == nullptr) return G16_HOST_OUT_OF_MEMORY;
    try {
        return enqueue_command(stream, std::move(task));
    } catch (...) {
        return G16_HOST_OUT_OF_MEMORY;
    }
}

Status enqueue_copy(void* stream, void* dst, const void* src, size_t bytes) {
    if (stream == nullptr || context.block != nullptr) return G16_HOST_INVALID_VALUE;
    if (bytes == 0) return G16_HOST_OK;
    const Memory& memory = static_cast<G16HostStream*>(stream)->device->memory;
    bool dst_here = false, src_here = false;
    bool dst_fits = memory.contains(dst, bytes, dst_here);
    bool src_fits = memory.contains(src, bytes, src_here);
    if ((dst_here && !dst_fits) || (src_here && !src_fits) || (!dst_here && !src_here)) {
        return G16_HOST_INVALID_VALUE;
    }
    try {
        auto task = std::make_unique<CopyTask>();
        task->dst = dst;
        task->src = src;
        task->bytes = bytes;
        return enqueue_command(stream, std::move(task));
    } catch (...) {
        return G16_HOST_OUT_OF_MEMORY;
    }
}

Status enqueue_fill(void* stream, void* dst, uint8_t value, size_t bytes) {
    if (stream == nullptr || context.block != nullptr) return G16_HOST_INVALID_VALUE;
    if (bytes == 0) return G16_HOST_OK;
    bool here = false;
    if (!static_cast<G16HostStream*>(stream)->device->memory.contains(dst, bytes, here)) {
        return G16_HOST_INVALID_VALUE;
    }
    try {
        auto task = std::make_unique<FillTask>();
        task->dst = dst;
        task->value = value;
        task->bytes = bytes;
        return enqueue_command(stream, std::move(task));
    } catch (...) {
        return G16_HOST_OUT_OF_MEMORY;
    }
}

}  // namespace g16_host_runtime
