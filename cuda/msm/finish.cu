// The doublings between windows and the last sums, on the host: a dependent chain that one CPU core
// runs faster than a GPU thread.
#include "curve/encode.cuh"
#include "curve/g1.cuh"
#include "curve/g2.cuh"
#include "msm/launch.cuh"
#include "msm/plan.cuh"

namespace G16_NS::msm {
namespace {

// Horner's rule over the windows from the top: 255 doublings. Multiples are doubled already.
template <class F>
Status finish(const G16MsmPlan& plan, const void* result, uint8_t* encoding) {
    const auto* windows = static_cast<const Xyzz<F>*>(result);
    Xyzz<F> sum = Xyzz<F>::infinity();
    if (plan.multiples != 0) {
        encode_uncompressed(windows[0], encoding);
        return 0;
    }
    for (uint32_t window = plan.windows; window-- > 0;) {
        for (uint32_t i = 0; i < window_width(plan.windows, window); i++) sum = dbl(sum);
        sum = add(sum, windows[window]);
    }
    encode_uncompressed(sum, encoding);
    return 0;
}

}  // namespace

Status finish_g1(const G16MsmPlan* plan, const void* result, uint8_t* encoding) {
    return finish<Fp>(*plan, result, encoding);
}

Status finish_g2(const G16MsmPlan* plan, const void* result, uint8_t* encoding) {
    return finish<Fp2>(*plan, result, encoding);
}

}  // namespace G16_NS::msm
