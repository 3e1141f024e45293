// Launch shapes of batch addition.
#pragma once
#include <cstdint>

#include "field/fp.cuh"
#include "field/fp2.cuh"

namespace G16_NS::batch_add {

// What the host adds up itself: its 64 additions take less than another launch.
constexpr uint32_t kMaxPartials = 64;

// Threads of a block that folds partials: one warp, no barrier.
constexpr uint32_t kFoldThreads = 32;

template <class F>
struct Tuning;

// 168 registers a thread leave room for three blocks of 128 on a multiprocessor; with them the
// mixed addition reached 2.84 G/s on an H200 (132 multiprocessors).
template <>
struct Tuning<Fp> {
    static constexpr uint32_t kBlockThreads = 128;
    static constexpr uint32_t kBlocksPerSm = 3;
    // One wave of an H200.
    static constexpr uint32_t kMaxBlocks = 132 * kBlocksPerSm;
    // Below this many elements a thread, fewer blocks and a shorter tree are faster.
    static constexpr uint32_t kMinPerThread = 4;
};

// An accumulator of 96 words leaves two blocks of 128 at 255 registers.
template <>
struct Tuning<Fp2> {
    static constexpr uint32_t kBlockThreads = 128;
    static constexpr uint32_t kBlocksPerSm = 2;
    static constexpr uint32_t kMaxBlocks = 132 * kBlocksPerSm;
    static constexpr uint32_t kMinPerThread = 4;
};

}  // namespace G16_NS::batch_add
