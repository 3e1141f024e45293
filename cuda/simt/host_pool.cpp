#include "simt/host_pool.h"

#include <algorithm>
#include <exception>

#include "simt/host_api.h"

namespace g16_host_runtime {

Pool::Pool(uint32_t threads, const BlockOptions& options) : options_(options) {
    for (uint32_t i = 0; i < threads; ++i) blocks_.push_back(std::make_unique<Block>(options));
    try {
        for (uint32_t i = 1; i < threads; ++i) {
            Block* block = blocks_[i].get();
            helpers_.emplace_back([this, block] { help(*block); });
        }
    } catch (const std::exception&) {
        // The system has no more threads; fewer do the same work.
    }
}

Pool::~Pool() {
    {
        std::lock_guard<std::mutex> lock(mutex_);
        closing_ = true;
    }
    work_.notify_all();
    for (std::thread& helper : helpers_) helper.join();
}

Fault Pool::run(const Launch& launch) {
    const Dim3& grid = launch.shape.grid;
    count_ = static_cast<uint64_t>(grid.x) * grid.y * grid.z;
    next_.store(0, std::memory_order_relaxed);
    failed_.store(false, std::memory_order_relaxed);
    first_ = 0;
    if (options_.seed >= 2) {
        Random random{options_.seed ^ (launch.order * 0x2545f4914f6cdd1du)};
        first_ = random.next() % count_;
    }
    fault_ = {};
    uint64_t helpers = std::min<uint64_t>(helpers_.size(), count_ - 1);
    if (helpers != 0) {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            launch_ = &launch;
            wanted_ = static_cast<uint32_t>(helpers);
        }
        for (uint64_t i = 0; i < helpers; ++i) work_.notify_one();
    }
    take_blocks(*blocks_[0], launch);
    std::unique_lock<std::mutex> lock(mutex_);
    wanted_ = 0;
    idle_.wait(lock, [this] { return active_ == 0; });
    launch_ = nullptr;
    return std::move(fault_);
}

void Pool::help(Block& block) {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
        work_.wait(lock, [this] { return closing_ || wanted_ != 0; });
        if (closing_) return;
        --wanted_;
        ++active_;
        const Launch& launch = *launch_;
        lock.unlock();
        take_blocks(block, launch);
        lock.lock();
        if (--active_ == 0) idle_.notify_one();
    }
}

void Pool::take_blocks(Block& block, const Launch& launch) {
    Fault fault;
    while (!failed_.load(std::memory_order_relaxed)) {
        uint64_t ticket = next_.fetch_add(1, std::memory_order_relaxed);
        if (ticket >= count_) return;
        bool ok = false;
        try {
            uint64_t linear = 0;
            Uint3 index = place(launch, ticket, linear);
            ok = block.run(launch, index, linear, fault);
        } catch (const std::exception&) {
            fault = {G16_HOST_KERNEL_MEMORY, "no memory to run a kernel's block"};
        }
        if (!ok) {
            failed_.store(true, std::memory_order_relaxed);
            std::lock_guard<std::mutex> lock(mutex_);
            if (fault_.code == 0) fault_ = std::move(fault);
            return;
        }
    }
}

// The block that the `ticket`-th taker runs: ascending, descending, or ascending from a random one.
Uint3 Pool::place(const Launch& launch, uint64_t ticket, uint64_t& linear) const {
    linear = options_.seed == 1 ? count_ - 1 - ticket : ticket;
    linear += first_;
    if (linear >= count_) linear -= count_;
    const Dim3& grid = launch.shape.grid;
    uint64_t rows = linear / grid.x;
    return {static_cast<uint32_t>(linear % grid.x), static_cast<uint32_t>(rows % grid.y),
            static_cast<uint32_t>(rows / grid.y)};
}

}  // namespace g16_host_runtime
