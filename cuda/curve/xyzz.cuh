// Points in XYZZ coordinates: x = X / ZZ, y = Y / ZZZ, with ZZ^3 = ZZZ^2.
//
// The formulas are those of the Explicit-Formulas Database, "Extended Jacobian coordinates for
// short Weierstrass curves", with a = 0: https://hyperelliptic.org/EFD/g1p/auto-shortw-xyzz.html.
// All functions are complete: infinity, P + P and P - P are ordinary cases.
#pragma once

#include "curve/affine.cuh"

namespace G16_NS {

// Infinity has ZZ = 0.
template <class F>
struct alignas(16) Xyzz {
    F x, y, zz, zzz;

    static G16_FIELD_INLINE Xyzz infinity() { return {F::zero(), F::zero(), F::zero(), F::zero()}; }

    static G16_FIELD_INLINE Xyzz from_affine(const Affine<F>& a) {
        if (a.is_infinity()) return infinity();
        return {a.x, a.y, F::one(), F::one()};
    }

    G16_FIELD_INLINE bool is_infinity() const { return zz.is_zero(); }
};

template <class F>
G16_FIELD_INLINE Xyzz<F> neg(const Xyzz<F>& p) {
    return {p.x, -p.y, p.zz, p.zzz};
}

// How a formula reaches the field: in line, for accumulation loops, or through calls.
struct InlineField {
    template <class F>
    static G16_FIELD_INLINE F mul(const F& a, const F& b) {
        return a * b;
    }
    template <class F>
    static G16_FIELD_INLINE F square(const F& a) {
        return sqr(a);
    }
    template <class F>
    static G16_FIELD_INLINE F mul_minus_mul(const F& a, const F& b, const F& c, const F& d) {
        return mul_sub_mul(a, b, c, d);
    }
};

struct CalledField {
    template <class F>
    static G16_FIELD_INLINE F mul(const F& a, const F& b) {
        return mul_call(a, b);
    }
    template <class F>
    static G16_FIELD_INLINE F square(const F& a) {
        return sqr_call(a);
    }
    template <class F>
    static G16_FIELD_INLINE F mul_minus_mul(const F& a, const F& b, const F& c, const F& d) {
        return mul_sub_mul_call(a, b, c, d);
    }
};

// 2a for a != infinity: mdbl-2008-s-1, 4M + 3S (2M of them under one reduction).
template <class Ops, class F>
G16_FIELD_INLINE Xyzz<F> dbl_with(const Affine<F>& a) {
    const F u = dbl(a.y);
    const F v = Ops::square(u);
    const F w = Ops::mul(u, v);
    const F s = Ops::mul(a.x, v);
    const F xx = Ops::square(a.x);
    const F m = dbl(xx) + xx;
    const F x3 = Ops::square(m) - dbl(s);
    const F y3 = Ops::mul_minus_mul(m, s - x3, w, a.y);
    return {x3, y3, v, w};
}

// 2a.
template <class F>
SIMT_NOINLINE SIMT_HD Xyzz<F> dbl(const Affine<F>& a) {
    return a.is_infinity() ? Xyzz<F>::infinity() : dbl_with<CalledField>(a);
}

// 2p: dbl-2008-s-1, 6M + 3S (2M of them under one reduction). Infinity stays infinity: ZZ3 = V ZZ1.
template <class Ops, class F>
G16_FIELD_INLINE Xyzz<F> dbl_with(const Xyzz<F>& p) {
    const F u = dbl(p.y);
    const F v = Ops::square(u);
    const F w = Ops::mul(u, v);
    const F s = Ops::mul(p.x, v);
    const F xx = Ops::square(p.x);
    const F m = dbl(xx) + xx;
    const F x3 = Ops::square(m) - dbl(s);
    const F y3 = Ops::mul_minus_mul(m, s - x3, w, p.y);
    const F zz3 = Ops::mul(v, p.zz);
    const F zzz3 = Ops::mul(w, p.zzz);
    return {x3, y3, zz3, zzz3};
}

// 2p.
template <class F>
SIMT_NOINLINE SIMT_HD Xyzz<F> dbl(const Xyzz<F>& p) {
    return dbl_with<CalledField>(p);
}

// p + a: madd-2008-s, 8M + 2S (2M of them under one reduction).
template <class Ops, class F>
G16_FIELD_INLINE Xyzz<F> add_mixed_with(const Xyzz<F>& p, const Affine<F>& a) {
    if (a.is_infinity()) return p;
    if (p.is_infinity()) return Xyzz<F>::from_affine(a);
    const F u2 = Ops::mul(a.x, p.zz);
    const F s2 = Ops::mul(a.y, p.zzz);
    const F pd = u2 - p.x;
    const F r = s2 - p.y;
    if (pd.is_zero()) return r.is_zero() ? dbl_with<Ops>(a) : Xyzz<F>::infinity();
    const F pp = Ops::square(pd);
    const F ppp = Ops::mul(pd, pp);
    const F q = Ops::mul(p.x, pp);
    const F x3 = Ops::square(r) - ppp - dbl(q);
    const F y3 = Ops::mul_minus_mul(r, q - x3, p.y, ppp);
    const F zz3 = Ops::mul(p.zz, pp);
    const F zzz3 = Ops::mul(p.zzz, ppp);
    return {x3, y3, zz3, zzz3};
}

// p + a with the field in line: for accumulation loops alone.
template <class F>
G16_FIELD_INLINE Xyzz<F> add_mixed_inline(const Xyzz<F>& p, const Affine<F>& a) {
    return add_mixed_with<InlineField>(p, a);
}

// p + a.
template <class F>
SIMT_NOINLINE SIMT_HD Xyzz<F> add_mixed(const Xyzz<F>& p, const Affine<F>& a) {
    return add_mixed_with<CalledField>(p, a);
}

// p + q: add-2008-s, 12M + 2S (2M of them under one reduction).
template <class Ops, class F>
G16_FIELD_INLINE Xyzz<F> add_with(const Xyzz<F>& p, const Xyzz<F>& q) {
    if (q.is_infinity()) return p;
    if (p.is_infinity()) return q;
    const F u1 = Ops::mul(p.x, q.zz);
    const F u2 = Ops::mul(q.x, p.zz);
    const F s1 = Ops::mul(p.y, q.zzz);
    const F s2 = Ops::mul(q.y, p.zzz);
    const F pd = u2 - u1;
    const F r = s2 - s1;
    if (pd.is_zero()) return r.is_zero() ? dbl_with<Ops>(p) : Xyzz<F>::infinity();
    const F pp = Ops::square(pd);
    const F ppp = Ops::mul(pd, pp);
    const F qq = Ops::mul(u1, pp);
    const F x3 = Ops::square(r) - ppp - dbl(qq);
    const F y3 = Ops::mul_minus_mul(r, qq - x3, s1, ppp);
    const F zz3 = Ops::mul(Ops::mul(p.zz, q.zz), pp);
    const F zzz3 = Ops::mul(Ops::mul(p.zzz, q.zzz), ppp);
    return {x3, y3, zz3, zzz3};
}

// p + q.
template <class F>
SIMT_NOINLINE SIMT_HD Xyzz<F> add(const Xyzz<F>& p, const Xyzz<F>& q) {
    return add_with<CalledField>(p, q);
}

// The same point in affine coordinates. One inversion: 1/Z = ZZ / ZZZ, and 1/ZZ = (1/Z)^2.
template <class F>
SIMT_NOINLINE SIMT_HD Affine<F> to_affine(const Xyzz<F>& p) {
    if (p.is_infinity()) return Affine<F>::infinity();
    const F zzz_inverse = inverse(p.zzz);
    const F z_inverse = mul_call(p.zz, zzz_inverse);
    return {mul_call(p.x, sqr_call(z_inverse)), mul_call(p.y, zzz_inverse)};
}

}  // namespace G16_NS
