// The numbers that shape a multi-scalar multiplication.
#pragma once
#include <cstdint>

#include "simt/simt.cuh"

namespace G16_NS::msm {

// Windows of a scalar by ceil(log2(terms)): the minimum of
//     windows · terms + 3 · (buckets of all windows)
// additions, for 2 additions a bucket in the first level of the reduction and 1 in the rest.
// The table is derived from this cost; on an H200 neighbouring numbers were no faster at 2^16,
// 2^18, 2^20, 2^22 and 2^24 (2^20: 8.4, 8.0, 8.2 ms with 17, 16, 15 windows).
constexpr uint32_t kWindowsByLog2Terms[] = {
    63, 63, 63, 63, 60, 51, 46, 43, 39, 36,  // 2^0 … 2^9
    33, 31, 29, 27, 25, 23, 21, 19, 18, 17,  // 2^10 … 2^19
    16, 16, 15, 14, 13, 13, 12, 12, 12, 12,  // 2^20 … 2^29
    12, 12,                                  // 2^30, 2^31
};

// A task covers at most this many times a bucket's mean length: with uniform scalars nearly every
// bucket is one task, with skewed ones there are about half as many tasks again as buckets. Short
// lists are cut further, into kTasksLog2 tasks, which is what an H200 runs side by side, but not
// below kTaskTermsMin terms: 2^13 terms took 0.19 ms with tasks of 18 terms and 0.31 with 34.
constexpr uint32_t kTaskTermsPerMean = 2;
constexpr uint32_t kTasksLog2 = 15;
constexpr uint32_t kTaskTermsMin = 8;

// Partial sums of a bucket that one thread of a combining round adds: 16 sequential additions a
// round keep a skewed list of 2^20 terms at four rounds.
constexpr uint32_t kCombineFanInLog2 = 4;

// The bucket reduction's first level takes segments of 2^1 … 2^6 buckets a thread, as long as
// 2^16 segments are left: two blocks of 128 threads on each of an H200's 132 multiprocessors,
// twice.
constexpr uint32_t kSegmentsLog2 = 16;
constexpr uint32_t kSegmentBitsMin = 1;
constexpr uint32_t kSegmentBitsMax = 6;

// Sorted entries of a group of windows when the caller does not choose: 24 bytes of scratch each.
constexpr uint64_t kGroupEntriesMax = uint64_t(1) << 26;

constexpr uint32_t kDigitsThreads = 256;
constexpr uint32_t kListsThreads = 256;
constexpr uint32_t kBoundsEntries = 4;  // 16 bytes of keys a thread
// Three blocks of 128 threads a multiprocessor at 168 registers each reached 2.84 G additions/s in
// G1 on an H200; G2 holds twice the state and takes all registers that a thread can have.
constexpr uint32_t kAccumulateThreads = 128;
constexpr uint32_t kAccumulateBlocksG1 = 3;
constexpr uint32_t kAccumulateBlocksG2 = 3;
constexpr uint32_t kBucketThreads = 128;
constexpr uint32_t kBucketBlocks = 2;
constexpr uint32_t kReduceThreads = 64;

// Bounds on what prim:: asks for `n` 32-bit pairs or sums, so that a plan touches no device: a
// radix sort double-buffers both arrays and keeps a histogram a tile; the launcher compares.
constexpr uint64_t kPrimBytesPerEntry = 9;
constexpr uint64_t kPrimBytesFixed = uint64_t(8) << 20;

}  // namespace G16_NS::msm
