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
                     const void* points, const G16IndexMap* map, uint32_t resume, uint32_t part,
                     void* partials, Stream stream) {
    return kG1.launch(*plan, first_window, sorted, points, *map, resume, part, partials, stream);
}

Status load_accumulate_g1() { return kG1.load(); }

}  // namespace G16_NS::msm
