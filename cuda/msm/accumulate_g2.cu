// Accumulation in G2, a pair of lanes a task.
#include "curve/g2.cuh"
#include "msm/accumulate_launch.cuh"
#include "msm/accumulate_pair.cuh"
#include "msm/launch.cuh"

namespace G16_NS::msm {
namespace {

constexpr Accumulation<Fp2> kG2 = {
    {accumulate_pair_kernel<EntryWalk, kAccumulateBlocksG2>, 2, kPairSharedBytes},
    {accumulate_pair_kernel<LeftWalk, kAccumulateBlocksG2>, 2, kPairSharedBytes},
    AffineKernels<Fp2>::with_blocks<kAffineProductBlocksG2, kAffineSumBlocksG2>(),
};

}  // namespace

Status accumulate_g2(const G16MsmPlan* plan, uint32_t first_window, const void* sorted,
                     const void* points, const G16IndexMap* map, uint32_t resume, uint32_t part,
                     void* partials, Stream stream) {
    return kG2.launch(*plan, first_window, sorted, points, *map, resume, part, partials, stream);
}

Status load_accumulate_g2() { return kG2.load(); }

}  // namespace G16_NS::msm
