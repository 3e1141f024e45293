// What Montgomery arithmetic needs to know of a modulus, all derived from it at compile time.
#pragma once

#include "simt/simt.cuh"

namespace G16_NS {

// Constants of a modulus m of N 32-bit limbs, little-endian; R = 2^(32 N).
template <int N>
struct alignas(16) MontgomeryConstants {
    uint32_t modulus[N];           // m
    uint32_t one[N];               // R mod m: the number 1 in Montgomery form
    uint32_t r_squared[N];         // R^2 mod m: takes a canonical number to Montgomery form
    uint32_t digit[N];             // (k m + 1) / 2^32 where k m = -1 (mod 2^32)
    uint32_t twice[N];             // 2m, for m < R / 2
    uint32_t upper[N];             // floor(m / 2^64) + 1
    uint32_t bias[N];              // (2^32 - 1) (1 - R) mod m, see Limbs32::mul_special
    uint32_t bias64[N];            // (2^32 - 1) (1 - 2^64) mod m, see Limbs32::mul_split
    uint32_t bias128[N];           // (2^32 - 1) (1 - 2^128) mod m, see Limbs32::mul_halves
    uint32_t twice_square[2 * N];  // 2 m^2
    uint32_t inverse;              // k = -1/m mod 2^32
    uint64_t inverse64;            // -1/m mod 2^64
};

namespace constants {

// Whether a >= b.
template <int N>
constexpr bool at_least(const uint32_t (&a)[N], const uint32_t (&b)[N]) {
    for (int i = N - 1; i >= 0; i--) {
        if (a[i] != b[i]) return a[i] > b[i];
    }
    return true;
}

// x = 2x mod m, for x < m < R / 2.
template <int N>
constexpr void double_mod(uint32_t (&x)[N], const uint32_t (&m)[N]) {
    for (int i = N - 1; i > 0; i--) x[i] = x[i] << 1 | x[i - 1] >> 31;
    x[0] <<= 1;
    if (!at_least(x, m)) return;
    uint64_t borrow = 0;
    for (int i = 0; i < N; i++) {
        uint64_t d = uint64_t(x[i]) - m[i] - borrow;
        x[i] = uint32_t(d);
        borrow = d >> 63;
    }
}

// x = x - y mod m, for x, y < m.
template <int N>
constexpr void sub_mod(uint32_t (&x)[N], const uint32_t (&y)[N], const uint32_t (&m)[N]) {
    const bool wraps = !at_least(x, y);
    uint64_t carry = 0, borrow = 0;
    for (int i = 0; i < N; i++) {
        carry += uint64_t(x[i]) + (wraps ? m[i] : 0);
        uint64_t d = (carry & 0xffffffff) - y[i] - borrow;
        x[i] = uint32_t(d);
        borrow = d >> 63;
        carry >>= 32;
    }
}

// x = (2^32 - 1) (1 - x) mod m, for x < m.
template <int N>
constexpr void bias_mod(uint32_t (&x)[N], const uint32_t (&m)[N]) {
    uint32_t once[N] = {1}, all[N] = {};
    sub_mod(once, x, m);
    for (int i = 0; i < N; i++) all[i] = once[i];
    for (int i = 0; i < 32; i++) double_mod(all, m);
    sub_mod(all, once, m);
    for (int i = 0; i < N; i++) x[i] = all[i];
}

}  // namespace constants

// All constants of the odd modulus m, which must be below R / 2.
template <int N>
constexpr MontgomeryConstants<N> montgomery_constants(const uint32_t (&m)[N]) {
    MontgomeryConstants<N> c{};
    uint32_t x[N] = {1};
    for (int i = 0; i < 64 * N; i++) {
        constants::double_mod(x, m);
        if (i == 32 * N - 1) {
            for (int j = 0; j < N; j++) c.one[j] = c.bias[j] = x[j];
        }
        if (i == 127) {
            for (int j = 0; j < N; j++) c.bias128[j] = x[j];
        }
        if (i == 63) {
            for (int j = 0; j < N; j++) c.bias64[j] = x[j];
        }
    }
    constants::bias_mod(c.bias, m);
    constants::bias_mod(c.bias64, m);
    constants::bias_mod(c.bias128, m);
    // Newton: each step doubles the correct low bits of 1/m; m is its own inverse mod 8.
    uint64_t low = m[0] | uint64_t(m[1]) << 32;
    uint64_t inverse = low;
    for (int i = 0; i < 5; i++) inverse *= 2 - low * inverse;
    c.inverse64 = 0 - inverse;
    c.inverse = uint32_t(c.inverse64);
    uint64_t carry = 1;
    for (int i = 0; i < N; i++) {
        c.modulus[i] = m[i];
        c.r_squared[i] = x[i];
        c.twice[i] = m[i] << 1 | (i > 0 ? m[i - 1] >> 31 : 0);
        carry += uint64_t(c.inverse) * m[i];
        if (i > 0) c.digit[i - 1] = uint32_t(carry);
        carry >>= 32;
    }
    c.digit[N - 1] = uint32_t(carry);
    for (int i = 0; i < N; i++) {
        carry = 0;
        for (int j = 0; j < N; j++) {
            carry += uint64_t(m[i]) * m[j] + c.twice_square[i + j];
            c.twice_square[i + j] = uint32_t(carry);
            carry >>= 32;
        }
        c.twice_square[i + N] = uint32_t(carry);
    }
    for (int i = 2 * N - 1; i >= 0; i--) {
        c.twice_square[i] = c.twice_square[i] << 1 | (i > 0 ? c.twice_square[i - 1] >> 31 : 0);
    }
    carry = 1;
    for (int i = 2; i < N; i++) {
        carry += m[i];
        c.upper[i - 2] = uint32_t(carry);
        carry >>= 32;
    }
    return c;
}

}  // namespace G16_NS
