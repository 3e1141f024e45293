// The transforms' tuning numbers.
#pragma once
#include <cstdint>

#include "simt/simt.cuh"

namespace G16_NS::ntt {

// Largest domain: with 32-bit indices and the tables below, three passes reach it.
constexpr uint32_t kMaxLogSize = 27;

// A thread transforms groups of 2^3 elements in registers: 64 of its registers hold them.
constexpr uint32_t kGroupBits = 3;

// A block's tile in shared memory: 2^11 elements and padding take 72 KiB, so that three blocks
// share a multiprocessor; below 2^8 a block would be less than a warp of groups.
constexpr uint32_t kMaxTileBits = 11;
constexpr uint32_t kMinTileBits = 8;

// A domain of at most one tile takes one pass; larger ones take passes of at most 2^10 rows, which
// leaves two columns, 64 adjacent bytes, to a strided tile.
constexpr uint32_t kMaxRowBits = 10;
constexpr uint32_t kMaxPasses = 3;

// Strided tiles are narrowed to four columns, 128 adjacent bytes, where the grid would be small.
constexpr uint32_t kMinColumnBits = 2;

// Blocks below which tiles are made smaller: two for each of 132 multiprocessors.
constexpr uint32_t kWantedBlocks = 264;

// Bounds for the compiler: 128 registers a thread.
constexpr uint32_t kMaxThreads = 1u << (kMaxTileBits - kGroupBits);
constexpr uint32_t kBlocksPerMultiprocessor = 2;

// Threads of a block of the element-wise kernels.
constexpr uint32_t kElementThreads = 256;

}  // namespace G16_NS::ntt
