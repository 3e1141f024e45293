// From scalars to the lists that accumulation walks: entries by bucket, and tasks by length.
#include "msm/digits.cuh"
#include "msm/launch.cuh"
#include "msm/plan.cuh"
#include "simt/prim.cuh"

namespace G16_NS::msm {
namespace {

// What the list kernels share.
struct Lists {
    SortedLists sorted;
    SortScratch scratch;
    uint32_t entries;
    uint32_t buckets;       // of the group
    uint32_t plan_buckets;  // of a whole group
    uint32_t tasks;         // slots
    uint32_t task_terms;
    uint32_t rounds;
};

// The first of `length` ascending `keys` that is not below `key`.
__device__ __forceinline__ uint32_t lower_bound(const uint32_t* keys, uint32_t length,
                                                uint32_t key) {
    uint32_t first = 0;
    while (length > 0) {
        const uint32_t half = length / 2;
        if (keys[first + half] < key) {
            first += half + 1;
            length -= half + 1;
        } else {
            length = half;
        }
    }
    return first;
}

// An entry at a change of key tells where a bucket starts or ends. One thread for kBoundsEntries of
// them. Cost: 4 bytes an entry.
__global__ void bounds_kernel(Lists lists) {
    const uint32_t first = (blockIdx.x * blockDim.x + threadIdx.x) * kBoundsEntries;
    if (first >= lists.entries) return;
    const uint32_t* keys = lists.scratch.keys_sorted;
    uint32_t bucket[kBoundsEntries];
    const uint32_t length = min(lists.entries - first, kBoundsEntries);
    if (length == kBoundsEntries) {
        const uint4 four = *reinterpret_cast<const uint4*>(keys + first);
        bucket[0] = four.x, bucket[1] = four.y, bucket[2] = four.z, bucket[3] = four.w;
    } else {
        for (uint32_t i = 0; i < length; i++) bucket[i] = keys[first + i];
    }
    // A key that no bucket has stands before the first entry.
    uint32_t before = first == 0 ? ~0u : keys[first - 1];
    SIMT_UNROLL
    for (uint32_t i = 0; i < kBoundsEntries; i++) {
        if (i >= length) break;
        if (bucket[i] != before) {
            if (before < lists.buckets) lists.scratch.ends[before] = first + i;
            if (bucket[i] < lists.buckets) lists.scratch.starts[bucket[i]] = first + i;
        }
        before = bucket[i];
    }
    if (first + length == lists.entries && before < lists.buckets) {
        lists.scratch.ends[before] = lists.entries;
    }
}

// One thread a bucket counts its overflow, and the sums that each combining round leaves of all its
// pieces (none where a round finds a single sum).
__global__ void counts_kernel(Lists lists) {
    const uint32_t bucket = blockIdx.x * blockDim.x + threadIdx.x;
    if (bucket > lists.buckets) return;
    uint32_t* counts = lists.scratch.counts;
    if (bucket == lists.buckets) {
        counts[uint64_t(lists.rounds + 1) * lists.buckets] = 0;
        return;
    }
    const uint32_t length = lists.scratch.ends[bucket] - lists.scratch.starts[bucket];
    const uint32_t tasks = (length + lists.task_terms - 1) / lists.task_terms;
    counts[bucket] = tasks > 0 ? tasks - 1 : 0;
    for (uint32_t round = 1; round <= lists.rounds; round++) {
        const uint32_t before = (round - 1) * kCombineFanInLog2;
        const uint32_t after = round * kCombineFanInLog2;
        const uint64_t sums = (tasks + (uint64_t(1) << after) - 1) >> after;
        const bool combines = tasks > uint64_t(1) << before;
        counts[uint64_t(round) * lists.buckets + bucket] =
            combines ? static_cast<uint32_t>(sums) : 0;
    }
}

// One thread a task slot finds its bucket, and its even share of the bucket's entries.
__global__ void tasks_kernel(Lists lists) {
    const uint32_t task = blockIdx.x * blockDim.x + threadIdx.x;
    if (task >= lists.tasks) return;
    const uint32_t* offsets = lists.sorted.offsets;
    uint32_t bucket = task, piece = 0, length = 0;
    bool exists = task < lists.buckets;
    if (!exists && task - lists.buckets < offsets[lists.buckets]) {
        const uint32_t overflow = task - lists.buckets;
        bucket = lower_bound(offsets, lists.buckets, overflow + 1) - 1;
        piece = overflow - offsets[bucket] + 1;
        exists = true;
    }
    if (exists) {
        const uint64_t pieces = offsets[bucket + 1] - offsets[bucket] + 1;
        const uint32_t start = lists.scratch.starts[bucket];
        const uint64_t entries = lists.scratch.ends[bucket] - start;
        const uint32_t begin = static_cast<uint32_t>(entries * piece / pieces);
        const uint32_t end = static_cast<uint32_t>(entries * (piece + 1) / pieces);
        lists.sorted.task_starts[task] = start + begin;
        length = end - begin;
    }
    lists.scratch.shortness[task] = lists.task_terms - length;
    lists.scratch.tasks[task] = task;
}

int bit_length(uint32_t x) {
    int bits = 0;
    while (bits < 32 && (uint64_t(x) >> bits) != 0) bits += 1;
    return bits;
}

Status sort_pairs(const SortScratch& scratch, const uint32_t* keys, uint32_t* keys_sorted,
                  const uint32_t* values, uint32_t* values_sorted, uint32_t length,
                  uint32_t key_max, Stream stream) {
    const int bits = bit_length(key_max);
    size_t bytes = 0;
    Status status = prim::sort_pairs(nullptr, &bytes, keys, keys_sorted, values, values_sorted,
                                     length, 0, bits, stream);
    if (status != 0) return status;
    if (bytes > scratch.prim_bytes) return kInvalidValue;
    return prim::sort_pairs(scratch.prim, &bytes, keys, keys_sorted, values, values_sorted, length,
                            0, bits, stream);
}

Status find_buckets(const Lists& lists, Stream stream) {
    const size_t bytes = 2 * uint64_t(lists.plan_buckets) * sizeof(uint32_t);
    Status status = simt::fill_bytes(lists.scratch.starts, 0, bytes, stream);
    if (status != 0) return status;
    status = simt::launch(bounds_kernel, blocks(lists.entries, kListsThreads * kBoundsEntries),
                          dim3(kListsThreads), 0, stream, lists);
    if (status != 0) return status;
    return simt::launch(counts_kernel, blocks(uint64_t(lists.buckets) + 1, kListsThreads),
                        dim3(kListsThreads), 0, stream, lists);
}

Status sum_counts(const Lists& lists, Stream stream) {
    const SortScratch& scratch = lists.scratch;
    const uint32_t length = (lists.rounds + 1) * lists.buckets + 1;
    size_t bytes = 0;
    Status status =
        prim::exclusive_sum(nullptr, &bytes, scratch.counts, lists.sorted.offsets, length, stream);
    if (status != 0) return status;
    if (bytes > scratch.prim_bytes) return kInvalidValue;
    return prim::exclusive_sum(scratch.prim, &bytes, scratch.counts, lists.sorted.offsets, length,
                               stream);
}

Status sort_tasks(const Lists& lists, Stream stream) {
    Status status = simt::launch(tasks_kernel, blocks(lists.tasks, kListsThreads),
                                 dim3(kListsThreads), 0, stream, lists);
    if (status != 0) return status;
    return sort_pairs(lists.scratch, lists.scratch.shortness, lists.sorted.shortness,
                      lists.scratch.tasks, lists.sorted.order, lists.tasks, lists.task_terms,
                      stream);
}

}  // namespace

// Plan: digits; a radix sort by window and bucket; each bucket's entries and task count; the
// counts' sums; the tasks; a radix sort of the tasks by length.
Status sort(const G16MsmPlan* plan, const G16MsmScalars* scalars, uint32_t first_window,
            void* sorted, void* scratch, Stream stream) {
    Group group;
    if (scalars->terms == 0 || scalars->terms > plan->chunk) return kInvalidValue;
    if (!group_at(*plan, first_window, &group)) return kInvalidValue;
    if (scalars->scalars_length > uint32_t(1) << variable_bits(*plan)) return kInvalidValue;
    Carver sorted_carver(sorted), scratch_carver(scratch);
    Lists lists;
    lists.sorted = sorted_lists(*plan, sorted_carver);
    lists.scratch = sort_scratch(*plan, scratch_carver);
    lists.entries = scalars->terms * group.count;
    lists.buckets = group.buckets;
    lists.plan_buckets = static_cast<uint32_t>(plan_buckets(*plan));
    lists.tasks = plan->tasks;
    lists.task_terms = plan->task_terms;
    lists.rounds = plan->combine_rounds;

    const SortScratch& s = lists.scratch;
    Status status = launch_digits(*plan, *scalars, group, s.keys, s.payload, stream);
    if (status != 0) return status;
    status = sort_pairs(s, s.keys, s.keys_sorted, s.payload, lists.sorted.payload, lists.entries,
                        group.buckets, stream);
    if (status != 0) return status;
    status = find_buckets(lists, stream);
    if (status != 0) return status;
    status = sum_counts(lists, stream);
    if (status != 0) return status;
    return sort_tasks(lists, stream);
}

Status load_sort() {
    if (const Status status = simt::load_kernel(bounds_kernel)) return status;
    if (const Status status = simt::load_kernel(counts_kernel)) return status;
    return simt::load_kernel(tasks_kernel);
}

}  // namespace G16_NS::msm
