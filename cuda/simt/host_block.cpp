#include "simt/host_block.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>

#include "simt/host_api.h"

namespace g16_host_runtime {

__thread Context context;

Block::Block(const BlockOptions& options)
    : options_(options),
      order_(kMaxBlockThreads),
      threads_(kMaxBlockThreads),
      ready_(kMaxBlockThreads),
      warps_(kMaxWarps),
      copies_(kMaxBlockThreads) {
    barrier_waiters_.reserve(kMaxBlockThreads);
    free_fibers_.reserve(kMaxBlockThreads);
    slots_.reserve(16);
}

bool Block::run(const Launch& launch, Uint3 index, uint64_t linear_index, Fault& fault) {
    prepare(launch, index, linear_index);
    Fiber* first = start_fiber();
    if (first == nullptr) {
        fault_ = {G16_HOST_KERNEL_MEMORY, "no memory for a kernel thread's stack"};
    } else {
        current_ = first;
        thread_stack_left_ = true;
        fiber_switch(thread_stack_, *first);
    }
    context.block = nullptr;
    if (fault_.code == 0) return true;
    // The waiting threads' stacks are dropped as they are.
    free_fibers_.clear();
    for (auto& fiber : fibers_) {
        fiber_abandon(*fiber);
        free_fibers_.push_back(fiber.get());
    }
    fault = fault_;
    return false;
}

void Block::prepare(const Launch& launch, Uint3 index, uint64_t linear_index) {
    const LaunchShape& shape = launch.shape;
    launch_ = &launch;
    size_ = shape.block.x * shape.block.y * shape.block.z;
    started_ = exited_ = 0;
    ready_head_ = ready_count_ = 0;
    barrier_waiters_.clear();
    barrier_true_ = 0;
    fault_ = {};
    for (uint32_t i = 0; i < size_; ++i) {
        order_[i] = static_cast<uint16_t>(options_.seed == 1 ? size_ - 1 - i : i);
        threads_[i] = {};
    }
    if (options_.seed >= 2) {
        random_.state = options_.seed ^ (launch.order << 40) ^ (linear_index << 8);
        for (uint32_t i = size_; i > 1; --i) std::swap(order_[i - 1], order_[random_.below(i)]);
    }
    for (uint32_t w = 0; w * 32 < size_; ++w) {
        uint32_t lanes = std::min(32u, size_ - w * 32);
        warps_[w].exited = lanes == 32 ? 0 : ~((1u << lanes) - 1);
        warps_[w].group_count = 0;
    }
    reset_shared(shape.dynamic_shared_bytes);
    context.block_index = index;
    context.block_size = shape.block;
    context.grid_size = shape.grid;
    context.block = this;
}

// --- threads ---

void Block::fiber_entry() {
    Block& block = *context.block;
    fiber_entered(block.thread_stack_left_ ? &block.thread_stack_ : nullptr);
    block.thread_stack_left_ = false;
    block.run_threads();
    block.finish_fiber();
}

void Block::run_threads() {
    Dim3 size = launch_->shape.block;
    while (started_ < size_) {
        uint32_t thread = order_[started_++];
        context.thread = thread;
        if (size.y == 1 && size.z == 1) {
            context.thread_index = {thread, 0, 0};
        } else {
            context.thread_index = {thread % size.x, thread / size.x % size.y,
                                    thread / (size.x * size.y)};
        }
        call_kernel();
        exit_thread();
    }
}

void Block::call_kernel() {
    std::string what;
    try {
        launch_->call->run();
        return;
    } catch (const std::exception& e) {
        what = e.what();
    } catch (...) {
        what = "of an unknown type";
    }
    what.insert(0, "an exception left the kernel: ");
    fail(G16_HOST_KERNEL_EXCEPTION, std::move(what));
}

void Block::exit_thread() {
    uint32_t thread = context.thread;
    threads_[thread].exited = true;
    ++exited_;
    Warp& warp = warps_[thread / 32];
    warp.exited |= 1u << (thread % 32);
    for (uint32_t i = 0; i < warp.group_count;) {
        if (complete(warp, warp.groups[i])) {
            deliver(thread / 32, i, 32);
        } else {
            ++i;
        }
    }
    uint32_t waiters = static_cast<uint32_t>(barrier_waiters_.size());
    if (waiters != 0 && waiters == size_ - exited_) release_barrier();
}

// --- fibers ---

Fiber* Block::start_fiber() {
    Fiber* fiber = nullptr;
    if (!free_fibers_.empty()) {
        fiber = free_fibers_.back();
        free_fibers_.pop_back();
    } else {
        auto fresh = std::make_unique<Fiber>();
        if (!fiber_create(*fresh, options_.stack_bytes, static_cast<uint32_t>(fibers_.size())))
            return nullptr;
        fiber = fresh.get();
        fibers_.push_back(std::move(fresh));
    }
    fiber_prepare(*fiber, &Block::fiber_entry);
    return fiber;
}

void Block::make_ready(uint32_t thread) {
    ready_[(ready_head_ + ready_count_++) % kMaxBlockThreads] = static_cast<uint16_t>(thread);
}

uint32_t Block::take_ready() {
    if (options_.seed >= 2) {
        uint32_t chosen = random_.below(ready_count_);
        std::swap(ready_[ready_head_], ready_[(ready_head_ + chosen) % kMaxBlockThreads]);
    }
    uint32_t thread = ready_[ready_head_];
    ready_head_ = (ready_head_ + 1) % kMaxBlockThreads;
    --ready_count_;
    return thread;
}

// The fiber to go on with: a thread that need not wait any more, or a fresh one for the threads
// that have not started. Null where there is neither.
Fiber* Block::next_fiber(bool prefer_fresh) {
    bool fresh = started_ < size_;
    if (ready_count_ != 0 && fresh && options_.seed >= 2) prefer_fresh = random_.below(2) == 0;
    if (ready_count_ != 0 && !(fresh && prefer_fresh)) return threads_[take_ready()].fiber;
    if (!fresh) return nullptr;
    Fiber* fiber = start_fiber();
    if (fiber == nullptr) {
        fail(G16_HOST_KERNEL_MEMORY, "no memory for a kernel thread's stack");
    }
    return fiber;
}

void Block::suspend(Wait wait, Site site, WarpOperation operation, uint32_t mask) {
    uint32_t thread = context.thread;
    Uint3 index = context.thread_index;
    Fiber* self = current_;
    threads_[thread] = {self, site, wait, false, operation, mask};
    Fiber* next = next_fiber(wait == Wait::kYield);
    if (next == nullptr) fail(G16_HOST_KERNEL_DEADLOCK, deadlock_story());
    if (next != self) {
        current_ = next;
        fiber_switch(*self, *next);
    }
    threads_[thread].wait = Wait::kNone;
    context.thread = thread;
    context.thread_index = index;
}

void Block::finish_fiber() {
    Fiber* self = current_;
    Fiber* next = nullptr;
    if (exited_ < size_) {
        next = next_fiber(false);
        if (next == nullptr) fail(G16_HOST_KERNEL_DEADLOCK, deadlock_story());
    }
    free_fibers_.push_back(self);
    current_ = next;
    fiber_leave(*self, next == nullptr ? thread_stack_ : *next);
    __builtin_unreachable();
}

void Block::fail(Status code, std::string&& what) {
    fault_ = {code, tell(what)};
    std::string().swap(what);
    Fiber* self = current_;
    current_ = nullptr;
    fiber_leave(*self, thread_stack_);
    __builtin_unreachable();
}

void Block::yield() {
    if (ready_count_ == 0 && started_ == size_) return;
    make_ready(context.thread);
    suspend(Wait::kYield, {"", 0}, WarpOperation::kSync, 0);
}

// --- the kernels' side ---

uint32_t block_barrier(Reduction reduction, bool predicate, Site site) {
    return context.block->barrier(reduction, predicate, site);
}

void warp_sync(uint32_t mask, Site site) {
    LaneRequest request;
    request.site = site;
    context.block->warp(WarpOperation::kSync, mask, request);
}

uint32_t warp_ballot(uint32_t mask, bool predicate, Site site) {
    LaneRequest request;
    uint32_t lanes = 0;
    request.value = predicate ? 1 : 0;
    request.lanes = &lanes;
    request.site = site;
    context.block->warp(WarpOperation::kBallot, mask, request);
    return lanes;
}

void warp_shuffle(uint32_t mask, const void* src, void* dst, uint32_t bytes, uint32_t source_lane,
                  Site site) {
    LaneRequest request;
    request.src = src;
    request.dst = dst;
    request.bytes = bytes;
    request.source_lane = source_lane % 32;
    request.site = site;
    context.block->warp(WarpOperation::kShuffle, mask, request);
}

uint32_t warp_gather(uint32_t mask, uint64_t value, uint64_t (&values)[32], Site site) {
    LaneRequest request;
    uint32_t lanes = 0;
    request.value = value;
    request.values = values;
    request.lanes = &lanes;
    request.site = site;
    context.block->warp(WarpOperation::kGather, mask, request);
    return lanes;
}

void yield_thread() { context.block->yield(); }

void* shared_array(const void* token, size_t bytes, size_t alignment) {
    return context.block->shared_array(token, bytes, alignment);
}

void copy_async(void* shared_dst, const void* global_src, uint32_t bytes) {
    context.block->copy_async(shared_dst, global_src, bytes);
}

void copy_async_commit() { context.block->copy_async_commit(); }

void copy_async_wait(uint32_t groups_left) { context.block->copy_async_wait(groups_left); }

}  // namespace g16_host_runtime
