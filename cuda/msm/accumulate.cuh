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

// Walks a task's entries and stops at those whose variable has a point. An entry is loaded one stop
// before it is looked at: in a warp some lane always waits for memory then.
struct EntryWalk {
    const uint32_t* at;
    const uint32_t* end;
    uint32_t entry;  // at `at`

    __device__ __forceinline__ EntryWalk(const uint32_t* entries, uint32_t start, uint32_t length)
        : at(entries + start), end(at + length), entry(length > 0 ? __ldg(at) : 0) {}

    // The next such point.
    __device__ __forceinline__ SignedPoint next(const IndexMap& map) {
        while (at < end) {
            const uint32_t found = entry;
            at += 1;
            if (at < end) entry = __ldg(at);
            const uint32_t point = find_point(map, found & ~kEntrySign);
            if (point != kNoPoint) return {point | (found & kEntrySign)};
        }
        return {kNoPoint};
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

struct AccumulateArguments {
    SortedLists lists;
    IndexMap map;
    uint32_t tasks;  // slots
    uint32_t task_terms;
    uint32_t buckets;  // tasks below are first pieces
    uint32_t resumed;  // tasks below start from the sums that are there: all first pieces or none
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
template <class F, class Ops, uint32_t BLOCKS>
__global__ void __launch_bounds__(kAccumulateThreads, BLOCKS)
    accumulate_kernel(AccumulateArguments arguments, const Affine<F>* __restrict__ points,
                      Xyzz<F>* __restrict__ sums) {
    SIMT_SHARED(uint4, slots, Slot<Affine<F>>::kWords * kAccumulateThreads);
    const uint32_t place = blockIdx.x * blockDim.x + threadIdx.x;
    if (place >= arguments.tasks) return;
    const uint32_t length = arguments.task_terms - arguments.lists.shortness[place];
    const uint32_t task = arguments.lists.order[place];
    if (length == 0) {
        if (starts_empty(arguments, task)) sums[task] = Xyzz<F>::infinity();
        return;
    }
    const uint32_t start = arguments.lists.task_starts[task];
    const Slot<Affine<F>> slot = {slots + threadIdx.x};
    EntryWalk walk(arguments.lists.payload, start, length);
    SignedPoint next = walk.next(arguments.map);
    if (next.exists()) slot.fetch(points + next.number());
    Xyzz<F> sum = task < arguments.resumed ? sums[task] : Xyzz<F>::infinity();
    while (next.exists()) {
        Affine<F> point = slot.take();
        if (next.negative()) point.y = -point.y;
        next = walk.next(arguments.map);
        if (next.exists()) slot.fetch(points + next.number());
        sum = add_mixed_with<Ops>(sum, point);
    }
    sums[arguments.lists.order[place]] = sum;
}

template <class F>
using AccumulateKernel = void (*)(AccumulateArguments, const Affine<F>*, Xyzz<F>*);

// Enqueues a kernel that gives each task this many threads and each block so much shared memory.
template <class F>
Status launch_accumulate(AccumulateKernel<F> kernel, uint32_t threads_per_task, size_t shared_bytes,
                         const G16MsmPlan& plan, uint32_t first_window, const void* sorted,
                         const void* points, const G16IndexMap& map, uint32_t resume, void* scratch,
                         Stream stream) {
    Group group;
    if (!group_at(plan, first_window, &group)) return kInvalidValue;
    Carver sorted_carver(const_cast<void*>(sorted)), scratch_carver(scratch);
    AccumulateArguments arguments = {};
    arguments.lists = sorted_lists(plan, sorted_carver);
    arguments.map = map;
    arguments.tasks = plan.tasks;
    arguments.task_terms = plan.task_terms;
    arguments.buckets = group.buckets;
    arguments.resumed = resume != 0 ? group.buckets : 0;
    Xyzz<F>* sums = partials<Xyzz<F>>(plan, scratch_carver).sums;
    const dim3 grid = blocks(uint64_t(plan.tasks) * threads_per_task, kAccumulateThreads);
    return simt::launch(kernel, grid, dim3(kAccumulateThreads), shared_bytes, stream, arguments,
                        static_cast<const Affine<F>*>(points), sums);
}

}  // namespace G16_NS::msm
