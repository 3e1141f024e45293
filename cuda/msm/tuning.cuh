// The numbers that shape a multi-scalar multiplication.
#pragma once
#include <cstdint>

#include "field/fp2.cuh"

namespace G16_NS::msm {

// Windows of a scalar by ceil(log2(terms)): the minimum of
//     windows · terms + 3 · (buckets of all windows)
// additions, for 2 additions a bucket in the first level of the reduction and 1 in the rest.
// The table is derived from this cost; on an H200 neighbouring numbers were no faster by more than
// 2 % at 2^16, 2^18, 2^20, 2^22 and 2^24 (2^20: 7.7 and 7.9 ms with 16 and 15 windows).
constexpr uint32_t kWindowsByLog2Terms[] = {
    63, 63, 63, 63, 60, 51, 46, 43, 39, 36,  // 2^0 … 2^9
    33, 31, 29, 27, 25, 23, 21, 19, 18, 17,  // 2^10 … 2^19
    16, 16, 15, 14, 13, 13, 12, 12, 12, 12,  // 2^20 … 2^29
    12, 12,                                  // 2^30, 2^31
};

// The same for points with multiples, whose windows share their buckets:
//     windows · terms + 3 · (buckets of one window).
constexpr uint32_t kWindowsOfMultiplesByLog2Terms[] = {
    51, 51, 51, 43, 37, 37, 32, 29, 26, 26,  // 2^0 … 2^9
    24, 22, 20, 20, 17, 17, 16, 15, 15, 15,  // 2^10 … 2^19
    13, 13, 13, 12, 12, 11, 11, 10, 10, 10,  // 2^20 … 2^29
    10, 10,                                  // 2^30, 2^31
};

// Points whose multiples are made together: 100 MB of workspace in G1.
constexpr uint32_t kMultiplesPoints = 1u << 19;
constexpr uint32_t kMultiplesThreads = 128;

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

// The bucket reduction's first level takes segments of 2^1 … 2^6 buckets a thread, as long as 2^15
// segments are left: two blocks of 128 threads on each of an H200's 132 multiprocessors. Leaving
// 2^16 cost 0.1 to 0.2 ms up to 2^22 terms; segments of up to 2^8 cost 2 ms at 2^24, 7 at 2^26.
constexpr uint32_t kSegmentsLog2 = 15;
constexpr uint32_t kSegmentBitsMin = 1;
constexpr uint32_t kSegmentBitsMax = 6;

// Sorted entries of a group of windows when the caller does not choose: 25 bytes of scratch each. A
// group reads the scalars once and ends in one chain of small additions, so the fewer the better,
// as long as three passes of eight bits sort its keys: 2^26 terms took 342, 326, 324 and 326 ms
// with 1, 4, 6 and 12 of 12 windows a group.
constexpr uint64_t kGroupEntriesMax = uint64_t(1) << 30;
constexpr uint32_t kGroupKeyBits = 24;

constexpr uint32_t kDigitsThreads = 256;
constexpr uint32_t kListsThreads = 256;
constexpr uint32_t kBoundsEntries = 4;  // a uint4
// Blocks of 128 threads that registers must allow on a multiprocessor. G1: 2.87 G additions/s with
// 3, 2.74 with 4 and 2.68 with 5, which spill. G2, a pair of lanes a point: 0.96 with 3, 0.95
// with 2.
constexpr uint32_t kAccumulateThreads = 128;
constexpr uint32_t kAccumulateBlocksG1 = 3;
constexpr uint32_t kAccumulateBlocksG2 = 3;
// The first level with 3 blocks took 1.13, with 2 0.99 ms at 2^20, 1.71 and 1.75 at 2^22 (with all
// else of the reduction).
constexpr uint32_t kBucketThreads = 128;
constexpr uint32_t kBucketBlocks = 2;
constexpr uint32_t kReduceThreads = 64;

// Affine additions, which a plan has only if it is asked for them: their speed on a GPU has not
// been measured, and the numbers are those that leave no spills in G1. A task's length is at most
// its mean and so many times the mean's square root: 2 % of the buckets are longer and become two
// tasks.
constexpr uint32_t kAffineDeviations = 2;
// Passes are of a multiple of so many tasks: whole blocks, for the lanes of a warp are of one pass.
constexpr uint32_t kAffineTasksMin = 1024;
constexpr uint32_t kAffineLevelsMax = 6;
constexpr uint32_t kAffineThreads = 128;
constexpr uint32_t kAffineProductBlocksG1 = 6;
constexpr uint32_t kAffineProductBlocksG2 = 5;
constexpr uint32_t kAffineSumBlocksG1 = 3;
constexpr uint32_t kAffineSumBlocksG2 = 3;
constexpr uint32_t kAffineInverseThreads = 128;
// Tasks whose products a thread inverts together.
constexpr uint32_t kAffineInverseFanIn = 32;

// Bounds on what prim:: asks for `n` 32-bit pairs or sums, so that a plan touches no device: a
// radix sort double-buffers both arrays and keeps a histogram a tile; the launcher compares.
constexpr uint64_t kPrimBytesPerEntry = 9;
constexpr uint64_t kPrimBytesFixed = uint64_t(8) << 20;

}  // namespace G16_NS::msm
