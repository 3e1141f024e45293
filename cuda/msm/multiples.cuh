// Multiples of points for each window of a scalar: with them all windows share one set of buckets.
#pragma once
#include "curve/normalize.cuh"
#include "field/signed_digits.cuh"
#include "msm/launch.cuh"
#include "msm/plan.cuh"

namespace G16_NS::msm {

// out[i] = 2^doublings points[i], n points.
// One thread a point. Cost: 6M + 3S a doubling; 96 bytes read and 192 written in G1.
template <class F>
__global__ void __launch_bounds__(kMultiplesThreads)
    double_kernel(const Affine<F>* points, uint32_t n, uint32_t doublings, Xyzz<F>* out) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Xyzz<F> multiple = Xyzz<F>::from_affine(points[i]);
    for (uint32_t d = 0; d < doublings; d++) multiple = dbl(multiple);
    out[i] = multiple;
}

// Bytes of workspace for n points: the multiples for a window in XYZZ coordinates.
template <class F>
size_t multiples_workspace(uint32_t n) {
    return (n < kMultiplesPoints ? n : kMultiplesPoints) * sizeof(Xyzz<F>);
}

// Plan: for some points after others, a window's multiples from those of the window before.
template <class F>
Status launch_multiples(uint32_t windows, uint32_t n, void* points, void* workspace,
                        Stream stream) {
    if (windows == 0 || windows > kScalarWindowsMax) return kInvalidValue;
    auto* xyzz = static_cast<Xyzz<F>*>(workspace);
    for (uint32_t first = 0; first < n; first += kMultiplesPoints) {
        const uint32_t count = n - first < kMultiplesPoints ? n - first : kMultiplesPoints;
        auto* from = static_cast<Affine<F>*>(points) + first;
        for (uint32_t window = 0; window + 1 < windows; window++) {
            const dim3 grid = blocks(count, kMultiplesThreads);
            Status status = simt::launch(double_kernel<F>, grid, dim3(kMultiplesThreads), 0, stream,
                                         from, count, window_width(windows, window), xyzz);
            if (status == 0) status = normalize(xyzz, count, from + n, stream);
            if (status != 0) return status;
            from += n;
        }
    }
    return 0;
}

template <class F>
Status load_multiples() {
    if (const Status status = simt::load_kernel(double_kernel<F>)) return status;
    return simt::load_kernel(normalize_kernel<F>);
}

}  // namespace G16_NS::msm
