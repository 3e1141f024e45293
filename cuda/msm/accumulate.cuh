// Accumulation: a sum of affine points for each task, for either curve.
#pragma once
#include <cstring>

#include "curve/index_map.cuh"
#include "curve/xyzz.cuh"
#include "msm/plan.cuh"

namespace G16_NS::msm {

// A point's number, with the sign that its entry gives it in bit 31; or kNoPoint.
struct SignedPoint {
    uint32_t bits;

    __device__ __forceinline__ bool exists() const { return bits != kNoPoint; }
    __device__ __forceinline__ uint32_t number() const { return bits & ~kEntrySign; }
    __device__ __forceinline__ bool negative() const { return (bits & kEntrySign) != 0; }
};

// a or b, without a branch.
template <class T>
__device__ __forceinline__ T choose(bool first, const T& a, const T& b) {
    uint32_t x[sizeof(T) / 4], y[sizeof(T) / 4];
    memcpy(x, &a, sizeof(T));
    memcpy(y, &b, sizeof(T));
    SIMT_UNROLL
    for (size_t i = 0; i < sizeof(T) / 4; i++) x[i] = first ? x[i] : y[i];
    T r;
    memcpy(&r, x, sizeof(T));
    return r;
}

struct AccumulateArguments {
    SortedLists lists;
    IndexMap map;
    uint32_t first;  // place of the first task
    uint32_t tasks;  // slots from there on
    uint32_t task_terms;
    uint32_t buckets;  // tasks below are first pieces
    uint32_t resumed;  // tasks below start from the sums that are there: all first pieces or none
    uint32_t level;    // of affine additions before
    uint32_t left_terms;  // places of a task in what they left
    uint32_t variable_bits;
    uint32_t multiple;  // points from one window's multiples to the next one's
};

// The number of an entry's point, or kNoPoint; for any sign.
__device__ __forceinline__ uint32_t point_of(const AccumulateArguments& arguments, uint32_t entry) {
    const uint32_t bits = entry & ~kEntrySign;
    const uint32_t window = bits >> arguments.variable_bits;
    const uint32_t variable = bits - (window << arguments.variable_bits);
    const uint32_t point = find_point(arguments.map, variable);
    return point == kNoPoint ? kNoPoint : point + window * arguments.multiple;
}

// Walks a task's entries and stops at those whose variable has a point. An entry is loaded one stop
// before it is looked at: in a warp some lane always waits for memory then.
struct EntryWalk {
    const uint32_t* at;
    const uint32_t* end;
    uint32_t entry;  // at `at`

    __device__ __forceinline__ EntryWalk(const AccumulateArguments& arguments, uint32_t,
                                         uint32_t task, uint32_t length)
        : at(arguments.lists.payload), entry(0) {
        if (length > 0) at += arguments.lists.task_starts[task];
        end = at + length;
        if (length > 0) entry = __ldg(at);
    }

    // The next such point.
    __device__ __forceinline__ SignedPoint next(const AccumulateArguments& arguments) {
        while (at < end) {
            const uint32_t found = entry;
            at += 1;
            if (at < end) entry = __ldg(at);
            const uint32_t point = point_of(arguments, found);
            if (point != kNoPoint) return {point | (found & kEntrySign)};
        }
        return {kNoPoint};
    }
};

// Walks the points that affine additions have left of a task, which lie side by side.
struct LeftWalk {
    uint32_t at;
    uint32_t end;

    // Of the pass's task number `number`.
    __device__ __forceinline__ LeftWalk(const AccumulateArguments& arguments, uint32_t number,
                                        uint32_t, uint32_t length)
        : at(number * arguments.left_terms), end(at + left_of(length, arguments.level)) {}

    __device__ __forceinline__ SignedPoint next(const AccumulateArguments&) {
        return {at < end ? at++ : kNoPoint};
    }
};

// A thread's place in shared memory for the point, or the coordinate, that is on its way. Words of
// one index lie side by side for all threads, free of bank conflicts.
template <class T>
struct Slot {
    static constexpr uint32_t kWords = sizeof(T) / sizeof(uint4);
    uint4* words;

    __device__ __forceinline__ void fetch(const T* item) const {
        const uint4* from = reinterpret_cast<const uint4*>(item);
        SIMT_UNROLL
        for (uint32_t i = 0; i < kWords; i++) {
            simt::cp_async16(words + i * kAccumulateThreads, from + i);
        }
        simt::cp_async_commit();
    }

    __device__ __forceinline__ T take() const {
        simt::cp_async_wait<0>();
        return read();
    }

    __device__ __forceinline__ T read() const {
        uint4 copy[kWords];
        SIMT_UNROLL
        for (uint32_t i = 0; i < kWords; i++) copy[i] = words[i * kAccumulateThreads];
        T item;
        memcpy(&item, copy, sizeof(T));
        return item;
    }

    __device__ __forceinline__ void write(const T& item) const {
        uint4 copy[kWords];
        memcpy(copy, &item, sizeof(T));
        SIMT_UNROLL
        for (uint32_t i = 0; i < kWords; i++) words[i * kAccumulateThreads] = copy[i];
    }
};

// Whether an empty task is a bucket's first piece and has to be written.
__device__ __forceinline__ bool starts_empty(const AccumulateArguments& arguments, uint32_t task) {
    return task < arguments.buckets && task >= arguments.resumed;
}

// One thread a task, the longest tasks first, so that the lanes of a warp end together.
//
// Plan: while a point is added, the next one comes from global to shared memory; entries without a
// point are skipped in between, apart from the addition, so that the lanes meet at each addition.
// Invariant: `sum` is that of the task's points taken so far, on top of the bucket's earlier sum
// where the task resumes it; an empty first piece that does not is infinity. Cost: one mixed
// addition, one point's bytes and 4 bytes of entry for each term (8 more with a density).
template <class F, class Walk, uint32_t BLOCKS>
__global__ void __launch_bounds__(kAccumulateThreads, BLOCKS)
    accumulate_kernel(AccumulateArguments arguments, const Affine<F>* __restrict__ points,
                      Xyzz<F>* __restrict__ sums) {
    SIMT_SHARED(uint4, slots, Slot<Affine<F>>::kWords * kAccumulateThreads);
    const uint32_t number = blockIdx.x * blockDim.x + threadIdx.x;
    if (number >= arguments.tasks) return;
    const uint32_t place = arguments.first + number;
    const uint32_t length = arguments.task_terms - arguments.lists.shortness[place];
    const uint32_t task = arguments.lists.order[place];
    if (length == 0) {
        if (starts_empty(arguments, task)) sums[task] = Xyzz<F>::infinity();
        return;
    }
    const Slot<Affine<F>> slot = {slots + threadIdx.x};
    Walk walk(arguments, number, task, length);
    SignedPoint next = walk.next(arguments);
    if (next.exists()) slot.fetch(points + next.number());
    Xyzz<F> sum = task < arguments.resumed ? sums[task] : Xyzz<F>::infinity();
    while (next.exists()) {
        Affine<F> point = slot.take();
        if (next.negative()) point.y = -point.y;
        next = walk.next(arguments);
        if (next.exists()) slot.fetch(points + next.number());
        sum = add_mixed_with<CalledField>(sum, point);
    }
    sums[arguments.lists.order[place]] = sum;
}

template <class F>
using AccumulateKernel = void (*)(AccumulateArguments, const Affine<F>*, Xyzz<F>*);

// A kernel, the threads that it gives a task, and the shared memory that it gives a block.
template <class F>
struct AccumulateLaunch {
    AccumulateKernel<F> kernel;
    uint32_t threads_per_task;
    size_t shared_bytes;

    Status operator()(const AccumulateArguments& arguments, const Affine<F>* points, Xyzz<F>* sums,
                      Stream stream) const {
        const dim3 grid = blocks(uint64_t(arguments.tasks) * threads_per_task, kAccumulateThreads);
        return simt::launch(kernel, grid, dim3(kAccumulateThreads), shared_bytes, stream, arguments,
                            points, sums);
    }
};

}  // namespace G16_NS::msm
