// The host threads of a device: one launch at a time, its blocks spread over them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "simt/host_block.h"

namespace g16_host_runtime {

class Pool {
  public:
    // `threads` counts the caller of `run`, which takes blocks too.
    Pool(uint32_t threads, const BlockOptions& options);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    // Runs every block of `launch`; one caller at a time.
    Fault run(const Launch& launch);

  private:
    void help(Block& block);
    void take_blocks(Block& block, const Launch& launch);
    Uint3 place(const Launch& launch, uint64_t ticket, uint64_t& linear) const;

    const BlockOptions options_;
    std::vector<std::unique_ptr<Block>> blocks_;  // the first is the caller's
    std::vector<std::thread> helpers_;

    std::atomic<uint64_t> next_{0};
    uint64_t count_ = 0;
    uint64_t first_ = 0;  // where a seeded order begins
    std::atomic<bool> failed_{false};

    std::mutex mutex_;
    std::condition_variable work_, idle_;
    const Launch* launch_ = nullptr;
    uint32_t wanted_ = 0, active_ = 0;
    bool closing_ = false;
    Fault fault_;
};

}  // namespace g16_host_runtime
