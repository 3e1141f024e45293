// Accumulation in G1, the field in line.
#include "curve/g1.cuh"
#include "msm/accumulate.cuh"
#include "msm/launch.cuh"

namespace G16_NS::msm {

Status accumulate_g1(const G16MsmPlan* plan, uint32_t first_window, const void* sorted,
                     const void* points, const G16IndexMap* map, uint32_t resume, void* partials,
                     Stream stream) {
    return launch_accumulate<Fp, InlineField, kAccumulateBlocksG1>(
        *plan, first_window, sorted, points, *map, resume, partials, stream);
}

Status load_accumulate_g1() {
    return simt::load_kernel(accumulate_kernel<Fp, InlineField, kAccumulateBlocksG1>);
}

}  // namespace G16_NS::msm
