// Combining and bucket reduction in G2.
#include "curve/g2.cuh"
#include "msm/launch.cuh"
#include "msm/reduce.cuh"

namespace G16_NS::msm {

Status combine_g2(const G16MsmPlan* plan, uint32_t first_window, const void* sorted, void* partials,
                  Stream stream) {
    return launch_combine<Fp2>(*plan, first_window, sorted, partials, stream);
}

Status reduce_g2(const G16MsmPlan* plan, uint32_t first_window, void* partials, void* result,
                 Stream stream) {
    return launch_reduce<Fp2, CalledAddition>(*plan, first_window, partials, result, stream);
}

Status load_reduce_g2() { return load_reduce<Fp2, CalledAddition>(); }

}  // namespace G16_NS::msm
