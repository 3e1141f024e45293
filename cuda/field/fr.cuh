// Fr, the scalar field of BLS12-381: r = z^4 - z^2 + 1 with z = -0xd201000000010000, 255 bits.
#pragma once

#include "field/residue.cuh"

namespace G16_NS {

inline constexpr uint32_t kFrModulus[8] = {
    0x00000001, 0xffffffff, 0xfffe5bfe, 0x53bda402, 0x09a1d805, 0x3339d808, 0x299d7d48, 0x73eda753,
};

inline constexpr MontgomeryConstants<8> kFrConstants = montgomery_constants(kFrModulus);

#ifdef __CUDACC__
// Not const: a multiplier must be an operand in constant memory, not an immediate.
static __constant__ MontgomeryConstants<8> fr_constants = montgomery_constants(kFrModulus);
#endif

struct FrModulus {
    static constexpr int kLimbs = 8;
    static constexpr const MontgomeryConstants<8>& kConstants = kFrConstants;

    static G16_FIELD_INLINE const MontgomeryConstants<8>& constants() {
#ifdef __CUDA_ARCH__
        return fr_constants;
#else
        return kFrConstants;
#endif
    }
};

using Fr = Residue<FrModulus>;
static_assert(sizeof(Fr) == 32 && alignof(Fr) == 16, "layout shared with Rust");

}  // namespace G16_NS
