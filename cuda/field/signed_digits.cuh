// Signed digits of scalars.
//
// A scalar s is replaced by −s where that is smaller, so s ≤ (r − 1)/2 < 0.906 · 2^254. kScalarBits
// bits are cut into windows of two widths that differ by one, the wider ones lowest. With
// K = Σ 2^(start + width − 1) over the windows, the bits of s + K in a window less 2^(width − 1)
// are its signed digit, in [−2^(width − 1), 2^(width − 1)): no carry runs between windows. The top
// window never overflows while all widths are at least 4 (7/15 · 2^255 > 0.906 · 2^254).
#pragma once
#include "field/fr.cuh"

namespace G16_NS {

constexpr uint32_t kScalarBits = 255;
// Widths 4 and 5.
constexpr uint32_t kScalarWindowsMax = 63;

SIMT_HD inline uint32_t window_width(uint32_t windows, uint32_t window) {
    return kScalarBits / windows + (window < kScalarBits % windows ? 1 : 0);
}

SIMT_HD inline uint32_t window_start(uint32_t windows, uint32_t window) {
    uint32_t wide = kScalarBits % windows;
    return window * (kScalarBits / windows) + (window < wide ? window : wide);
}

// A number below 2^256.
struct ScalarBits {
    uint32_t l[8];
};

// K for this number of windows.
inline ScalarBits digit_offset(uint32_t windows) {
    ScalarBits offset = {};
    for (uint32_t w = 0; w < windows; w++) {
        const uint32_t bit = window_start(windows, w) + window_width(windows, w) - 1;
        offset.l[bit / 32] |= uint32_t(1) << (bit % 32);
    }
    return offset;
}

__device__ __forceinline__ void add_to(ScalarBits* a, const uint32_t* b) {
    Fr::Limbs::add_raw(a->l, a->l, b);
}

// Replaces a canonical scalar by its opposite where that is smaller; whether it did.
__device__ __forceinline__ bool to_lower_half(ScalarBits* value) {
    const Fr opposite = -Fr::from_limbs(value->l);
    const bool smaller = Fr::Limbs::less(opposite.l, value->l);
    SIMT_UNROLL
    for (int i = 0; i < 8; i++) value->l[i] = smaller ? opposite.l[i] : value->l[i];
    return smaller;
}

// value / 2^bits for bits below 32.
__device__ __forceinline__ void shift_right(ScalarBits* value, uint32_t bits) {
    SIMT_UNROLL
    for (int i = 0; i < 8; i++) {
        value->l[i] = __funnelshift_r(value->l[i], i < 7 ? value->l[(i + 1) % 8] : 0, bits);
    }
}

// value / 2^(32 · limbs). Limbs are selected, not indexed, so that they stay in registers.
__device__ __forceinline__ void shift_right_limbs(ScalarBits* value, uint32_t limbs) {
    SIMT_UNROLL
    for (int step = 4; step > 0; step /= 2) {
        const bool moves = (limbs & step) != 0;
        SIMT_UNROLL
        for (int i = 0; i < 8; i++) {
            const uint32_t higher = i + step < 8 ? value->l[(i + step) % 8] : 0;
            value->l[i] = moves ? higher : value->l[i];
        }
    }
}

}  // namespace G16_NS
