// The plan of a multi-scalar multiplication: pure arithmetic on the host.
#include "msm/plan.cuh"

#include "msm/launch.cuh"

namespace G16_NS::msm {
namespace {

constexpr uint64_t kIndexMax = 0x7fffffff;  // what 31 bits of a payload, or CUB's counts, can hold

uint32_t log2_ceil(uint32_t x) {
    uint32_t bits = 0;
    while (bits < 31 && (uint32_t(1) << bits) < x) bits += 1;
    return bits;
}

uint32_t group_of(uint32_t chunk, uint32_t windows, uint32_t bucket_bits) {
    const uint64_t keys = ((uint64_t(1) << kGroupKeyBits) - 1) >> bucket_bits;
    uint64_t most = kGroupEntriesMax / chunk;
    if (most > keys) most = keys;
    if (most == 0) most = 1;
    uint64_t groups = (windows + most - 1) / most;
    return static_cast<uint32_t>((windows + groups - 1) / groups);
}

uint32_t square_root(uint32_t x) {
    uint32_t root = 0;
    while (uint64_t(root + 1) * (root + 1) <= x) root += 1;
    return root;
}

// Affine additions hold a whole task's sums: then a task has little more than a bucket's mean
// length, which has the mean as its variance.
uint32_t task_terms(uint32_t mean, uint64_t entries, bool affine) {
    uint64_t most = (uint64_t(mean) + 1) * kTaskTermsPerMean;
    if (affine) most = mean + uint64_t(kAffineDeviations) * (square_root(mean) + 1);
    if (most > entries >> kTasksLog2) most = entries >> kTasksLog2;
    return static_cast<uint32_t>(most > kTaskTermsMin ? most : kTaskTermsMin);
}

// Rounds until a bucket of `entries` entries, cut into tasks, is one sum.
uint32_t combine_rounds(uint64_t entries, uint32_t task_terms) {
    uint64_t sums = (entries + task_terms - 1) / task_terms;
    uint32_t rounds = 0;
    while (sums > (uint64_t(1) << (rounds * kCombineFanInLog2))) rounds += 1;
    return rounds;
}

// As many tasks at a time as find room in what sorting needs anyway.
template <class F>
void plan_affine(uint32_t levels, G16MsmPlan* plan) {
    if (levels == 0) return;
    plan->affine_levels = levels;
    plan->affine_tasks = 1;
    Carver one(nullptr), sums(nullptr);
    affine_scratch<F>(*plan, one);
    sums.take<Xyzz<F>>(plan->tasks);
    const uint64_t room = plan->sort_bytes > sums.bytes() ? plan->sort_bytes - sums.bytes() : 0;
    uint64_t tasks = room / (one.bytes() * kParts);
    const uint64_t most = (uint64_t(plan->tasks) + kParts - 1) / kParts;
    if (tasks > most) tasks = most + kAffineTasksMin - 1;
    if (tasks < kAffineTasksMin) tasks = kAffineTasksMin;
    plan->affine_tasks = static_cast<uint32_t>(tasks / kAffineTasksMin * kAffineTasksMin);
}

// The windows and their groups, or false where they are not possible.
bool plan_windows(const G16MsmShape& shape, G16MsmPlan* plan) {
    if (shape.terms == 0 || shape.terms > kIndexMax || shape.chunk > shape.terms) return false;
    const uint32_t log2_terms = log2_ceil(shape.terms);
    plan->terms = shape.terms;
    plan->chunk = shape.chunk == 0 ? shape.terms : shape.chunk;
    plan->multiples = shape.multiples;
    plan->windows = shape.windows;
    if (plan->windows == 0) {
        plan->windows = shape.multiples != 0 ? kWindowsOfMultiplesByLog2Terms[log2_terms]
                                             : kWindowsByLog2Terms[log2_terms];
    }
    if (plan->windows < kWindowsMin || plan->windows > kWindowsMax) return false;
    plan->bucket_bits = window_width(plan->windows, 0) - 1;
    plan->group = shape.group;
    if (shape.multiples != 0 && shape.group == 0) plan->group = plan->windows;
    if (plan->group == 0) plan->group = group_of(plan->chunk, plan->windows, plan->bucket_bits);
    if (plan->group > plan->windows) return false;
    // Windows that share their buckets are sorted together.
    if (shape.multiples != 0 && plan->group < plan->windows) return false;
    return shape.multiples <= 1 && shape.affine_levels <= kAffineLevelsMax;
}

template <class F>
Status make_plan(const G16MsmShape* shape, G16MsmPlan* out) {
    G16MsmPlan plan = {};
    if (shape == nullptr || out == nullptr || !plan_windows(*shape, &plan)) return kInvalidValue;
    const uint32_t levels = shape->affine_levels;
    const uint64_t entries = plan_entries(plan);
    const uint64_t in_buckets = uint64_t(plan.chunk) * (plan.group / plan_sets(plan, plan.group));
    const auto mean = static_cast<uint32_t>(in_buckets >> plan.bucket_bits);
    plan.task_terms = task_terms(mean, entries, levels > 0);
    const uint64_t tasks = plan_buckets(plan) + entries / plan.task_terms;
    plan.combine_rounds = combine_rounds(in_buckets, plan.task_terms);
    if (entries > kIndexMax || tasks > kIndexMax || plan_offsets(plan) > kIndexMax) {
        return kInvalidValue;
    }
    plan.tasks = static_cast<uint32_t>(tasks);

    Carver sorted(nullptr), scratch(nullptr), sums(nullptr);
    sorted_lists(plan, sorted);
    sort_scratch(plan, scratch);
    plan.sorted_bytes = sorted.bytes();
    plan.sort_bytes = scratch.bytes();
    plan_affine<F>(levels, &plan);
    partials<F>(plan, sums);
    plan.partial_bytes = sums.bytes();
    plan.result_bytes = plan_sets(plan, plan.windows) * sizeof(Xyzz<F>);
    *out = plan;
    return 0;
}

}  // namespace

Status plan_g1(const G16MsmShape* shape, G16MsmPlan* plan) { return make_plan<Fp>(shape, plan); }

Status plan_g2(const G16MsmShape* shape, G16MsmPlan* plan) { return make_plan<Fp2>(shape, plan); }

}  // namespace G16_NS::msm
