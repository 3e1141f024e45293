// Passes with rounds of a DIF, and then of a DIT.
#include "ntt/kernels.cuh"

namespace G16_NS::ntt {

simt::Status run_turn(const Pass& p, simt::Stream stream) {
    return run_pass<true, true>(p, stream);
}

simt::Status load_turn() { return simt::load_kernel(pass_kernel<true, true>); }

}  // namespace G16_NS::ntt
