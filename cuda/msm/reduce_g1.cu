// Combining and bucket reduction in G1.
#include "curve/g1.cuh"
#include "msm/launch.cuh"
#include "msm/reduce.cuh"

namespace G16_NS::msm {

Status combine_g1(const G16MsmPlan* plan, uint32_t first_window, const void* sorted, void* partials,
                  Stream stream) {
    return launch_combine<Fp>(*plan, first_window, sorted, partials, stream);
}

Status reduce_g1(const G16MsmPlan* plan, uint32_t first_window, void* partials, void* result,
                 Stream stream) {
    return launch_reduce<Fp, InlineAddition>(*plan, first_window, partials, result, stream);
}

Status load_reduce_g1() { return load_reduce<Fp, InlineAddition>(); }

}  // namespace G16_NS::msm
