// Affine points of y^2 = x^3 + b.
#pragma once

#include "field/fp2.cuh"

namespace G16_NS {

// (x, y); infinity is (0, 0), which is on neither curve.
template <class F>
struct alignas(16) Affine {
    F x, y;

    static G16_FIELD_INLINE Affine infinity() { return {F::zero(), F::zero()}; }

    G16_FIELD_INLINE bool is_infinity() const { return x.is_zero() && y.is_zero(); }

    friend G16_FIELD_INLINE bool operator==(const Affine& a, const Affine& b) {
        return a.x == b.x && a.y == b.y;
    }
    friend G16_FIELD_INLINE bool operator!=(const Affine& a, const Affine& b) { return !(a == b); }
};

template <class F>
G16_FIELD_INLINE Affine<F> neg(const Affine<F>& a) {
    return {a.x, -a.y};
}

// Whether a is infinity or y^2 = x^3 + b.
template <class F>
SIMT_HD inline bool is_on_curve(const Affine<F>& a, const F& b) {
    if (a.is_infinity()) return true;
    return sqr_call(a.y) == mul_call(sqr_call(a.x), a.x) + b;
}

}  // namespace G16_NS
