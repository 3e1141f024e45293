// Chains of additions in G1.
#include "curve/g1.cuh"
#include "probe/chains.cuh"

namespace G16_NS::probe {

namespace {

using Called = AddMixedChain<G1, CalledField, kG1Blocks>;
using Inline = AddMixedChain<G1, InlineField, kG1Blocks>;

}  // namespace

G16Status g1_chains(uint32_t operation, const void* a, const void* b, uint32_t steps, void* out,
                    uint32_t n, G16Stream stream) {
    switch (operation) {
        case G16_CHAIN_ADD_MIXED:
            return launch_chains<Called>(a, b, steps, out, n, stream);
        case G16_CHAIN_ADD_MIXED_INLINE:
            return launch_chains<Inline>(a, b, steps, out, n, stream);
        default:
            return kInvalidValue;
    }
}

simt::Status load_g1_chains() {
    simt::Status status = simt::load_kernel(chains_kernel<Called>);
    if (status == 0) status = simt::load_kernel(chains_kernel<Inline>);
    return status;
}

}  // namespace G16_NS::probe
