// Windows and launch shapes of fixed-base multiplication.
#pragma once
#include <cstdint>

#include "field/fp.cuh"
#include "field/fp2.cuh"

namespace G16_NS::fixed_base {

// A table is built with this many additions an entry: a doubling, an addition for every other one,
// and the way to affine coordinates.
constexpr uint64_t kEntryAdditions = 3;

// Threads of a block that builds one level of a table.
constexpr uint32_t kTableThreads = 128;

template <class F>
struct Tuning;

// 168 registers a thread leave room for three blocks of 128 on a multiprocessor, as in batch
// addition.
template <>
struct Tuning<Fp> {
    // 15 bits a window: 278,528 entries, 26.7 MB, which half of an H200's L2 cache of 50 MB holds.
    // One window less would be 6 % fewer additions for twice the table.
    static constexpr uint32_t kWindowsMin = 17;
    static constexpr uint32_t kBlockThreads = 128;
    static constexpr uint32_t kBlocksPerSm = 3;
    // An inversion takes about 570 multiplications, the rest of normalizing a point 7: 25 a point
    // for 32 points a thread. 2^20 points then still make two blocks for each multiprocessor.
    static constexpr uint32_t kNormalizeThreads = 128;
    static constexpr uint32_t kNormalizeMinPerThread = 32;
    static constexpr uint32_t kNormalizeBlocksPerSm = 4;
    // One wave of an H200: 62 points a thread of 2^22 points.
    static constexpr uint32_t kNormalizeMaxBlocks = 132 * kNormalizeBlocksPerSm;
};

// An accumulator of 96 words leaves two blocks of 128 at 255 registers.
template <>
struct Tuning<Fp2> {
    // 12 and 13 bits a window: 71,680 entries, 13.8 MB.
    static constexpr uint32_t kWindowsMin = 20;
    static constexpr uint32_t kBlockThreads = 128;
    static constexpr uint32_t kBlocksPerSm = 2;
    static constexpr uint32_t kNormalizeThreads = 128;
    static constexpr uint32_t kNormalizeMinPerThread = 32;
    static constexpr uint32_t kNormalizeBlocksPerSm = 2;
    static constexpr uint32_t kNormalizeMaxBlocks = 132 * kNormalizeBlocksPerSm;
};

}  // namespace G16_NS::fixed_base
