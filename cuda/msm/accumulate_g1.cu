// Accumulation in G1. Multiplications are calls: in line they make 62 KiB of code, and fetching it
// is what the kernel then waits for.
#include "curve/g1.cuh"
#include "msm/accumulate.cuh"
#include "msm/launch.cuh"

namespace G16_NS::msm {
namespace {

constexpr AccumulateKernel<Fp> kKernel = accumulate_kernel<Fp, CalledField, kAccumulateBlocksG1>;

}  // namespace

Status accumulate_g1(const G16MsmPlan* plan, uint32_t first_window, const void* sorted,
                     const void* points, const G16IndexMap* map, uint32_t resume, void* partials,
                     Stream stream) {
    const Status status = launch_accumulate<Fp>(kKernel, 1, 0, *plan, first_window, sorted, points,
                                                *map, resume, partials, stream);
    return status != 0 ? status : combine_g1(plan, first_window, sorted, partials, stream);
}

Status load_accumulate_g1() { return simt::load_kernel(kKernel); }

}  // namespace G16_NS::msm
