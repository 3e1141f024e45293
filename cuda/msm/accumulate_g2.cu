// Accumulation in G2, field multiplications by call: in line they take nvcc a quarter of an hour.
#include "curve/g2.cuh"
#include "msm/accumulate.cuh"
#include "msm/launch.cuh"

namespace G16_NS::msm {

Status accumulate_g2(const G16MsmPlan* plan, uint32_t first_window, const void* sorted,
                     const void* points, const G16IndexMap* map, uint32_t resume, void* partials,
                     Stream stream) {
    return launch_accumulate<Fp2, CalledField, kAccumulateBlocksG2>(
        *plan, first_window, sorted, points, *map, resume, partials, stream);
}

Status load_accumulate_g2() {
    return simt::load_kernel(accumulate_kernel<Fp2, CalledField, kAccumulateBlocksG2>);
}

}  // namespace G16_NS::msm
