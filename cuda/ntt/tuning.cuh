// The transforms' tuning numbers.
#pragma once
#include <cstdint>

#include "simt/simt.cuh"

namespace G16_NS::ntt {

// Largest domain: with 32-bit indices and the tables below, three passes reach it.
constexpr uint32_t kMaxLogSize = 27;

// A thread transforms groups of 2^3 elements in registers: 64 of its registers hold them. At 2^24
// on an H200 4.19 ms, with groups of 2^2 4.29 ms (at 2^16, where latency counts, 0.048 and 0.033
// ms).
constexpr uint32_t kGroupBits = 3;

// A block's tile in shared memory: 2^10 elements and padding take 36 KiB, so that a multiprocessor
// holds six; below 2^8 a block would be less than a warp of groups. At 2^27 on an H200 tiles of
// 2^10 take 35.8 ms, of 2^11 37.5 ms.
constexpr uint32_t kMaxTileBits = 10;
constexpr uint32_t kMinTileBits = 8;

// A domain of at most one tile takes one pass, larger ones take passes of equal width.
constexpr uint32_t kMaxPasses = 3;

// Strided tiles are not narrowed below four columns, 128 adjacent bytes, for the sake of more
// blocks; eight rows' bits leave that much to the largest tile, nine leave 64 bytes.
constexpr uint32_t kMinColumnBits = 2;

// Blocks below which tiles are made smaller: two for each of 132 multiprocessors.
constexpr uint32_t kWantedBlocks = 264;

// Bounds for the compiler: 128 registers a thread. With 168, and half the threads, 2^24 takes 6.1
// ms.
constexpr uint32_t kMaxThreads = 1u << (kMaxTileBits - kGroupBits);
constexpr uint32_t kBlocksPerMultiprocessor = 4;

// Threads of a block of the element-wise kernels.
constexpr uint32_t kElementThreads = 256;

}  // namespace G16_NS::ntt
