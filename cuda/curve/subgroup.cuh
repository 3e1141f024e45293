// Whether a point of the curve lies in the subgroup of order r, by the curve's endomorphisms:
// Scott, "A note on group membership tests for G1, G2 and GT on BLS pairing-friendly curves"
// (eprint 2021/1130). With z = -0xd201000000010000, the curve's parameter:
//   G1: phi(P) = [-z^2] P for phi(x, y) = (beta x, y), beta a cube root of one
//   G2: psi(P) = [z] P for psi, the Frobenius map seen through the twist
#pragma once
#include "curve/g1.cuh"
#include "curve/g2.cuh"

namespace G16_NS {

// [-z] p = [0xd201000000010000] p: 63 doublings and 5 additions.
template <class F>
SIMT_NOINLINE SIMT_HD Xyzz<F> mul_by_minus_z(const Xyzz<F>& p) {
    constexpr uint64_t kMinusZ = 0xd201000000010000u;
    Xyzz<F> sum = p;
    for (int bit = 62; bit >= 0; bit--) {
        sum = dbl(sum);
        if (kMinusZ >> bit & 1) sum = add(sum, p);
    }
    return sum;
}

// Whether p is the affine point a, which is not infinity: X = x ZZ and Y = y ZZZ.
template <class F>
SIMT_HD inline bool same_point(const Xyzz<F>& p, const Affine<F>& a) {
    if (p.is_infinity()) return false;
    return p.x == mul_call(a.x, p.zz) && p.y == mul_call(a.y, p.zzz);
}

// phi(x, y) = (beta x, y) with beta = 2^((p - 1) / 3).
SIMT_HD inline Affine<Fp> endomorphism(const Affine<Fp>& a) {
    const uint32_t beta[12] = {
        0x798a64e8, 0x30f1361b, 0x7ece5a2a, 0xf3b8ddab, 0xc61577f7, 0x16a8ca3a,
        0x74fd029b, 0xc26a2ff8, 0x60701c6e, 0x3636b766, 0x241b6160, 0x051ba4ab,
    };
    return {mul_call(a.x, Fp::from_limbs(beta)), a.y};
}

// psi(x, y) = (conjugate(x) (1 + u)^(-(p - 1) / 3), conjugate(y) (1 + u)^(-(p - 1) / 2)).
SIMT_HD inline Affine<Fp2> endomorphism(const Affine<Fp2>& a) {
    const uint32_t x_c1[12] = {
        0x867545c3, 0x890dc9e4, 0x3285a5d5, 0x2af32253, 0x309b7e2c, 0x50880866,
        0x7e881024, 0xa20d1b8c, 0xe2db9068, 0x14e4f04f, 0x1564853a, 0x14e56d3f,
    };
    const uint32_t y_c0[12] = {
        0xa55c9ad1, 0x3e2f585d, 0x86c18183, 0x4294213d, 0x8b623732, 0x382844c8,
        0x19103e18, 0x92ad2afd, 0xac7cf0b9, 0x1d794e4f, 0x7d825ec8, 0x0bd592fc,
    };
    const Fp2 x_factor = {Fp::zero(), Fp::from_limbs(x_c1)};
    const Fp y_part = Fp::from_limbs(y_c0);
    const Fp2 y_factor = {y_part, -y_part};
    const Fp2 x_conjugate = {a.x.c0, -a.x.c1};
    const Fp2 y_conjugate = {a.y.c0, -a.y.c1};
    return {mul_call(x_conjugate, x_factor), mul_call(y_conjugate, y_factor)};
}

// Whether a point of the curve has order r or 1. About 1,200 multiplications.
SIMT_HD inline bool is_in_subgroup(const Affine<Fp>& a) {
    if (a.is_infinity()) return true;
    const Xyzz<Fp> square = mul_by_minus_z(mul_by_minus_z(Xyzz<Fp>::from_affine(a)));
    return same_point(square, neg(endomorphism(a)));
}

// As for G1. About 600 multiplications in Fp2.
SIMT_HD inline bool is_in_subgroup(const Affine<Fp2>& a) {
    if (a.is_infinity()) return true;
    return same_point(mul_by_minus_z(Xyzz<Fp2>::from_affine(a)), neg(endomorphism(a)));
}

}  // namespace G16_NS
