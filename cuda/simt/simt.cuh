// What kernels may use; the only code that knows which target it is compiled for.
//
// Under nvcc these are CUDA's own names and thin functions over them. Under the host compiler the
// same names run on host threads: a block's threads are fibers that switch at barriers and warp
// operations, and a launch is a command of a lazy queue (host_api.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace G16_NS::simt {

// 0, or the target's error code: cudaError_t, or one of G16_HOST_*.
using Status = int32_t;
// cudaStream_t, or G16HostStream*.
using Stream = void*;

constexpr uint32_t kWarpSize = 32;
constexpr uint32_t kFullMask = 0xffffffffu;
// Shared memory that a kernel gets without asking, and the most that it may ask for.
constexpr size_t kStaticSharedBytes = 48 * 1024;
constexpr size_t kMaxSharedBytes = 227 * 1024;

}  // namespace G16_NS::simt

#ifdef __CUDACC__
#include "simt/cuda.cuh"
#else
#include "simt/host.cuh"
#endif
