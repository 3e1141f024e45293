// The transforms' tuning numbers.
#pragma once
#include <cstdint>

#include "simt/simt.cuh"

namespace G16_NS::ntt {

// Largest domain: with 32-bit indices and the tables below, three passes reach it.
constexpr uint32_t kMaxLogSize = 27;

// A thread transforms groups of 2^3 elements in registers: 64 of its registers hold them. On an
// H200 groups of 2^2 took 2 % longer at 2^24, and a third less at 2^16, where latency counts (with
// reduced arithmetic; not measured again since).
constexpr uint32_t kGroupBits = 3;

// A block's tile in shared memory: 2^10 elements and padding take 36 KiB, so that a multiprocessor
// holds six; below 2^8 a block would be less than a warp of groups. On an H200 tiles of 2^9 take 5
// % longer at 2^24 (3.31 for 3.14 ms), tiles of 2^11 took 5 % longer with reduced arithmetic.
constexpr uint32_t kMaxTileBits = 10;
constexpr uint32_t kMinTileBits = 8;

// A domain of at most one tile takes one pass, larger ones take passes of equal width, two up to
// 2^19. At 2^20 three passes take 0.210 ms on an H200 and two 0.220, for with three all twiddles
// between them are in tables.
constexpr uint32_t kMaxPasses = 3;
constexpr uint32_t kMaxTwoPassBits = 19;

// Strided tiles are not narrowed below four columns, 128 adjacent bytes, for the sake of more
// blocks; eight rows' bits leave that much to the largest tile, nine leave 64 bytes.
constexpr uint32_t kMinColumnBits = 2;

// The middle one of three passes is over 2^7 rows at least, so that its tile has no more columns.
constexpr uint32_t kMaxBlockColumnBits = 3;

// Blocks below which tiles are made smaller: two for each of 132 multiprocessors.
constexpr uint32_t kWantedBlocks = 264;

// Bounds for the compiler: 128 registers a thread, without spills. On an H200 2^24 takes 11 %
// longer with three blocks (168 registers), and 10 % longer with five (96 registers, 320 bytes
// spilled).
constexpr uint32_t kMaxThreads = 1u << (kMaxTileBits - kGroupBits);
constexpr uint32_t kBlocksPerMultiprocessor = 4;

// Threads of a block of the element-wise kernels.
constexpr uint32_t kElementThreads = 256;

}  // namespace G16_NS::ntt
