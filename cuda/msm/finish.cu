// The last sums and the doublings between windows, on the host: a dependent chain that one CPU core
// runs faster than a GPU thread.
#include "curve/encode.cuh"
#include "curve/g1.cuh"
#include "curve/g2.cuh"
#include "msm/launch.cuh"
#include "msm/plan.cuh"
#include "msm/reduce.cuh"

namespace G16_NS::msm {
namespace {

// Horner's rule over the windows from the top: 255 doublings.
template <class F>
Status finish(const G16MsmPlan& plan, const void* result, uint8_t* encoding) {
    const auto* pairs = static_cast<const Pair<Xyzz<F>>*>(result);
    Xyzz<F> sum = Xyzz<F>::infinity();
    for (uint32_t window = plan.windows; window-- > 0;) {
        for (uint32_t i = 0; i < window_width(plan.windows, window); i++) sum = dbl(sum);
        const Pair<Xyzz<F>>* tail = pairs + (uint64_t(window) << plan.tail_bits);
        const uint32_t stride_log2 = plan.bucket_bits - plan.tail_bits;
        sum = add(sum, reduce_segment(tail, 1u << plan.tail_bits, stride_log2).sum);
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
