// Accumulation in G1. Multiplications of mixed additions are calls: in line they make 62 KiB of
// code, and fetching it is what the kernel then waits for.
#include "curve/g1.cuh"
#include "msm/accumulate_launch.cuh"
#include "msm/launch.cuh"

namespace G16_NS::msm {
namespace {

constexpr Accumulation<Fp> kG1 = {
    {accumulate_kernel<Fp, EntryWalk, kAccumulateBlocksG1>, 1, 0},
    {accumulate_kernel<Fp, LeftWalk, kAccumulateBlocksG1>, 1, 0},
    AffineKernels<Fp>::with_blocks<kAffineProductBlocksG1, kAffineSumBlocksG1>(),
};

}  // namespace

Status accumulate_g1(const G16MsmPlan* plan, uint32_t first_window, const void* sorted,
                     const void* points, const G16IndexMap* map, uint32_t resume, void* partials,
                     Stream stream) {
    const Status status =
        kG1.launch(*plan, first_window, sorted, points, *map, resume, partials, stream);
    return status != 0 ? status : combine_g1(plan, first_window, sorted, partials, stream);
}

Status load_accumulate_g1() { return kG1.load(); }

}  // namespace G16_NS::msm
