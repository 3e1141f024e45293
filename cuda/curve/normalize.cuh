// From XYZZ to affine coordinates, many points at once.
#pragma once
#include "curve/xyzz.cuh"
#include "field/fp2.cuh"
#include "simt/simt.cuh"

namespace G16_NS {

// An inversion takes some hundred multiplications, the rest of normalizing a point 7. 32 points a
// thread of 2^20 points still make two blocks for each multiprocessor of an H200, and one wave of
// it has 62 points a thread of 2^22 points. An accumulator of 96 words leaves two blocks of 128 at
// 255 registers.
template <class F>
struct NormalizeTuning {
    static constexpr bool kIsFp = sizeof(F) == sizeof(Fp);
    static constexpr uint32_t kThreads = 128;
    static constexpr uint32_t kMinPerThread = 32;
    static constexpr uint32_t kBlocksPerSm = kIsFp ? 4 : 2;
    static constexpr uint32_t kMaxBlocks = 132 * kBlocksPerSm;
};

// out[i] = sums[i] in affine coordinates; infinity is (0, 0).
//
// Plan: Montgomery's trick over the points of a thread, which are the grid's threads apart, so that
// neighbours read neighbours. The first loop leaves in out[i].x the product of the ZZZ before i;
// one inversion; the second loop goes back, with 1/Z = ZZ / ZZZ and 1/ZZ = (1/Z)^2. Invariant:
// `product` is that of the ZZZ before i, then its inverse. Infinity, with ZZZ = 0, is left out.
// Cost: 6M + 1S a point and an inversion a thread; about three passes over its coordinates.
template <class F>
__global__ void __launch_bounds__(NormalizeTuning<F>::kThreads, NormalizeTuning<F>::kBlocksPerSm)
    normalize_kernel(const Xyzz<F>* __restrict__ sums, uint32_t n, Affine<F>* __restrict__ out) {
    const uint32_t stride = gridDim.x * blockDim.x;
    const uint32_t first = blockIdx.x * blockDim.x + threadIdx.x;
    if (first >= n) return;
    F product = F::one();
    uint32_t i = first;
    for (; i < n; i += stride) {
        const F zzz = sums[i].zzz;
        if (zzz.is_zero()) continue;
        out[i].x = product;
        product = mul_call(product, zzz);
    }
    product = inverse(product);
    while (i != first) {
        i -= stride;
        const F zzz = sums[i].zzz;
        if (zzz.is_zero()) {
            out[i] = Affine<F>::infinity();
            continue;
        }
        const F zzz_inverse = mul_call(product, out[i].x);
        product = mul_call(product, zzz);
        const F z_inverse = mul_call(sums[i].zz, zzz_inverse);
        out[i].y = mul_call(sums[i].y, zzz_inverse);
        out[i].x = mul_call(sums[i].x, sqr_call(z_inverse));
    }
}

// Enqueues it for n points.
template <class F>
simt::Status normalize(const Xyzz<F>* sums, uint32_t n, Affine<F>* out, simt::Stream stream) {
    using Tuning = NormalizeTuning<F>;
    constexpr uint32_t kPoints = Tuning::kThreads * Tuning::kMinPerThread;
    dim3 grid = dim3((n + kPoints - 1) / kPoints);
    if (grid.x > Tuning::kMaxBlocks) grid.x = Tuning::kMaxBlocks;
    return simt::launch(normalize_kernel<F>, grid, dim3(Tuning::kThreads), 0, stream, sums, n, out);
}

}  // namespace G16_NS
