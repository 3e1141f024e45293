// Numbers modulo a prime in Montgomery form, over any modulus: the base of Fp and Fr.
#pragma once

#include "field/carry.cuh"
#include "field/divsteps.cuh"
#include "field/limbs32.cuh"
#include "field/limbs64.cuh"

namespace G16_NS {

// x R mod m in P::kLimbs little-endian 32-bit limbs; always below m in memory.
//
// `P` names the modulus m: `kLimbs`, `kConstants` (for the host), `constants()` (for both sides).
template <class P>
struct alignas(16) Residue {
    static constexpr int kLimbs = P::kLimbs;

#if defined(__CUDA_ARCH__) || defined(G16_LIMB32)
    using Limbs = Limbs32<P>;
#else
    using Limbs = Limbs64<P>;
#endif

    uint32_t l[kLimbs];

    static G16_FIELD_INLINE Residue from_limbs(const uint32_t* limbs) {
        Residue x;
        SIMT_UNROLL
        for (int i = 0; i < kLimbs; i++) x.l[i] = limbs[i];
        return x;
    }

    static G16_FIELD_INLINE Residue zero() {
        Residue x;
        SIMT_UNROLL
        for (int i = 0; i < kLimbs; i++) x.l[i] = 0;
        return x;
    }

    static G16_FIELD_INLINE Residue one() { return from_limbs(P::constants().one); }

    // Whether a number in canonical limbs is below the modulus.
    static G16_FIELD_INLINE bool is_canonical(const uint32_t* limbs) {
        const uint32_t* m = P::constants().modulus;
        uint32_t below = 0;
        SIMT_UNROLL
        for (int i = 0; i < kLimbs; i++) {
            below = limbs[i] < m[i] || (limbs[i] == m[i] && below) ? 1 : 0;
        }
        return below != 0;
    }

    // The number with these limbs, which must be below the modulus.
    static G16_FIELD_INLINE Residue from_canonical(const uint32_t* limbs) {
        return from_limbs(limbs) * from_limbs(P::constants().r_squared);
    }

    // Writes the number's limbs, below the modulus, without the factor R.
    G16_FIELD_INLINE void to_canonical(uint32_t* limbs) const {
        uint32_t wide[2 * kLimbs];
        SIMT_UNROLL
        for (int i = 0; i < kLimbs; i++) {
            wide[i] = l[i];
            wide[kLimbs + i] = 0;
        }
        Limbs::reduce_wide(limbs, wide);
    }

    G16_FIELD_INLINE bool is_zero() const {
        uint32_t any = 0;
        SIMT_UNROLL
        for (int i = 0; i < kLimbs; i++) any |= l[i];
        return any == 0;
    }

    friend G16_FIELD_INLINE bool operator==(const Residue& a, const Residue& b) {
        uint32_t any = 0;
        SIMT_UNROLL
        for (int i = 0; i < kLimbs; i++) any |= a.l[i] ^ b.l[i];
        return any == 0;
    }

    friend G16_FIELD_INLINE bool operator!=(const Residue& a, const Residue& b) {
        return !(a == b);
    }

    // Operands come by value: their limbs are then read before a carry chain, not within it.
    friend G16_FIELD_INLINE Residue operator+(Residue a, Residue b) {
        Residue r;
        Limbs::add(r.l, a.l, b.l);
        return r;
    }

    friend G16_FIELD_INLINE Residue operator-(Residue a, Residue b) {
        Residue r;
        Limbs::sub(r.l, a.l, b.l);
        return r;
    }

    friend G16_FIELD_INLINE Residue operator-(Residue a) { return zero() - a; }

    friend G16_FIELD_INLINE Residue operator*(Residue a, Residue b) {
        Residue r;
        Limbs::mul(r.l, a.l, b.l);
        return r;
    }
};

template <class P>
G16_FIELD_INLINE Residue<P> sqr(Residue<P> x) {
    Residue<P> r;
    Residue<P>::Limbs::sqr(r.l, x.l);
    return r;
}

template <class P>
G16_FIELD_INLINE Residue<P> dbl(Residue<P> x) {
    return x + x;
}

// a b + c d with one reduction, for moduli with two spare bits.
template <class P>
G16_FIELD_INLINE Residue<P> mul_add_mul(Residue<P> a, Residue<P> b, Residue<P> c, Residue<P> d) {
    Residue<P> r;
    Residue<P>::Limbs::mul_add_mul(r.l, a.l, b.l, c.l, d.l);
    return r;
}

// a b - c d with one reduction, for moduli with two spare bits.
template <class P>
G16_FIELD_INLINE Residue<P> mul_sub_mul(Residue<P> a, Residue<P> b, Residue<P> c, Residue<P> d) {
    return mul_add_mul(a, b, -c, d);
}

// x / 2.
template <class P>
G16_FIELD_INLINE Residue<P> half(const Residue<P>& x) {
    constexpr int n = P::kLimbs;
    const uint32_t* m = P::constants().modulus;
    const uint32_t odd = 0u - (x.l[0] & 1);
    uint32_t t[n];
    uint64_t carry = 0;
    SIMT_UNROLL
    for (int i = 0; i < n; i++) {
        carry += uint64_t(x.l[i]) + (m[i] & odd);
        t[i] = uint32_t(carry);
        carry >>= 32;
    }
    Residue<P> r;
    SIMT_UNROLL
    for (int i = 0; i < n - 1; i++) r.l[i] = t[i] >> 1 | t[i + 1] << 31;
    r.l[n - 1] = t[n - 1] >> 1;
    return r;
}

// --- out of line: for everything but the hottest loops, to keep code and compile time small ------

template <class P>
SIMT_NOINLINE SIMT_HD Residue<P> mul_call(Residue<P> a, Residue<P> b) {
    return a * b;
}

template <class P>
SIMT_NOINLINE SIMT_HD Residue<P> sqr_call(Residue<P> x) {
    return sqr(x);
}

template <class P>
SIMT_NOINLINE SIMT_HD Residue<P> mul_sub_mul_call(Residue<P> a, Residue<P> b, Residue<P> c,
                                                  Residue<P> d) {
    return mul_sub_mul(a, b, c, d);
}

// x^e.
template <class P>
SIMT_NOINLINE SIMT_HD Residue<P> pow(const Residue<P>& x, uint64_t e) {
    Residue<P> r = Residue<P>::one();
    for (int i = 63; i >= 0; i--) {
        r = sqr_call(r);
        if (e >> i & 1) r = mul_call(r, x);
    }
    return r;
}

// 1 / x; zero for zero. A chain of 15 thousand instructions for Fp: not for loops that have to be
// fast, unless as many threads as a GPU has run side by side.
template <class P>
SIMT_NOINLINE SIMT_HD Residue<P> inverse(const Residue<P>& x) {
    Residue<P> r;  // 1 / (x R) of the number x R that the limbs are
    divsteps::invert<P>(x.l, r.l);
    const Residue<P> r_squared = Residue<P>::from_limbs(P::constants().r_squared);
    return mul_call(mul_call(r, r_squared), r_squared);
}

}  // namespace G16_NS
