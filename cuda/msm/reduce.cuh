// From the tasks' sums to a few pairs of points a window, for either curve.
//
// First the sums of each bucket are combined, in rounds of up to 2^kCombineFanInLog2 sums a thread;
// with uniform scalars there is nothing to do. Then the buckets b of a window, weighted b + 1, are
// summed in levels: a thread takes a segment of 2^L neighbours and leaves a pair (sum, run), where
// the window's sum is Σ_s (sum_s + 2^stride · s · run_s) over the segments s. A level shortens the
// window by 2^L and raises the stride by L.
#pragma once
#include "curve/xyzz.cuh"
#include "msm/plan.cuh"

namespace G16_NS::msm {

struct CombineArguments {
    const uint32_t* offsets;  // level 0: where a bucket's sums start
    const uint32_t* level;    // this round's level
    uint32_t buckets;
    uint32_t stride_log2;  // between a bucket's sums that earlier rounds have left
};

// One thread for each sum that the round leaves: it adds up to 2^kCombineFanInLog2 sums of one
// bucket into the first of them. No other thread of the round touches any of these.
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
    const uint64_t first = arguments.offsets[bucket] + place * (stride << kCombineFanInLog2);
    const uint64_t end = arguments.offsets[bucket + 1];
    Xyzz<F> sum = sums[first];
    for (uint64_t i = 1; i < uint64_t(1) << kCombineFanInLog2; i++) {
        const uint64_t next = first + i * stride;
        if (next >= end) break;
        sum = add(sum, sums[next]);
    }
    sums[first] = sum;
}

// The first level. One thread a segment, from its last bucket down: `run` is the sum of the buckets
// so far, `sum` that of all `run`s, so bucket i of the segment counts i + 1 times in it.
// Cost: 2 additions a bucket.
template <class F>
__global__ void reduce_buckets_kernel(const uint32_t* offsets, const Xyzz<F>* sums,
                                      Pair<Xyzz<F>>* out, uint32_t segments,
                                      uint32_t segment_bits) {
    const uint32_t segment = blockIdx.x * blockDim.x + threadIdx.x;
    if (segment >= segments) return;
    Xyzz<F> run = Xyzz<F>::infinity();
    Xyzz<F> sum = Xyzz<F>::infinity();
    for (uint32_t i = uint32_t(1) << segment_bits; i-- > 0;) {
        const uint32_t bucket = (segment << segment_bits) + i;
        const uint32_t at = offsets[bucket];
        if (offsets[bucket + 1] != at) run = add(run, sums[at]);
        sum = add(sum, run);
    }
    out[segment].sum = sum;
    out[segment].run = run;
}

// A segment of pairs as one: sum = Σ sum_i + 2^stride · Σ i · run_i and run = Σ run_i.
// Cost: 3 additions a pair, and `stride_log2` doublings.
template <class F>
SIMT_HD inline Pair<Xyzz<F>> reduce_segment(const Pair<Xyzz<F>>* pairs, uint32_t count,
                                            uint32_t stride_log2) {
    Xyzz<F> run = Xyzz<F>::infinity();
    Xyzz<F> sum = Xyzz<F>::infinity();
    Xyzz<F> weighted = Xyzz<F>::infinity();
    for (uint32_t i = count; i-- > 0;) {
        weighted = add(weighted, run);  // run is of the pairs above i: each counts once for each i
        run = add(run, pairs[i].run);
        sum = add(sum, pairs[i].sum);
    }
    for (uint32_t i = 0; i < stride_log2; i++) weighted = dbl(weighted);
    return {add(sum, weighted), run};
}

// A later level: one thread a segment of 2^segment_bits pairs.
template <class F>
__global__ void reduce_pairs_kernel(const Pair<Xyzz<F>>* in, Pair<Xyzz<F>>* out, uint32_t segments,
                                    uint32_t segment_bits, uint32_t stride_log2) {
    const uint32_t segment = blockIdx.x * blockDim.x + threadIdx.x;
    if (segment >= segments) return;
    out[segment] =
        reduce_segment(in + (uint64_t(segment) << segment_bits), 1u << segment_bits, stride_log2);
}

// A bound on the sums that round `round` leaves: buckets of several tasks hold `several` at most,
// and one with t > fan_in^(round − 1) of them leaves ⌈t / fan_in^round⌉.
inline uint64_t combined_max(const G16MsmPlan& plan, uint32_t round) {
    uint64_t several = 2 * uint64_t(plan.terms) * plan.group / plan.task_terms;
    if (several > plan.tasks) several = plan.tasks;
    const uint64_t before = uint64_t(1) << ((round - 1) * kCombineFanInLog2);
    return several / (before << kCombineFanInLog2) + several / (before + 1) + 1;
}

template <class F>
Status launch_combine(const G16MsmPlan& plan, const Group& group, const SortedLists& lists,
                      Xyzz<F>* sums, Stream stream) {
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

template <class F>
Status load_reduce() {
    if (const Status status = simt::load_kernel(combine_kernel<F>)) return status;
    if (const Status status = simt::load_kernel(reduce_buckets_kernel<F>)) return status;
    return simt::load_kernel(reduce_pairs_kernel<F>);
}

template <class F>
Status launch_reduce(const G16MsmPlan& plan, uint32_t first_window, const void* sorted,
                     void* scratch, void* result, Stream stream) {
    using PairF = Pair<Xyzz<F>>;
    Group group;
    if (!group_at(plan, first_window, &group)) return kInvalidValue;
    Carver sorted_carver(const_cast<void*>(sorted)), scratch_carver(scratch);
    const SortedLists lists = sorted_lists(plan, sorted_carver);
    const Partials<Xyzz<F>> sums = partials<Xyzz<F>>(plan, scratch_carver);
    PairF* last = static_cast<PairF*>(result) + (uint64_t(group.first) << plan.tail_bits);

    Status status = launch_combine(plan, group, lists, sums.sums, stream);
    if (status != 0) return status;
    uint32_t bits = reduced_bits(plan.bucket_bits);
    PairF* out = bits == plan.tail_bits ? last : sums.even;
    const uint32_t segments = group.count << bits;
    status = simt::launch(reduce_buckets_kernel<F>, blocks(segments, kReduceThreads),
                          dim3(kReduceThreads), 0, stream, lists.offsets, sums.sums, out, segments,
                          plan.bucket_bits - bits);
    for (bool even = false; status == 0 && bits != plan.tail_bits; even = !even) {
        const PairF* in = out;
        const uint32_t before = bits;
        bits = reduced_bits(before);
        out = bits == plan.tail_bits ? last : even ? sums.even : sums.odd;
        const uint32_t count = group.count << bits;
        status = simt::launch(reduce_pairs_kernel<F>, blocks(count, kReduceThreads),
                              dim3(kReduceThreads), 0, stream, in, out, count, before - bits,
                              plan.bucket_bits - before);
    }
    return status;
}

}  // namespace G16_NS::msm
