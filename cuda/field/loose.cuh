// Arithmetic on numbers that are not reduced: for long sums of products, as transforms are.
//
// Of a number in a Residue's limbs three kinds are told apart: *reduced*, below m; *tight*, below
// 2m; *loose*, any. 2m must fit the limbs. A sum or a difference takes one operand of any kind and
// a tight one, and costs two thirds of a reduced one; a product takes a loose operand and is tight.
#pragma once

#include "field/residue.cuh"

namespace G16_NS {

// a + b, loose, for a loose and b tight.
template <class P>
G16_FIELD_INLINE Residue<P> add_loose(Residue<P> a, Residue<P> b) {
    Residue<P> r;
    Residue<P>::Limbs::add_loose(r.l, a.l, b.l);
    return r;
}

// a - b, loose, for a loose and b tight.
template <class P>
G16_FIELD_INLINE Residue<P> sub_loose(Residue<P> a, Residue<P> b) {
    Residue<P> r;
    Residue<P>::Limbs::sub_loose(r.l, a.l, b.l);
    return r;
}

// a + b, tight, for a and b tight.
template <class P>
G16_FIELD_INLINE Residue<P> add_tight(Residue<P> a, Residue<P> b) {
    Residue<P> r;
    Residue<P>::Limbs::add_tight(r.l, a.l, b.l);
    return r;
}

// a b, tight, for a reduced and b loose. Where b is not tight, a must be 2^33 below m: no table of
// roots of unity holds another, but for a chance of 2^-180.
template <class P>
G16_FIELD_INLINE Residue<P> mul_tight(Residue<P> a, Residue<P> b) {
    Residue<P> r;
    Residue<P>::Limbs::mul_tight(r.l, a.l, b.l);
    return r;
}

// The upper of c: the number 2^(16 kLimbs) c mod m, where c itself is 2^(32 kLimbs) c mod m.
template <class P>
G16_FIELD_INLINE Residue<P> upper_of(Residue<P> c) {
    Residue<P> half_radix = Residue<P>::zero();
    half_radix.l[P::kLimbs / 2] = 1;
    return c * half_radix;
}

// x c, tight, for x loose and c's upper: each of the two is multiplied by a half of x's limbs, so
// that half as many have to be cancelled.
template <class P>
G16_FIELD_INLINE Residue<P> mul_tight(Residue<P> upper, Residue<P> c, Residue<P> x) {
    Residue<P> r;
    Residue<P>::Limbs::mul_halves(r.l, upper.l, c.l, x.l);
    return r;
}

// x, tight, for x loose.
template <class P>
G16_FIELD_INLINE Residue<P> tightened(Residue<P> x) {
    Residue<P> r;
    Residue<P>::Limbs::tighten(r.l, x.l);
    return r;
}

// A factor that many products share, as the multiples 2^(32 j + 64) of it: a product then takes the
// other operand's limbs one by one to multiples of the same size, and has two limbs to cancel
// instead of eight.
template <class P>
struct SplitFactor {
    uint32_t multiples[P::kLimbs][P::kLimbs];
};

// x c, tight, for c split and x loose.
template <class P>
G16_FIELD_INLINE Residue<P> mul_tight(const SplitFactor<P>& c, Residue<P> x) {
    Residue<P> r;
    Residue<P>::Limbs::mul_split(r.l, c.multiples, x.l);
    return r;
}

template <class P>
SIMT_HD inline SplitFactor<P> split_factor(const Residue<P>& c) {
    Residue<P> multiple = Residue<P>::zero(), step = Residue<P>::one();
    for (int i = 0; i < 32; i++) step = dbl(step);
    multiple.l[2] = 1;
    multiple = multiple * c;
    SplitFactor<P> s;
    for (int j = 0; j < P::kLimbs; j++) {
        for (int i = 0; i < P::kLimbs; i++) s.multiples[j][i] = multiple.l[i];
        multiple = multiple * step;
    }
    return s;
}

// x, reduced, for x tight.
template <class P>
G16_FIELD_INLINE Residue<P> reduced_tight(Residue<P> x) {
    Residue<P> r;
    Residue<P>::Limbs::reduce_once(r.l, x.l);
    return r;
}

// x, reduced, for x loose, which is below 3m.
template <class P>
G16_FIELD_INLINE Residue<P> reduced_loose(Residue<P> x) {
    return reduced_tight(reduced_tight(x));
}

}  // namespace G16_NS
