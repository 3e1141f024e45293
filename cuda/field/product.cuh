// Products before their reduction, so that a sum of them is reduced once.
#pragma once

#include "field/residue.cuh"

namespace G16_NS {

// A sum of products of residues modulo R^2: twice the limbs of its factors.
template <class P>
struct alignas(16) Product {
    using Limbs = typename Residue<P>::Limbs;

    uint32_t l[2 * P::kLimbs];

    // 2 m^2: what a difference of two products needs to be positive.
    static G16_FIELD_INLINE Product twice_square() {
        Product r;
        SIMT_UNROLL
        for (int i = 0; i < 2 * P::kLimbs; i++) r.l[i] = P::constants().twice_square[i];
        return r;
    }

    friend G16_FIELD_INLINE Product operator+(Product a, Product b) {
        Limbs::add_wide(a.l, b.l);
        return a;
    }

    friend G16_FIELD_INLINE Product operator-(Product a, Product b) {
        Limbs::sub_wide(a.l, b.l);
        return a;
    }
};

// a + b as a factor of mul_wide alone: it may be above the modulus.
template <class P>
G16_FIELD_INLINE Residue<P> add_unreduced(Residue<P> a, Residue<P> b) {
    Residue<P> r;
    Residue<P>::Limbs::add_raw(r.l, a.l, b.l);
    return r;
}

// a b, for factors below 2m.
template <class P>
G16_FIELD_INLINE Product<P> mul_wide(Residue<P> a, Residue<P> b) {
    Product<P> r;
    Residue<P>::Limbs::mul_wide(r.l, a.l, b.l);
    return r;
}

// w / R modulo m, for w below 0.9 R m.
template <class P>
G16_FIELD_INLINE Residue<P> reduce(Product<P> w) {
    Residue<P> r;
    Residue<P>::Limbs::reduce_wide(r.l, w.l);
    return r;
}

}  // namespace G16_NS
