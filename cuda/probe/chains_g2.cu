// Chains of additions in G2, one thread a point. In line they do not fit the instruction cache.
#include "curve/g2.cuh"
#include "probe/chains.cuh"

namespace G16_NS::probe {

namespace {

using Called = AddMixedChain<G2, CalledField, kG2Blocks>;

}  // namespace

G16Status g2_chains(uint32_t operation, const void* a, const void* b, uint32_t steps, void* out,
                    uint32_t n, G16Stream stream) {
    if (operation != G16_CHAIN_ADD_MIXED) return kInvalidValue;
    return launch_chains<Called>(a, b, steps, out, n, stream);
}

simt::Status load_g2_chains() { return simt::load_kernel(chains_kernel<Called>); }

}  // namespace G16_NS::probe
