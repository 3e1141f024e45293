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

// Rounds until a bucket of all of a chunk's terms, cut into tasks, is one sum.
uint32_t combine_rounds(uint32_t chunk, uint32_t task_terms) {
    uint64_t sums = (uint64_t(chunk) + task_terms - 1) / task_terms;
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

template <class F>
Status make_plan(uint32_t terms, uint32_t windows, uint32_t group, uint32_t chunk, uint32_t levels,
                 G16MsmPlan* out) {
    if (out == nullptr || terms == 0 || terms > kIndexMax) return kInvalidValue;
    if (chunk == 0) chunk = terms;
    if (chunk > terms) return kInvalidValue;
    if (windows == 0) windows = kWindowsByLog2Terms[log2_ceil(terms)];
    if (windows < kWindowsMin || windows > kWindowsMax) return kInvalidValue;
    const uint32_t bucket_bits = window_width(windows, 0) - 1;
    if (group == 0) group = group_of(chunk, windows, bucket_bits);
    if (group > windows || levels > kAffineLevelsMax) return kInvalidValue;

    G16MsmPlan plan = {};
    plan.terms = terms;
    plan.windows = windows;
    plan.group = group;
    plan.chunk = chunk;
    plan.bucket_bits = bucket_bits;
    const uint64_t entries = plan_entries(plan);
    plan.task_terms = task_terms(chunk >> plan.bucket_bits, entries, levels > 0);
    const uint64_t tasks = plan_buckets(plan) + entries / plan.task_terms;
    plan.combine_rounds = combine_rounds(chunk, plan.task_terms);
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
    plan.result_bytes = windows * sizeof(Xyzz<F>);
    *out = plan;
    return 0;
}

}  // namespace

Status plan_g1(uint32_t terms, uint32_t windows, uint32_t group, uint32_t chunk, uint32_t levels,
               G16MsmPlan* plan) {
    return make_plan<Fp>(terms, windows, group, chunk, levels, plan);
}

Status plan_g2(uint32_t terms, uint32_t windows, uint32_t group, uint32_t chunk, uint32_t levels,
               G16MsmPlan* plan) {
    return make_plan<Fp2>(terms, windows, group, chunk, levels, plan);
}

}  // namespace G16_NS::msm
