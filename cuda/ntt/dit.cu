// Passes with rounds of a DIT alone.
#include "ntt/kernels.cuh"

namespace G16_NS::ntt {

simt::Status run_dit(const Pass& p, simt::Stream stream) {
    return run_pass<false, true>(p, stream);
}

simt::Status load_dit() { return simt::load_kernel(pass_kernel<false, true>); }

}  // namespace G16_NS::ntt
