// Fp, the base field of BLS12-381:
// p = (z - 1)^2 (z^4 - z^2 + 1) / 3 + z with z = -0xd201000000010000, 381 bits.
#pragma once

#include "field/residue.cuh"

namespace G16_NS {

inline constexpr uint32_t kFpModulus[12] = {
    0xffffaaab, 0xb9feffff, 0xb153ffff, 0x1eabfffe, 0xf6b0f624, 0x6730d2a0,
    0xf38512bf, 0x64774b84, 0x434bacd7, 0x4b1ba7b6, 0x397fe69a, 0x1a0111ea,
};

inline constexpr MontgomeryConstants<12> kFpConstants = montgomery_constants(kFpModulus);

#ifdef __CUDACC__
// Not const: a multiplier must be an operand in constant memory, not an immediate.
static __constant__ MontgomeryConstants<12> fp_constants = montgomery_constants(kFpModulus);
#endif

struct FpModulus {
    static constexpr int kLimbs = 12;
    static constexpr const MontgomeryConstants<12>& kConstants = kFpConstants;

    static G16_FIELD_INLINE const MontgomeryConstants<12>& constants() {
#ifdef __CUDA_ARCH__
        return fp_constants;
#else
        return kFpConstants;
#endif
    }
};

using Fp = Residue<FpModulus>;
static_assert(sizeof(Fp) == 48 && alignof(Fp) == 16, "layout shared with Rust");

// Reads 48 big-endian bytes; false, and `out` unchanged, if their number is not below p.
SIMT_HD inline bool fp_from_big_endian(const uint8_t* bytes, Fp* out) {
    uint32_t limbs[12];
    SIMT_UNROLL
    for (int i = 0; i < 12; i++) {
        const uint8_t* b = bytes + 44 - 4 * i;
        limbs[i] = uint32_t(b[0]) << 24 | uint32_t(b[1]) << 16 | uint32_t(b[2]) << 8 | b[3];
    }
    if (!Fp::is_canonical(limbs)) return false;
    *out = mul_call(Fp::from_limbs(limbs), Fp::from_limbs(FpModulus::constants().r_squared));
    return true;
}

}  // namespace G16_NS
