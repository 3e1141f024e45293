// Passes with rounds of a DIF alone.
#include "ntt/kernels.cuh"

namespace G16_NS::ntt {

simt::Status run_dif(const Pass& p, simt::Stream stream) {
    return run_pass<true, false>(p, stream);
}

simt::Status load_dif() { return simt::load_kernel(pass_kernel<true, false>); }

}  // namespace G16_NS::ntt
