// Chains in Fp, Fr and Fp2.
#include "field/fp2.cuh"
#include "field/fr.cuh"
#include "probe/chains.cuh"

namespace G16_NS::probe {

namespace {

template <class F, uint32_t CHAINS, uint32_t BLOCKS>
struct Chains {
    using Mul = MulChain<F, CHAINS, BLOCKS>;
    using MulCall = MulCallChain<F, CHAINS, BLOCKS>;
    using Sqr = SqrChain<F, CHAINS, BLOCKS>;

    static G16Status launch(uint32_t operation, const void* a, const void* b, uint32_t steps,
                            void* out, uint32_t n, G16Stream stream) {
        switch (operation) {
            case G16_CHAIN_MUL:
                return launch_chains<Mul>(a, b, steps, out, n, stream);
            case G16_CHAIN_MUL_CALL:
                return launch_chains<MulCall>(a, b, steps, out, n, stream);
            case G16_CHAIN_SQR:
                return launch_chains<Sqr>(a, b, steps, out, n, stream);
            default:
                return kInvalidValue;
        }
    }

    static simt::Status load() {
        simt::Status status = simt::load_kernel(chains_kernel<Mul>);
        if (status == 0) status = simt::load_kernel(chains_kernel<MulCall>);
        if (status == 0) status = simt::load_kernel(chains_kernel<Sqr>);
        return status;
    }
};

using FpChains = Chains<Fp, kFieldChains, kFieldBlocks>;
using FrChains = Chains<Fr, kFieldChains, kFieldBlocks>;
using Fp2Chains = Chains<Fp2, kFp2Chains, kFp2Blocks>;

}  // namespace

G16Status fp_chains(uint32_t operation, const void* a, const void* b, uint32_t steps, void* out,
                    uint32_t n, G16Stream stream) {
    return FpChains::launch(operation, a, b, steps, out, n, stream);
}

G16Status fr_chains(uint32_t operation, const void* a, const void* b, uint32_t steps, void* out,
                    uint32_t n, G16Stream stream) {
    return FrChains::launch(operation, a, b, steps, out, n, stream);
}

G16Status fp2_chains(uint32_t operation, const void* a, const void* b, uint32_t steps, void* out,
                     uint32_t n, G16Stream stream) {
    return Fp2Chains::launch(operation, a, b, steps, out, n, stream);
}

simt::Status load_field_chains() {
    simt::Status status = FpChains::load();
    if (status == 0) status = FrChains::load();
    if (status == 0) status = Fp2Chains::load();
    return status;
}

}  // namespace G16_NS::probe
