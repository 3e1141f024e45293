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
};

// An accumulator of 96 words leaves two blocks of 128 at 255 registers.
template <>
struct Tuning<Fp2> {
    // 12 and 13 bits a window: 71,680 entries, 13.8 MB.
    static constexpr uint32_t kWindowsMin = 20;
    static constexpr uint32_t kBlockThreads = 128;
    static constexpr uint32_t kBlocksPerSm = 2;
};

}  // namespace G16_NS::fixed_base
