// From the tasks' sums to a point a window, for either curve.
//
// Behind each accumulation the sums of each bucket's pieces are combined, in rounds of up to
// 2^kCombineFanInLog2 sums a thread; with uniform scalars there is nothing to do. In the end the
// buckets of a window are summed with their weights: a thread takes a segment by running sums,
// which is the least work; pairs of segments are joined level by level, which is the shortest
// chain, for there the additions are few and each is waited for.
#pragma once
#include "curve/xyzz.cuh"
#include "msm/plan.cuh"
#include "msm/quad.cuh"

namespace G16_NS::msm {

struct CombineArguments {
    const uint32_t* offsets;  // level 0: where a bucket's overflow starts, behind the buckets
    const uint32_t* level;    // this round's level
    uint32_t buckets;
    uint32_t stride_log2;  // between a bucket's sums that earlier rounds have left
};

// One thread for each sum that the round leaves: it adds up to 2^kCombineFanInLog2 sums of one
// bucket into the first of them, in the last round into the bucket's own. No other thread of the
// round touches any of these.
template <class F>
__global__ void combine_kernel(CombineArguments arguments, Xyzz<F>* sums) {
    const uint32_t index = blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t* level = arguments.level;
    const uint32_t base = level[0];
    if (index >= level[arguments.buckets] - base) return;
    uint32_t bucket = 0;  // the last bucket whose offset is not beyond `index`
    for (uint32_t length = arguments.buckets; length > 1;) {
        const uint32_t half = length / 2;
        if (level[bucket + half] - base <= index) bucket += half;
        length -= half;
    }
    const uint32_t place = index - (level[bucket] - base);
    const uint64_t stride = uint64_t(1) << arguments.stride_log2;
    const uint64_t first = place * (stride << kCombineFanInLog2);  // a piece of the bucket
    const uint64_t pieces = arguments.offsets[bucket + 1] - arguments.offsets[bucket] + 1;
    // Piece i > 0 of the bucket is overflow[i].
    Xyzz<F>* overflow = sums + arguments.buckets + arguments.offsets[bucket] - 1;
    Xyzz<F>* to = first == 0 ? sums + bucket : overflow + first;
    Xyzz<F> sum = *to;
    for (uint64_t i = 1; i < uint64_t(1) << kCombineFanInLog2; i++) {
        const uint64_t next = first + i * stride;
        if (next >= pieces) break;
        sum = add(sum, overflow[next]);
    }
    *to = sum;
}

// How the first level adds: its own copy of the formula where registers allow it, else a call.
struct InlineAddition {
    template <class F>
    __device__ static __forceinline__ Xyzz<F> sum(const Xyzz<F>& p, const Xyzz<F>& q) {
        return add_with<CalledField>(p, q);
    }
};

struct CalledAddition {
    template <class F>
    __device__ static __forceinline__ Xyzz<F> sum(const Xyzz<F>& p, const Xyzz<F>& q) {
        return add(p, q);
    }
};

// The first level. One thread a segment, from its last bucket down: `run` is the sum of the buckets
// so far, `sum` that of all `run`s, so bucket i of the segment counts i + 1 times in it. The two
// additions are one piece of code over pointers; both points lie in local memory between them.
// Cost: 2 additions a bucket, and `segment_bits` doublings.
template <class F, class Addition>
__global__ void __launch_bounds__(kBucketThreads, kBucketBlocks)
    reduce_buckets_kernel(const Xyzz<F>* sums, Pair<Xyzz<F>>* out, uint32_t segments,
                          uint32_t segment_bits) {
    const uint32_t segment = blockIdx.x * blockDim.x + threadIdx.x;
    if (segment >= segments) return;
    Pair<Xyzz<F>> pair = {Xyzz<F>::infinity(), Xyzz<F>::infinity()};
    for (uint32_t step = uint32_t(2) << segment_bits; step-- > 0;) {
        Xyzz<F>* to = &pair.sum;
        const Xyzz<F>* from = &pair.run;
        if (step % 2 != 0) {
            to = &pair.run;
            from = sums + (segment << segment_bits) + step / 2;
            if (from->is_infinity()) continue;
        }
        *to = Addition::sum(*to, *from);
    }
    for (uint32_t i = 0; i < segment_bits; i++) pair.run = dbl(pair.run);
    out[segment] = pair;
}

// A later level joins two neighbours (sum, run): four lanes add sum' = sum₀ + sum₁ + run₁, four of
// another block run' = 2 (run₀ + run₁). The last level is without `run`, and its sums lie alone.
// Cost: a chain of eight multiplications.
template <class F>
__global__ void reduce_pairs_kernel(const Pair<Xyzz<F>>* in, Pair<Xyzz<F>>* out, Xyzz<F>* last,
                                    uint32_t pairs) {
    const uint32_t pair = blockIdx.x * kQuads + threadIdx.x / kQuadLanes;
    const Quad<F> quad = {threadIdx.x / kQuadLanes, threadIdx.x % kQuadLanes};
    const uint64_t first = 2 * uint64_t(pair < pairs ? pair : pairs - 1);
    const Pair<Xyzz<F>>& low = in[first];
    const Pair<Xyzz<F>>& high = in[first + 1];
    if (blockIdx.y == 0) {
        quad.fetch(kQuadA, low.sum);
        quad.fetch(kQuadB, high.sum);
        quad_add(quad);
        quad.copy(kQuadC, kQuadB);
        quad.fetch(kQuadA, high.run);
        quad_add(quad);
        if (pair < pairs) quad.put(last != nullptr ? last + pair : &out[pair].sum, kQuadC);
    } else {
        quad.fetch(kQuadA, low.run);
        quad.fetch(kQuadB, high.run);
        quad_add(quad);
        quad_double(quad);
        if (pair < pairs) quad.put(&out[pair].run, kQuadA);
    }
}

// A bound on the sums that round `round` leaves: buckets of several tasks hold `several` at most,
// and one with t > fan_in^(round − 1) of them leaves ⌈t / fan_in^round⌉.
inline uint64_t combined_max(const G16MsmPlan& plan, uint32_t round) {
    uint64_t several = 2 * plan_entries(plan) / plan.task_terms;
    if (several > plan.tasks) several = plan.tasks;
    const uint64_t before = uint64_t(1) << ((round - 1) * kCombineFanInLog2);
    return several / (before << kCombineFanInLog2) + several / (before + 1) + 1;
}

// Enqueues the rounds behind an accumulation, after which each bucket has one sum.
template <class F>
Status launch_combine(const G16MsmPlan& plan, uint32_t first_window, const void* sorted,
                      void* scratch, Stream stream) {
    Group group;
    if (!group_at(plan, first_window, &group)) return kInvalidValue;
    Carver sorted_carver(const_cast<void*>(sorted)), scratch_carver(scratch);
    const SortedLists lists = sorted_lists(plan, sorted_carver);
    Xyzz<F>* sums = partials<F>(plan, scratch_carver).sums;
    for (uint32_t round = 1; round <= plan.combine_rounds; round++) {
        CombineArguments arguments = {};
        arguments.offsets = lists.offsets;
        arguments.level = lists.offsets + uint64_t(round) * group.buckets;
        arguments.buckets = group.buckets;
        arguments.stride_log2 = (round - 1) * kCombineFanInLog2;
        const Status status =
            simt::launch(combine_kernel<F>, blocks(combined_max(plan, round), kReduceThreads),
                         dim3(kReduceThreads), 0, stream, arguments, sums);
        if (status != 0) return status;
    }
    return 0;
}

template <class F, class Addition>
Status load_reduce() {
    if (const Status status = simt::load_kernel(combine_kernel<F>)) return status;
    if (const Status status = simt::load_kernel(reduce_buckets_kernel<F, Addition>)) return status;
    return simt::load_kernel(reduce_pairs_kernel<F>);
}

template <class F, class Addition>
Status launch_reduce(const G16MsmPlan& plan, uint32_t first_window, void* scratch, void* result,
                     Stream stream) {
    Group group;
    if (!group_at(plan, first_window, &group)) return kInvalidValue;
    Carver scratch_carver(scratch);
    const Partials<F> memory = partials<F>(plan, scratch_carver);
    Xyzz<F>* windows = static_cast<Xyzz<F>*>(result) + group.first;  // 0 where they share a set

    uint32_t pairs = group.buckets >> segment_bits(plan);
    Status status = simt::launch(reduce_buckets_kernel<F, Addition>, blocks(pairs, kBucketThreads),
                                 dim3(kBucketThreads), 0, stream, memory.sums, memory.even, pairs,
                                 segment_bits(plan));
    Pair<Xyzz<F>>* in = memory.even;
    Pair<Xyzz<F>>* out = memory.odd;
    while (status == 0 && pairs > group.sets) {
        pairs /= 2;
        const bool is_last = pairs == group.sets;
        dim3 grid = blocks(pairs, kQuads);
        grid.y = is_last ? 1 : 2;
        status =
            simt::launch(reduce_pairs_kernel<F>, grid, dim3(kReduceThreads), Quad<F>::kSharedBytes,
                         stream, in, out, is_last ? windows : nullptr, pairs);
        Pair<Xyzz<F>>* free = in;
        in = out;
        out = free;
    }
    return status;
}

}  // namespace G16_NS::msm
