// The shape of a multi-scalar multiplication: windows, buckets, tasks, and where they lie.
//
// Scalars are cut into windows as field/signed_digits.cuh says.
//
// Bucket d − 1 of a window gathers the terms with digit ±d, so a window has 2^(width − 1) buckets.
// Where points are multiples for each window, all windows share one set of buckets.
#pragma once
#include <cstddef>
#include <cstdint>

#include "api.h"
#include "curve/xyzz.cuh"
#include "field/signed_digits.cuh"
#include "msm/tuning.cuh"
#include "simt/simt.cuh"

namespace G16_NS::msm {

using simt::Status;
using simt::Stream;

constexpr Status kInvalidValue = 1;   // cudaErrorInvalidValue and G16_HOST_INVALID_VALUE
constexpr uint32_t kWindowsMin = 10;  // 26 bits: 2^25 buckets
constexpr uint32_t kWindowsMax = kScalarWindowsMax;

// The bit of an entry that says that its point is to be subtracted.
constexpr uint32_t kEntrySign = 0x80000000u;

// Windows first … first + count of a plan, handled by one set of launches.
struct Group {
    uint32_t first;
    uint32_t count;
    uint32_t sets;     // of buckets: one for each window, or one for all
    uint32_t buckets;  // of the group: bucket b of set s is s << bucket_bits | b
};

// Sets of buckets of so many windows.
inline uint32_t plan_sets(const G16MsmPlan& plan, uint32_t windows) {
    return plan.multiples != 0 ? 1 : windows;
}

// Bits of an entry that name its variable; with multiples the bits above name the window.
inline uint32_t variable_bits(const G16MsmPlan& plan) {
    uint32_t bits = 31;
    if (plan.multiples == 0) return bits;
    while ((uint32_t(1) << (31 - bits)) < plan.windows) bits -= 1;
    return bits;
}

// False where `first_window` does not open a group of this plan.
inline bool group_at(const G16MsmPlan& plan, uint32_t first_window, Group* group) {
    if (first_window >= plan.windows || first_window % plan.group != 0) return false;
    uint32_t left = plan.windows - first_window;
    group->first = first_window;
    group->count = left < plan.group ? left : plan.group;
    group->sets = plan_sets(plan, group->count);
    group->buckets = group->sets << plan.bucket_bits;
    return true;
}

// Cuts aligned arrays off a block of memory; with a null base it only measures.
class Carver {
  public:
    explicit Carver(void* base) : base_(static_cast<uint8_t*>(base)) {}
    template <class T>
    T* take(uint64_t length) {
        uint64_t at = bytes_;
        bytes_ += (length * sizeof(T) + kAlign - 1) / kAlign * kAlign;
        return base_ == nullptr ? nullptr : reinterpret_cast<T*>(base_ + at);
    }
    uint64_t bytes() const { return bytes_; }

  private:
    static constexpr uint64_t kAlign = 256;
    uint8_t* base_;
    uint64_t bytes_ = 0;
};

// What sorting leaves for the accumulations of one group, whatever their points.
//
// Task b below the group's `buckets` is the first piece of bucket b, which may be empty; the
// further pieces of long buckets, the overflow, come behind, bucket by bucket. So a bucket's sum
// has the same place whatever was sorted.
//
// Level 0 of `offsets` counts a bucket's overflow, level k > 0 the sums that combining round k
// makes of all its pieces; all levels are one exclusive sum, `buckets` entries each and the total
// behind them.
struct SortedLists {
    uint32_t* payload;      // entries by bucket: variable | window << variable_bits | sign << 31
    uint32_t* offsets;      // (combine_rounds + 1) · buckets + 1
    uint32_t* task_starts;  // by task: its first term
    uint32_t* order;        // tasks, the longest first, then empty ones and slots without one
    uint32_t* shortness;    // task_terms less a task's length, in that order
};

inline uint64_t plan_buckets(const G16MsmPlan& plan) {
    return uint64_t(plan_sets(plan, plan.group)) << plan.bucket_bits;
}

// Entries of a chunk's lists.
inline uint64_t plan_entries(const G16MsmPlan& plan) { return uint64_t(plan.chunk) * plan.group; }

inline uint64_t plan_offsets(const G16MsmPlan& plan) {
    return (plan.combine_rounds + 1) * plan_buckets(plan) + 1;
}

inline SortedLists sorted_lists(const G16MsmPlan& plan, Carver& carver) {
    SortedLists lists;
    lists.payload = carver.take<uint32_t>(plan_entries(plan));
    lists.offsets = carver.take<uint32_t>(plan_offsets(plan));
    lists.task_starts = carver.take<uint32_t>(plan.tasks);
    lists.order = carver.take<uint32_t>(plan.tasks);
    lists.shortness = carver.take<uint32_t>(plan.tasks);
    return lists;
}

// What sorting needs meanwhile.
struct SortScratch {
    uint32_t* keys;
    uint32_t* keys_sorted;
    uint32_t* payload;
    uint32_t* starts;  // by bucket: where its terms start in SortedLists::payload, then where they
    uint32_t* ends;    // end; both 0 without terms
    uint32_t* counts;  // as SortedLists::offsets, before the sum
    uint32_t* shortness;
    uint32_t* tasks;
    uint8_t* prim;
    size_t prim_bytes;
};

inline SortScratch sort_scratch(const G16MsmPlan& plan, Carver& carver) {
    const uint64_t entries = plan_entries(plan);
    uint64_t most = entries > plan_offsets(plan) ? entries : plan_offsets(plan);
    most = most > plan.tasks ? most : plan.tasks;
    SortScratch scratch;
    scratch.keys = carver.take<uint32_t>(entries);
    scratch.keys_sorted = carver.take<uint32_t>(entries);
    scratch.payload = carver.take<uint32_t>(entries);
    scratch.starts = carver.take<uint32_t>(2 * plan_buckets(plan));
    scratch.ends = scratch.starts == nullptr ? nullptr : scratch.starts + plan_buckets(plan);
    scratch.counts = carver.take<uint32_t>(plan_offsets(plan));
    scratch.shortness = carver.take<uint32_t>(plan.tasks);
    scratch.tasks = carver.take<uint32_t>(plan.tasks);
    scratch.prim_bytes = kPrimBytesPerEntry * most + kPrimBytesFixed;
    scratch.prim = carver.take<uint8_t>(scratch.prim_bytes);
    return scratch;
}

// 2^h neighbouring buckets b of a window: sum = Σ (b − first + 1) · bucket b, and their plain sum
// times 2^h. The window's sum is that of its whole pair.
template <class Point>
struct Pair {
    Point sum;
    Point run;
};

// Buckets of a segment of the reduction's first level, log2.
inline uint32_t segment_bits(const G16MsmPlan& plan) {
    uint32_t bits = kSegmentBitsMin;
    while (bits < kSegmentBitsMax && plan_buckets(plan) >> (bits + 1) >= 1u << kSegmentsLog2) {
        bits += 1;
    }
    return bits;
}

// What so many levels of affine additions leave of a task of `terms` terms.
SIMT_HD inline uint32_t left_of(uint32_t terms, uint32_t levels) {
    return static_cast<uint32_t>((uint64_t(terms) + (uint64_t(1) << levels) - 1) >> levels);
}

// What levels of affine additions need for plan.affine_tasks tasks, in one part.
template <class F>
struct AffineScratch {
    Affine<F>* sums;
    F* prefixes;
    F* products;
    F* inverses;
    Affine<F>* left;
};

template <class F>
inline AffineScratch<F> affine_scratch(const G16MsmPlan& plan, Carver& carver) {
    const uint64_t tasks = plan.affine_tasks;
    const uint64_t pairs = tasks * (plan.task_terms / 2 + 1);
    AffineScratch<F> out;
    out.sums = carver.take<Affine<F>>(pairs);
    out.prefixes = carver.take<F>(pairs);
    out.products = carver.take<F>(tasks);
    out.inverses = carver.take<F>(tasks);
    out.left = carver.take<Affine<F>>(tasks * left_of(plan.task_terms, plan.affine_levels));
    return out;
}

// Parts of an accumulation, which may run side by side.
constexpr uint32_t kParts = 2;

// What accumulation and reduction of a group need: a partial sum for each task; then either what
// affine additions need, or the pairs of two successive levels of the reduction.
template <class F>
struct Partials {
    Xyzz<F>* sums;
    AffineScratch<F> affine[kParts];
    Pair<Xyzz<F>>* even;
    Pair<Xyzz<F>>* odd;
};

template <class F>
inline Partials<F> partials(const G16MsmPlan& plan, Carver& carver) {
    const uint64_t segments = plan_buckets(plan) >> segment_bits(plan);
    Partials<F> out;
    out.sums = carver.take<Xyzz<F>>(plan.tasks);
    Carver reduction = carver;
    for (AffineScratch<F>& part : out.affine) part = affine_scratch<F>(plan, carver);
    out.even = reduction.take<Pair<Xyzz<F>>>(segments);
    out.odd = reduction.take<Pair<Xyzz<F>>>(segments / 2);
    if (reduction.bytes() > carver.bytes()) carver = reduction;
    return out;
}

// Threads that cover `items`, in whole blocks.
inline dim3 blocks(uint64_t items, uint32_t threads) {
    return dim3(static_cast<uint32_t>((items + threads - 1) / threads));
}

}  // namespace G16_NS::msm
