// Fp2 = Fp[u] / (u^2 + 1).
#pragma once

#include "field/fp.cuh"
#include "field/product.cuh"

namespace G16_NS {

struct alignas(16) Fp2 {
    Fp c0, c1;  // c0 + c1 u

    static G16_FIELD_INLINE Fp2 zero() { return {Fp::zero(), Fp::zero()}; }
    static G16_FIELD_INLINE Fp2 one() { return {Fp::one(), Fp::zero()}; }

    G16_FIELD_INLINE bool is_zero() const { return c0.is_zero() && c1.is_zero(); }

    friend G16_FIELD_INLINE bool operator==(const Fp2& a, const Fp2& b) {
        return a.c0 == b.c0 && a.c1 == b.c1;
    }
    friend G16_FIELD_INLINE bool operator!=(const Fp2& a, const Fp2& b) { return !(a == b); }

    friend G16_FIELD_INLINE Fp2 operator+(const Fp2& a, const Fp2& b) {
        return {a.c0 + b.c0, a.c1 + b.c1};
    }
    friend G16_FIELD_INLINE Fp2 operator-(const Fp2& a, const Fp2& b) {
        return {a.c0 - b.c0, a.c1 - b.c1};
    }
    friend G16_FIELD_INLINE Fp2 operator-(const Fp2& a) { return {-a.c0, -a.c1}; }

    friend G16_FIELD_INLINE Fp2 operator*(const Fp2& a, const Fp2& b);
};

static_assert(sizeof(Fp2) == 96 && alignof(Fp2) == 16, "layout shared with Rust");

// A product before its reduction: c1 is in [0, 2 p^2), c0 in (-p^2, p^2), modulo R^2.
struct Fp2Product {
    Product<FpModulus> c0, c1;
};

// Karatsuba: three products in Fp, c1 = (a0 + a1) (b0 + b1) - a0 b0 - a1 b1.
G16_FIELD_INLINE Fp2Product mul_wide(const Fp2& a, const Fp2& b) {
    const Product<FpModulus> all = mul_wide(add_unreduced(a.c0, a.c1), add_unreduced(b.c0, b.c1));
    const Product<FpModulus> low = mul_wide(a.c0, b.c0);
    const Product<FpModulus> mixed = all - low;
    const Product<FpModulus> high = mul_wide(a.c1, b.c1);
    return {low - high, mixed - high};
}

// Three products and two reductions.
G16_FIELD_INLINE Fp2 operator*(const Fp2& a, const Fp2& b) {
    const Fp2Product w = mul_wide(a, b);
    return {reduce(w.c0 + Product<FpModulus>::twice_square()), reduce(w.c1)};
}

// (c0 + c1 u)^2 = (c0 + c1) (c0 - c1) + 2 c0 c1 u.
G16_FIELD_INLINE Fp2 sqr(const Fp2& x) { return {(x.c0 + x.c1) * (x.c0 - x.c1), dbl(x.c0) * x.c1}; }

G16_FIELD_INLINE Fp2 dbl(const Fp2& x) { return {dbl(x.c0), dbl(x.c1)}; }

G16_FIELD_INLINE Fp2 half(const Fp2& x) { return {half(x.c0), half(x.c1)}; }

SIMT_NOINLINE SIMT_HD inline Fp2 mul_call(Fp2 a, Fp2 b) { return a * b; }

SIMT_NOINLINE SIMT_HD inline Fp2 sqr_call(Fp2 x) { return sqr(x); }

// a b + c d.
G16_FIELD_INLINE Fp2 mul_add_mul(const Fp2& a, const Fp2& b, const Fp2& c, const Fp2& d) {
    return a * b + c * d;
}

// a b - c d with one reduction for each component: both differences are above -2 p^2.
G16_FIELD_INLINE Fp2 mul_sub_mul(const Fp2& a, const Fp2& b, const Fp2& c, const Fp2& d) {
    const Fp2Product x = mul_wide(a, b), y = mul_wide(c, d);
    const Product<FpModulus> positive = Product<FpModulus>::twice_square();
    return {reduce(x.c0 - y.c0 + positive), reduce(x.c1 - y.c1 + positive)};
}

SIMT_NOINLINE SIMT_HD inline Fp2 mul_sub_mul_call(Fp2 a, Fp2 b, Fp2 c, Fp2 d) {
    return mul_sub_mul(a, b, c, d);
}

// 1 / x = (c0 - c1 u) / (c0^2 + c1^2); zero for zero.
SIMT_NOINLINE SIMT_HD inline Fp2 inverse(const Fp2& x) {
    const Fp norm = sqr_call(x.c0) + sqr_call(x.c1);
    const Fp scale = inverse(norm);
    return {mul_call(x.c0, scale), -mul_call(x.c1, scale)};
}

}  // namespace G16_NS
