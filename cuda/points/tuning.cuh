// Launch shapes of decoding, checking and encoding points.
#pragma once
#include <cstdint>

namespace G16_NS::points {

// Threads of a block, one point each.
constexpr uint32_t kBlockThreads = 128;

}  // namespace G16_NS::points
