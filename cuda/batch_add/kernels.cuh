// Batch addition: the sum of the points on a list of variables.
//
// The simple algorithm is a loop over the list. Here
//   sum_kernel   gives each thread every T-th element, T threads in all, which it adds up in
//                registers; a block's threads meet in a tree of shuffles, one partial a block
//   fold_kernel  adds groups of partials until at most kMaxPartials are left, for the host
#pragma once
#include "batch_add/tuning.cuh"
#include "curve/affine.cuh"
#include "curve/index_map.cuh"
#include "curve/xyzz.cuh"
#include "simt/simt.cuh"

namespace G16_NS::batch_add {

// The sum of `value` over a warp's first `lanes` lanes, a power of two; right in lane 0 only. All
// 32 lanes take part in the shuffles.
template <class F>
__device__ Xyzz<F> warp_sum(Xyzz<F> value, uint32_t lane, uint32_t lanes) {
    for (uint32_t half = lanes / 2; half != 0; half /= 2) {
        const Xyzz<F> other = simt::shfl_down(0xffffffffu, value, static_cast<int>(half));
        if (lane < half) value = add(value, other);
        __syncwarp();
    }
    return value;
}

// The next element of a thread's list that has a point here, or kNoPoint at the end. Threads run
// ahead alone through what a density leaves out, so that a warp adds with all of its lanes.
__device__ __forceinline__ uint32_t next_point(const IndexMap& map, const uint32_t* list,
                                               uint32_t n, uint32_t stride, uint32_t* i) {
    uint32_t point = kNoPoint;
    while (*i < n && point == kNoPoint) {
        point = find_point(map, __ldg(list + *i));
        *i += stride;
    }
    return point;
}

// partials[b] = the sum of points[find_point(map, list[i])] over block b's threads' i: i mod
// (threads of the grid) = the thread's number. Only list[0 .. min(*count, max_count)) is read.
// Invariant: `sum` is the sum over the elements before i.
// Cost: 8M + 2S and a point of memory an element; about 11 additions a thread for the tree.
template <class F>
__global__ void __launch_bounds__(Tuning<F>::kBlockThreads, Tuning<F>::kBlocksPerSm)
    sum_kernel(const Affine<F>* __restrict__ points, IndexMap map,
               const uint32_t* __restrict__ list, const uint32_t* __restrict__ count,
               uint32_t max_count, Xyzz<F>* __restrict__ partials) {
    constexpr uint32_t kWarps = Tuning<F>::kBlockThreads / 32;
    SIMT_SHARED(Xyzz<F>, warp_sums, kWarps);
    const uint32_t n = min(*count, max_count);
    const uint32_t stride = gridDim.x * blockDim.x;
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    Xyzz<F> sum = Xyzz<F>::infinity();
    for (;;) {
        const uint32_t point = next_point(map, list, n, stride, &i);
        if (point == kNoPoint) break;
        sum = add_mixed_inline(sum, points[point]);
    }
    const uint32_t lane = threadIdx.x % 32;
    const uint32_t warp = threadIdx.x / 32;
    __syncwarp();
    const Xyzz<F> warp_total = warp_sum(sum, lane, 32);
    if (lane == 0) warp_sums[warp] = warp_total;
    __syncthreads();
    if (warp != 0) return;
    const Xyzz<F> mine = lane < kWarps ? warp_sums[lane] : Xyzz<F>::infinity();
    const Xyzz<F> block_total = warp_sum(mine, lane, kWarps);
    if (lane == 0) partials[blockIdx.x] = block_total;
}

// out[b] = the sum of in[b * lanes .. (b + 1) * lanes), as far as there are; lanes is a power of
// two up to 32.
// Cost: log2(lanes) additions, 12M + 2S each.
template <class F>
__global__ void __launch_bounds__(kFoldThreads)
    fold_kernel(const Xyzz<F>* __restrict__ in, uint32_t n, uint32_t lanes,
                Xyzz<F>* __restrict__ out) {
    const uint32_t lane = threadIdx.x;
    const uint32_t i = blockIdx.x * lanes + lane;
    const Xyzz<F> mine = lane < lanes && i < n ? in[i] : Xyzz<F>::infinity();
    const Xyzz<F> total = warp_sum(mine, lane, lanes);
    if (lane == 0) out[blockIdx.x] = total;
}

}  // namespace G16_NS::batch_add
