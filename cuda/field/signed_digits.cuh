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

// a − b modulo 2^256, and whether it borrowed.
__device__ __forceinline__ bool subtract(ScalarBits* out, const uint32_t* a, const uint32_t* b) {
    uint64_t borrow = 0;
    SIMT_UNROLL
    for (int i = 0; i < 8; i++) {
        uint64_t difference = uint64_t(a[i]) - b[i] - borrow;
        out->l[i] = static_cast<uint32_t>(difference);
        borrow = difference >> 63;
    }
    return borrow != 0;
}

__device__ __forceinline__ void add_to(ScalarBits* a, const uint32_t* b) {
    uint64_t carry = 0;
    SIMT_UNROLL
    for (int i = 0; i < 8; i++) {
        carry += uint64_t(a->l[i]) + b[i];
        a->l[i] = static_cast<uint32_t>(carry);
        carry >>= 32;
    }
}

// Replaces a canonical scalar by its opposite where that is smaller; whether it did.
__device__ __forceinline__ bool to_lower_half(ScalarBits* value) {
    // (r + 1)/2: scalars from this on are negated.
    const ScalarBits half_order = {{0x80000001u, 0x7fffffffu, 0x7fff2dffu, 0xa9ded201u, 0x04d0ec02u,
                                    0x199cec04u, 0x94cebea4u, 0x39f6d3a9u}};
    ScalarBits difference;
    if (subtract(&difference, value->l, half_order.l)) return false;
    const ScalarBits positive = *value;
    subtract(value, FrModulus::constants().modulus, positive.l);
    return true;
}

}  // namespace G16_NS
