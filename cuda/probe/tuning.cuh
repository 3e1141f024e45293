// Launch shapes of the probe's chains, which are there to be timed.
#pragma once
#include <cstdint>

namespace G16_NS::probe {

constexpr uint32_t kChainThreads = 128;

// Chains of a thread that run beside each other, and the blocks that registers must allow on a
// multiprocessor. Two chains hide what latency the warps leave; an element of Fp2 is two by itself.
constexpr uint32_t kFieldChains = 2;
constexpr uint32_t kFieldBlocks = 4;
constexpr uint32_t kFp2Chains = 1;
constexpr uint32_t kFp2Blocks = 3;
// As in accumulation (msm/tuning.cuh), and 255 registers for a point of G2 in one thread.
constexpr uint32_t kPointChains = 1;
constexpr uint32_t kG1Blocks = 3;
constexpr uint32_t kG2Blocks = 2;

}  // namespace G16_NS::probe
