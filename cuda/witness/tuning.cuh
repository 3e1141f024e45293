// Launch shapes of the classification.
#pragma once
#include <cstdint>

namespace G16_NS::witness {

// Threads of a block; a warp takes 32 scalars. Both kernels are bound by memory, so all that is
// wanted is many warps.
constexpr uint32_t kBlockThreads = 256;

}  // namespace G16_NS::witness
