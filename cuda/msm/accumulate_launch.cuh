// The launcher of accumulation, for either curve: by mixed additions alone, or by levels of affine
// additions and then mixed ones.
#pragma once
#include "msm/affine.cuh"

namespace G16_NS::msm {

// The kernels of a curve.
template <class F>
struct Accumulation {
    AccumulateLaunch<F> lists;  // of the lists' points
    AccumulateLaunch<F> left;   // of what affine additions have left
    AffineKernels<F> affine;

    Status load() const {
        if (const Status status = simt::load_kernel(lists.kernel)) return status;
        if (const Status status = simt::load_kernel(left.kernel)) return status;
        return affine.load();
    }

    Status launch(const G16MsmPlan& plan, uint32_t first_window, const void* sorted,
                  const void* points, const G16IndexMap& map, uint32_t resume, uint32_t part,
                  void* scratch, Stream stream) const;

  private:
    Status launch_affine(const G16MsmPlan& plan, const AccumulateArguments& all,
                         const Affine<F>* points, const Partials<F>& memory, uint32_t part,
                         Stream stream) const;
};

template <class F>
Status Accumulation<F>::launch(const G16MsmPlan& plan, uint32_t first_window, const void* sorted,
                               const void* points, const G16IndexMap& map, uint32_t resume,
                               uint32_t part, void* scratch, Stream stream) const {
    Group group;
    if (part >= kParts || !group_at(plan, first_window, &group)) return kInvalidValue;
    Carver sorted_carver(const_cast<void*>(sorted)), scratch_carver(scratch);
    AccumulateArguments arguments = {};
    arguments.lists = sorted_lists(plan, sorted_carver);
    arguments.map = map;
    arguments.tasks = plan.tasks;
    arguments.task_terms = plan.task_terms;
    arguments.buckets = group.buckets;
    arguments.variable_bits = variable_bits(plan);
    arguments.multiple = map.points;
    arguments.resumed = resume != 0 ? group.buckets : 0;
    const Partials<F> memory = partials<F>(plan, scratch_carver);
    const auto* from = static_cast<const Affine<F>*>(points);
    // A density leaves terms without points, which mixed additions pass over faster.
    if (plan.affine_levels == 0 || map.bitmap != nullptr) {
        return part == 0 ? lists(arguments, from, memory.sums, stream) : 0;
    }
    return launch_affine(plan, arguments, from, memory, part, stream);
}

// Plan: passes of plan.affine_tasks tasks, in their order; each part has every other pass, and one
// pass's scratch. While one part inverts, which fills no device, the other one adds.
template <class F>
Status Accumulation<F>::launch_affine(const G16MsmPlan& plan, const AccumulateArguments& all,
                                      const Affine<F>* points, const Partials<F>& memory,
                                      uint32_t part, Stream stream) const {
    const AffineScratch<F>& scratch = memory.affine[part];
    AffineArguments pass = {};
    static_cast<AccumulateArguments&>(pass) = all;
    pass.left_terms = left_of(plan.task_terms, plan.affine_levels);
    pass.sums = reinterpret_cast<uint4*>(scratch.sums);
    pass.prefixes = reinterpret_cast<uint4*>(scratch.prefixes);
    pass.products = reinterpret_cast<Fp*>(scratch.products);
    pass.inverses = reinterpret_cast<Fp*>(scratch.inverses);
    pass.left = scratch.left;
    const uint64_t step = uint64_t(plan.affine_tasks) * kParts;
    for (uint64_t at = uint64_t(plan.affine_tasks) * part; at < plan.tasks; at += step) {
        pass.first = static_cast<uint32_t>(at);
        const uint32_t rest = plan.tasks - pass.first;
        pass.tasks = rest < plan.affine_tasks ? rest : plan.affine_tasks;
        for (pass.level = 0; pass.level < plan.affine_levels; pass.level++) {
            pass.last = pass.level + 1 == plan.affine_levels ? 1 : 0;
            const Status status = affine.launch_level(pass, points, stream);
            if (status != 0) return status;
        }
        const Status status = left(pass, scratch.left, memory.sums, stream);
        if (status != 0) return status;
    }
    return 0;
}

}  // namespace G16_NS::msm
