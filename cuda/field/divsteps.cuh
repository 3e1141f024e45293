// Inversion modulo a prime by division steps: Bernstein and Yang, "Fast constant-time gcd
// computation and modular inversion", TCHES 2019 (3), in the variant that starts with delta = 1/2.
//
// A step takes (delta, f, g), f odd, to
//     (1 - delta, g, (g - f) / 2)             if delta > 0 and g is odd,
//     (1 + delta, f, (g + (g mod 2) f) / 2)   else.
// From f = m and g = x < m it reaches g = 0 and f = +-1 after a number of steps that depends on
// m's length alone. The low bits of f and g decide, so steps are taken thirty at a time on single
// words, as a matrix over 2^30, and the matrix is then applied to the long numbers. With d x = f
// and e x = g (mod m) kept alongside, d is the inverse at the end but for f's sign.
//
// Numbers are limbs of 30 bits, the highest signed. A single inversion is a chain of about 15
// thousand instructions for Fp, where Fermat's theorem takes some 570 multiplications.
#pragma once

#include "field/carry.cuh"

namespace G16_NS::divsteps {

constexpr int kStepBits = 30;
constexpr int32_t kLimbMask = (int32_t(1) << kStepBits) - 1;

// The bits of a number in 32-bit limbs.
template <int N>
constexpr int bit_length(const uint32_t (&limbs)[N]) {
    int bits = 32 * N;
    while (bits > 0 && (limbs[(bits - 1) / 32] >> ((bits - 1) % 32) & 1) == 0) bits -= 1;
    return bits;
}

// The bits of P's modulus.
template <class P>
inline constexpr int kModulusBits = bit_length(P::kConstants.modulus);

// Rounds of thirty steps that suffice for a modulus of so many bits: the bound proved for this
// variant (Wuille, "Bounds on divsteps iterations in safegcd", 2021), (45907 b + 26313) / 19929.
constexpr int rounds(int bits) {
    return ((45907 * bits + 26313) / 19929 + kStepBits - 1) / kStepBits;
}

// The matrix of thirty steps: f, g become (u f + v g) / 2^30, (q f + r g) / 2^30.
struct Matrix {
    int32_t u, v, q, r;
};

// Takes thirty steps on the low words. `zeta` is -(delta + 1/2).
G16_FIELD_INLINE Matrix steps(int32_t* zeta, uint32_t f, uint32_t g) {
    uint32_t u = 1, v = 0, q = 0, r = 1;
    int32_t z = *zeta;
    SIMT_ROLLED
    for (int i = 0; i < kStepBits; i++) {
        const uint32_t positive = static_cast<uint32_t>(z >> 31);  // delta > 0
        const uint32_t odd = 0u - (g & 1);
        g += ((f ^ positive) - positive) & odd;
        q += ((u ^ positive) - positive) & odd;
        r += ((v ^ positive) - positive) & odd;
        const uint32_t swap = positive & odd;
        z = (z ^ static_cast<int32_t>(swap)) - 1;
        f += g & swap;
        u += q & swap;
        v += r & swap;
        g >>= 1;
        u <<= 1;
        v <<= 1;
    }
    *zeta = z;
    return {static_cast<int32_t>(u), static_cast<int32_t>(v), static_cast<int32_t>(q),
            static_cast<int32_t>(r)};
}

template <int L>
struct Number {
    int32_t l[L];

    G16_FIELD_INLINE bool is_zero() const {
        int32_t any = 0;
        SIMT_UNROLL
        for (int i = 0; i < L; i++) any |= l[i];
        return any == 0;
    }

    // All ones if it is negative.
    G16_FIELD_INLINE int32_t sign() const { return l[L - 1] >> 31; }
};

// The number of these 32-bit limbs.
template <int L, int N>
G16_FIELD_INLINE Number<L> number(const uint32_t (&limbs)[N]) {
    Number<L> x;
    SIMT_UNROLL
    for (int i = 0; i < L; i++) {
        const int word = kStepBits * i / 32, shift = kStepBits * i % 32;
        uint64_t bits = word < N ? limbs[word] : 0;
        if (word + 1 < N) bits |= uint64_t(limbs[word + 1]) << 32;
        x.l[i] = static_cast<int32_t>(bits >> shift & kLimbMask);
    }
    return x;
}

// f, g by the matrix: exact.
template <int L>
G16_FIELD_INLINE void apply(const Matrix& t, Number<L>* f, Number<L>* g) {
    int64_t a = 0, b = 0;
    SIMT_UNROLL
    for (int i = 0; i < L; i++) {
        const int64_t fi = f->l[i], gi = g->l[i];
        a += t.u * fi + t.v * gi;
        b += t.q * fi + t.r * gi;
        if (i > 0) {
            f->l[i - 1] = static_cast<int32_t>(a) & kLimbMask;
            g->l[i - 1] = static_cast<int32_t>(b) & kLimbMask;
        }
        a >>= kStepBits;
        b >>= kStepBits;
    }
    f->l[L - 1] = static_cast<int32_t>(a);
    g->l[L - 1] = static_cast<int32_t>(b);
}

// d, e by the matrix, modulo m, with multiples of m that make the division exact and keep both
// in (-2m, m). `inverse` is 1 / m modulo 2^30.
template <int L>
G16_FIELD_INLINE void apply_modulo(const Matrix& t, const Number<L>& m, uint32_t inverse,
                                   Number<L>* d, Number<L>* e) {
    const int32_t d_sign = d->sign(), e_sign = e->sign();
    int32_t md = (t.u & d_sign) + (t.v & e_sign);
    int32_t me = (t.q & d_sign) + (t.r & e_sign);
    int64_t a = int64_t(t.u) * d->l[0] + int64_t(t.v) * e->l[0];
    int64_t b = int64_t(t.q) * d->l[0] + int64_t(t.r) * e->l[0];
    md -= static_cast<int32_t>(inverse * static_cast<uint32_t>(a) + static_cast<uint32_t>(md)) &
          kLimbMask;
    me -= static_cast<int32_t>(inverse * static_cast<uint32_t>(b) + static_cast<uint32_t>(me)) &
          kLimbMask;
    a = (a + int64_t(m.l[0]) * md) >> kStepBits;
    b = (b + int64_t(m.l[0]) * me) >> kStepBits;
    SIMT_UNROLL
    for (int i = 1; i < L; i++) {
        const int64_t di = d->l[i], ei = e->l[i];
        a += t.u * di + t.v * ei + int64_t(m.l[i]) * md;
        b += t.q * di + t.r * ei + int64_t(m.l[i]) * me;
        d->l[i - 1] = static_cast<int32_t>(a) & kLimbMask;
        e->l[i - 1] = static_cast<int32_t>(b) & kLimbMask;
        a >>= kStepBits;
        b >>= kStepBits;
    }
    d->l[L - 1] = static_cast<int32_t>(a);
    e->l[L - 1] = static_cast<int32_t>(b);
}

// x = (x ^ flip) - flip + (m & add), limb by limb with carries.
template <int L>
G16_FIELD_INLINE void adjust(Number<L>* x, const Number<L>& m, int32_t flip, int32_t add) {
    int32_t carry = 0;
    SIMT_UNROLL
    for (int i = 0; i < L; i++) {
        carry += (x->l[i] ^ flip) - flip + (m.l[i] & add);
        x->l[i] = i + 1 < L ? carry & kLimbMask : carry;
        carry >>= kStepBits;
    }
}

// r = 1 / x modulo P's m, and zero for zero; x < m.
template <class P>
G16_FIELD_INLINE void invert(const uint32_t (&x)[P::kLimbs], uint32_t (&r)[P::kLimbs]) {
    constexpr int N = P::kLimbs;
    constexpr int L = (32 * N + kStepBits - 1) / kStepBits;  // m, twice, and a sign
    constexpr int kRounds = rounds(kModulusBits<P>);
    static_assert(kStepBits * L >= kModulusBits<P> + 2);
    const uint32_t inverse = 0 - P::constants().inverse;  // 1 / m
    const Number<L> m = number<L>(P::constants().modulus);
    Number<L> f = m, g = number<L>(x), d{}, e{};
    e.l[0] = 1;
    int32_t zeta = -1;
    SIMT_ROLLED
    for (int round = 0; round < kRounds; round++) {
        if (g.is_zero()) break;
        const uint32_t f0 = uint32_t(f.l[0]) | uint32_t(f.l[1]) << kStepBits;
        const uint32_t g0 = uint32_t(g.l[0]) | uint32_t(g.l[1]) << kStepBits;
        const Matrix t = steps(&zeta, f0, g0);
        apply_modulo(t, m, inverse, &d, &e);
        apply(t, &f, &g);
    }
    adjust(&d, m, 0, d.sign());
    adjust(&d, m, f.sign(), 0);
    adjust(&d, m, 0, d.sign());
    SIMT_UNROLL
    for (int i = 0; i < N; i++) {
        const int limb = 32 * i / kStepBits, shift = 32 * i % kStepBits;
        uint64_t bits = uint64_t(uint32_t(d.l[limb]) & uint32_t(kLimbMask)) >> shift;
        if (limb + 1 < L) bits |= uint64_t(uint32_t(d.l[limb + 1])) << (kStepBits - shift);
        if (limb + 2 < L) bits |= uint64_t(uint32_t(d.l[limb + 2])) << (2 * kStepBits - shift);
        r[i] = static_cast<uint32_t>(bits);
    }
}

}  // namespace G16_NS::divsteps
