// Montgomery arithmetic on 32-bit limbs, for the GPU; the host runs it too where G16_LIMB32 is set.
//
// A running total T of N + 1 limbs is kept as two rows of N limbs, T = even + 2^32 odd. The
// products of a row x y_i by x's even limbs line up with `even`, those by its odd limbs with `odd`,
// so that each row is one unbroken carry chain of (lo, hi) pairs, which ptxas fuses to wide
// multiply-adds. Dividing T by 2^32 makes `odd` the even row and vice versa: the functions then
// swap their arguments.
//
// Montgomery's digit is T's low word itself, without a multiplication, if one cancels with k m = -1
// (mod 2^32) in place of m: T + T_0 k m = 2^32 (T / 2^32 + T_0 (k m + 1) / 2^32), where the last
// factor again has N limbs. The last two digits are cancelled with m, which brings the result below
// (T_in / R) + m + m / 2^32. This needs room for three products in T. A modulus without two spare
// bits must have the low limbs 1 and 2^32 - 1 instead (mul_special).
//
// `P` names a modulus: `kLimbs`, `kConstants`, `constants()`. Operands and results are below it.
#pragma once

#include "field/carry.cuh"

#if defined(__CUDA_ARCH__) || defined(G16_LIMB32)

namespace G16_NS {

template <class P>
struct Limbs32 {
    static constexpr int N = P::kLimbs;
    static_assert(N % 2 == 0 && N >= 4, "rows are pairs of limbs");
    // With two spare bits T has room for three products at once: a digit's, and those of two rows.
    static constexpr bool kSpareBits = P::kConstants.modulus[N - 1] < (1u << 30);
    static_assert(kSpareBits || (P::kConstants.modulus[0] == 1 && P::kConstants.modulus[1] == ~0u),
                  "an algorithm for every modulus");

    // m and 2m. In additions, unlike in products, immediate operands cost nothing.
    struct Number {
        uint32_t l[N];
    };
    static constexpr Number number(const uint32_t (&limbs)[N]) {
        Number x{};
        for (int j = 0; j < N; j++) x.l[j] = limbs[j];
        return x;
    }
    static constexpr Number make_modulus() { return number(P::kConstants.modulus); }
    static constexpr Number make_twice() { return number(P::kConstants.twice); }

    // acc[j], acc[j + 1] = x[j] y, for even j.
    static G16_FIELD_INLINE void mul_row(uint32_t* acc, const uint32_t* x, uint32_t y) {
        SIMT_UNROLL
        for (int j = 0; j < N; j += 2) {
            acc[j] = carry::mul_lo(x[j], y);
            acc[j + 1] = carry::mul_hi(x[j], y);
        }
    }

    // acc += x[j] y, for even j; leaves the carry.
    static G16_FIELD_INLINE void mad_row_cc(uint32_t* acc, const uint32_t* x, uint32_t y) {
        acc[0] = carry::mad_lo_cc(x[0], y, acc[0]);
        acc[1] = carry::madc_hi_cc(x[0], y, acc[1]);
        SIMT_UNROLL
        for (int j = 2; j < N; j += 2) {
            acc[j] = carry::madc_lo_cc(x[j], y, acc[j]);
            acc[j + 1] = carry::madc_hi_cc(x[j], y, acc[j + 1]);
        }
    }

    // acc = acc / 2^64 + x[j] y + carry, for even j.
    static G16_FIELD_INLINE void madc_shifted_row(uint32_t* acc, const uint32_t* x, uint32_t y) {
        SIMT_UNROLL
        for (int j = 0; j < N - 2; j += 2) {
            acc[j] = carry::madc_lo_cc(x[j], y, acc[j + 2]);
            acc[j + 1] = carry::madc_hi_cc(x[j], y, acc[j + 3]);
        }
        acc[N - 2] = carry::madc_lo_cc(x[N - 2], y, 0);
        acc[N - 1] = carry::madc_hi(x[N - 2], y, 0);
    }

    // T = x y.
    static G16_FIELD_INLINE void start(uint32_t* even, uint32_t* odd, const uint32_t* x,
                                       uint32_t y) {
        mul_row(even, x, y);
        mul_row(odd, x + 1, y);
    }

    // T += x y.
    static G16_FIELD_INLINE void add_row(uint32_t* even, uint32_t* odd, const uint32_t* x,
                                         uint32_t y) {
        mad_row_cc(odd, x + 1, y);
        mad_row_cc(even, x, y);
        odd[N - 1] = carry::addc(odd[N - 1], 0);
    }

    // T = floor(T / 2^32) + x y; swaps the rows. The last carry needs sums of two products near
    // their bound: without it one result in very many is wrong, too few for a test to meet.
    static G16_FIELD_INLINE void shift_add_row(uint32_t* even, uint32_t* odd, const uint32_t* x,
                                               uint32_t y) {
        odd[0] = carry::add_cc(odd[0], even[1]);
        madc_shifted_row(even, x + 1, y);
        mad_row_cc(odd, x, y);
        even[N - 1] = carry::addc(even[N - 1], 0);
    }

    // T = (T + q k m) / 2^32 with the digit q = T's low word; swaps the rows.
    static G16_FIELD_INLINE void cancel_low_word(uint32_t* even, uint32_t* odd) {
        shift_add_row(even, odd, P::constants().digit, even[0]);
    }

    // T += q m, which makes its low word zero.
    static G16_FIELD_INLINE void cancel_with_modulus(uint32_t* even, uint32_t* odd) {
        add_row(even, odd, P::constants().modulus, carry::mul_lo(even[0], P::constants().inverse));
    }

    // --- a modulus m = 1 - 2^32 + 2^64 M: digits of 64 bits, N - 2 multiplies for each 32
    // ---------
    //
    // A total T is two rows without a swap: T = even + 2^32 odd. The digit q = T / m mod 2^64 is
    // (T_0, T_0 + T_1), and with c2 the carry of that sum
    //   (T - q m) / 2^64 = floor(T / 2^64) + c2 + q_1 - q M.
    // To add products only, take the complement q' = 2^64 - 1 - q: -q M = q' M + M - 2^64 M. The
    // term M is left out and -2^64 M too; what that adds to the final result, a constant, is
    // cancelled by a bias in T's first row.

    // The lower half: adds floor((T mod 2^64) / 2^64) + c2 + q_1 + q'_0 M's even limbs, 2^64 apart,
    // to the row `even` of N limbs and its carry even[N]; leaves q'.
    static G16_FIELD_INLINE void cancel_lower(uint32_t* even, const uint32_t* odd,
                                              uint32_t (&q)[2]) {
        const uint32_t* m = P::constants().upper;
        q[0] = ~even[0];
        const uint32_t digit = carry::add_cc(even[1] + odd[0], even[0]);
        q[1] = ~digit;
        const uint32_t third = carry::addc_cc(odd[1], digit);
        const uint32_t fourth = carry::addc(0, 0);
        const uint32_t low = carry::mad_lo_cc(q[0], m[0], third);
        const uint32_t high = carry::madc_hi(q[0], m[0], fourth);
        carry::add_cc(even[1], odd[0]);
        even[2] = carry::addc_cc(even[2], low);
        even[3] = carry::addc_cc(even[3], high);
        SIMT_UNROLL
        for (int j = 2; j < N - 2; j += 2) {
            even[j + 2] = carry::madc_lo_cc(q[0], m[j], even[j + 2]);
            even[j + 3] = carry::madc_hi_cc(q[0], m[j], even[j + 3]);
        }
        even[N] = carry::addc(even[N], 0);
    }

    // The upper half: the other products of q' and M, and the division by 2^64.
    static G16_FIELD_INLINE void cancel_upper(uint32_t* even, uint32_t* odd,
                                              const uint32_t (&q)[2]) {
        const uint32_t* m = P::constants().upper;
        mad_upper_cc(odd + 2, m + 1, q[0]);
        odd[N] = carry::addc(odd[N], 0);
        mad_upper_cc(odd + 2, m, q[1]);
        odd[N] = carry::addc(odd[N], 0);
        mad_upper_cc(even + 4, m + 1, q[1]);
        SIMT_UNROLL
        for (int j = 0; j < N; j++) even[j] = even[j + 2];
        SIMT_UNROLL
        for (int j = 0; j < N - 1; j++) odd[j] = odd[j + 2];
    }

    // acc += m[j] q, for even j < N - 2; leaves the carry.
    static G16_FIELD_INLINE void mad_upper_cc(uint32_t* acc, const uint32_t* m, uint32_t q) {
        acc[0] = carry::mad_lo_cc(m[0], q, acc[0]);
        acc[1] = carry::madc_hi_cc(m[0], q, acc[1]);
        SIMT_UNROLL
        for (int j = 2; j < N - 2; j += 2) {
            acc[j] = carry::madc_lo_cc(m[j], q, acc[j]);
            acc[j + 1] = carry::madc_hi_cc(m[j], q, acc[j + 1]);
        }
    }

    // acc += x[j] y, for even j, where acc's last limb is new and the one below a few carries.
    static G16_FIELD_INLINE void mad_fresh_row(uint32_t* acc, const uint32_t* x, uint32_t y) {
        acc[0] = carry::mad_lo_cc(x[0], y, acc[0]);
        acc[1] = carry::madc_hi_cc(x[0], y, acc[1]);
        SIMT_UNROLL
        for (int j = 2; j < N - 2; j += 2) {
            acc[j] = carry::madc_lo_cc(x[j], y, acc[j]);
            acc[j + 1] = carry::madc_hi_cc(x[j], y, acc[j + 1]);
        }
        acc[N - 2] = carry::madc_lo_cc(x[N - 2], y, acc[N - 2]);
        acc[N - 1] = carry::madc_hi(x[N - 2], y, 0);
    }

    // r = T, which fits N limbs.
    static G16_FIELD_INLINE void sum_rows(uint32_t* r, const uint32_t* even, const uint32_t* odd) {
        r[0] = even[0];
        r[1] = carry::add_cc(even[1], odd[0]);
        SIMT_UNROLL
        for (int j = 2; j < N - 1; j++) r[j] = carry::addc_cc(even[j], odd[j - 1]);
        r[N - 1] = carry::addc(even[N - 1], odd[N - 2]);
    }

    // r = a b / R + (at most m), for a < m - 2^33 and any b: below a b / R + m + 2^32, so below 2m.
    static G16_FIELD_INLINE void mul_special(uint32_t* r, const uint32_t* a, const uint32_t* b) {
        uint32_t even[N + 2], odd[N + 1], q[2];
        SIMT_UNROLL
        for (int j = 0; j < N; j++) even[j] = P::constants().bias[j];
        SIMT_UNROLL
        for (int i = 0; i < N; i += 2) {
            if (i == 0) {
                mul_row(odd, a + 1, b[0]);
            } else {
                mad_fresh_row(odd, a + 1, b[i]);
            }
            mad_row_cc(even, a, b[i]);
            even[N] = carry::addc(0, 0);
            mad_row_cc(odd, a, b[i + 1]);
            odd[N] = carry::addc(0, 0);
            cancel_lower(even, odd, q);
            mad_fresh_row(even + 2, a + 1, b[i + 1]);
            cancel_upper(even, odd, q);
        }
        sum_rows(r, even, odd);
    }

    // r = (b mod 2^h) upper + floor(b / 2^h) a, over 2^h, h = 16 N: where upper = 2^h c and
    // a = R c mod m, this is b c. Below 2m, for any b and a + upper < 2m - 2^33. T reaches one limb
    // more.
    static G16_FIELD_INLINE void mul_halves(uint32_t* r, const uint32_t* upper, const uint32_t* a,
                                            const uint32_t* b) {
        constexpr int H = N / 2;
        uint32_t even[N + 3], odd[N + 1], q[2], t[N];
        SIMT_UNROLL
        for (int j = 0; j < N; j++) even[j] = P::constants().bias128[j];
        even[N] = 0;
        SIMT_UNROLL
        for (int i = 0; i < H; i += 2) {
            if (i == 0) {
                mul_row(odd, upper + 1, b[0]);
            } else {
                mad_fresh_row(odd, upper + 1, b[i]);
            }
            mad_row_cc(odd, a + 1, b[H + i]);
            odd[N] = carry::addc(0, 0);
            mad_row_cc(even, upper, b[i]);
            even[N] = carry::addc(even[N], 0);
            mad_row_cc(even, a, b[H + i]);
            even[N] = carry::addc(even[N], 0);
            mad_row_cc(odd, upper, b[i + 1]);
            odd[N] = carry::addc(odd[N], 0);
            mad_row_cc(odd, a, b[H + i + 1]);
            odd[N] = carry::addc(odd[N], 0);
            cancel_lower(even, odd, q);
            mad_fresh_row(even + 2, upper + 1, b[i + 1]);
            mad_row_cc(even + 2, a + 1, b[H + i + 1]);
            even[N + 2] = carry::addc(0, 0);
            cancel_upper(even, odd, q);
            even[N] = carry::addc(even[N + 2], 0);
        }
        t[0] = even[0];
        t[1] = carry::add_cc(even[1], odd[0]);
        SIMT_UNROLL
        for (int j = 2; j < N; j++) t[j] = carry::addc_cc(even[j], odd[j - 1]);
        const uint32_t top = carry::addc(even[N], 0);
        constexpr Number m = make_modulus();
        carry::sub_if(t, m.l, top | t[N - 1] >> 31);
        SIMT_UNROLL
        for (int j = 0; j < N; j++) r[j] = t[j];
    }

    // r = sum of b[j] table[j] / 2^64 + (at most m), where table[j] = 2^(32 j + 64) c mod m, so
    // that r = b c; any b. Below m + 2^-27 m.
    static G16_FIELD_INLINE void mul_split(uint32_t* r, const uint32_t (*table)[N],
                                           const uint32_t* b) {
        uint32_t even[N + 2], odd[N + 1], q[2];
        SIMT_UNROLL
        for (int j = 0; j < N; j++) even[j] = P::constants().bias64[j];
        even[N] = odd[N] = 0;
        SIMT_UNROLL
        for (int i = 0; i < N; i++) {
            mad_row_cc(even, table[i], b[i]);
            even[N] = carry::addc(even[N], 0);
            if (i == 0) {
                mul_row(odd, table[i] + 1, b[i]);
            } else {
                mad_row_cc(odd, table[i] + 1, b[i]);
                odd[N] = carry::addc(odd[N], 0);
            }
        }
        cancel_lower(even, odd, q);
        even[N + 1] = 0;
        cancel_upper(even, odd, q);
        sum_rows(r, even, odd);
    }

    // r = floor(T / 2^32), which fits N limbs.
    static G16_FIELD_INLINE void merge(uint32_t* r, const uint32_t* even, const uint32_t* odd) {
        r[0] = carry::add_cc(odd[0], even[1]);
        SIMT_UNROLL
        for (int j = 1; j < N - 1; j++) r[j] = carry::addc_cc(odd[j], even[j + 1]);
        r[N - 1] = carry::addc(odd[N - 1], 0);
    }

    // r = x, or x - m where that is not negative; for x < 2m.
    static G16_FIELD_INLINE void reduce_once(uint32_t* r, const uint32_t* x) {
        const uint32_t* m = P::constants().modulus;
        uint32_t d[N];
        d[0] = carry::sub_cc(x[0], m[0]);
        SIMT_UNROLL
        for (int j = 1; j < N; j++) d[j] = carry::subc_cc(x[j], m[j]);
        const uint32_t borrow = carry::subc(0, 0);
        SIMT_UNROLL
        for (int j = 0; j < N; j++) r[j] = borrow ? x[j] : d[j];
    }

    // r = a + b, without reduction.
    static G16_FIELD_INLINE void add_raw(uint32_t* r, const uint32_t* a, const uint32_t* b) {
        r[0] = carry::add_cc(a[0], b[0]);
        SIMT_UNROLL
        for (int j = 1; j < N - 1; j++) r[j] = carry::addc_cc(a[j], b[j]);
        r[N - 1] = carry::addc(a[N - 1], b[N - 1]);
    }

    // Whether a < b.
    static G16_FIELD_INLINE bool less(const uint32_t* a, const uint32_t* b) {
        uint32_t d = carry::sub_cc(a[0], b[0]);
        SIMT_UNROLL
        for (int j = 1; j < N; j++) d = carry::subc_cc(a[j], b[j]);
        (void)d;
        return carry::subc(0, 0) != 0;
    }

    // r = a + b; leaves the carry.
    static G16_FIELD_INLINE void add_raw_cc(uint32_t* r, const uint32_t* a, const uint32_t* b) {
        r[0] = carry::add_cc(a[0], b[0]);
        SIMT_UNROLL
        for (int j = 1; j < N; j++) r[j] = carry::addc_cc(a[j], b[j]);
    }

    // r = a + b mod m of N limbs, for any a and b <= 2m.
    static G16_FIELD_INLINE void add_loose(uint32_t* r, const uint32_t* a, const uint32_t* b) {
        uint32_t t[N];
        add_raw_cc(t, a, b);
        constexpr Number twice = make_twice();
        carry::sub_if(t, twice.l, carry::addc(0, 0));
        SIMT_UNROLL
        for (int j = 0; j < N; j++) r[j] = t[j];
    }

    // r = a - b mod m of N limbs, for any a and b <= 2m.
    static G16_FIELD_INLINE void sub_loose(uint32_t* r, const uint32_t* a, const uint32_t* b) {
        uint32_t t[N];
        t[0] = carry::sub_cc(a[0], b[0]);
        SIMT_UNROLL
        for (int j = 1; j < N; j++) t[j] = carry::subc_cc(a[j], b[j]);
        constexpr Number twice = make_twice();
        carry::add_if(t, twice.l, carry::subc(0, 0));
        SIMT_UNROLL
        for (int j = 0; j < N; j++) r[j] = t[j];
    }

    // r = x mod m below 2m, for any x.
    static G16_FIELD_INLINE void tighten(uint32_t* r, const uint32_t* x) {
        constexpr Number twice = make_twice();
        const uint32_t* m = twice.l;
        uint32_t d[N];
        d[0] = carry::sub_cc(x[0], m[0]);
        SIMT_UNROLL
        for (int j = 1; j < N; j++) d[j] = carry::subc_cc(x[j], m[j]);
        const uint32_t negative = carry::subc(0, 0);
        SIMT_UNROLL
        for (int j = 0; j < N; j++) r[j] = negative ? x[j] : d[j];
    }

    // r = a + b mod m below 2m, for a, b < 2m.
    static G16_FIELD_INLINE void add_tight(uint32_t* r, const uint32_t* a, const uint32_t* b) {
        constexpr Number twice = make_twice();
        const uint32_t* m = twice.l;
        uint32_t s[N], d[N];
        add_raw_cc(s, a, b);
        const uint32_t carry = carry::addc(0, 0);
        d[0] = carry::sub_cc(s[0], m[0]);
        SIMT_UNROLL
        for (int j = 1; j < N; j++) d[j] = carry::subc_cc(s[j], m[j]);
        const uint32_t negative = carry::subc(carry, 0);
        SIMT_UNROLL
        for (int j = 0; j < N; j++) r[j] = negative ? s[j] : d[j];
    }

    static G16_FIELD_INLINE void add(uint32_t* r, const uint32_t* a, const uint32_t* b) {
        uint32_t t[N];
        add_raw(t, a, b);
        reduce_once(r, t);
    }

    static G16_FIELD_INLINE void sub(uint32_t* r, const uint32_t* a, const uint32_t* b) {
        const uint32_t* m = P::constants().modulus;
        uint32_t d[N], back[N];
        d[0] = carry::sub_cc(a[0], b[0]);
        SIMT_UNROLL
        for (int j = 1; j < N; j++) d[j] = carry::subc_cc(a[j], b[j]);
        const uint32_t borrow = carry::subc(0, 0);
        SIMT_UNROLL
        for (int j = 0; j < N; j++) back[j] = m[j] & borrow;
        add_raw(r, d, back);
    }

    // r = a b / R. N^2 multiplies for the rows; N^2 + 2 for the digits, or N (N - 2).
    static G16_FIELD_INLINE void mul(uint32_t* r, const uint32_t* a, const uint32_t* b) {
        if constexpr (kSpareBits) {
            mul_with_low_word(r, a, b);
        } else {
            uint32_t t[N];
            mul_special(t, a, b);
            reduce_once(r, t);
        }
    }

    static G16_FIELD_INLINE void mul_with_low_word(uint32_t* r, const uint32_t* a,
                                                   const uint32_t* b) {
        uint32_t even[N], odd[N], t[N];
        start(even, odd, a, b[0]);
        SIMT_UNROLL
        for (int i = 1; i < N - 2; i += 2) {
            cancel_low_word(even, odd);
            add_row(odd, even, a, b[i]);
            cancel_low_word(odd, even);
            add_row(even, odd, a, b[i + 1]);
        }
        cancel_with_modulus(even, odd);
        shift_add_row(even, odd, a, b[N - 1]);
        cancel_with_modulus(odd, even);
        merge(t, odd, even);
        reduce_once(r, t);
    }

    // r = a b / R below 2m, for a < m - 2^33 and any b.
    static G16_FIELD_INLINE void mul_tight(uint32_t* r, const uint32_t* a, const uint32_t* b) {
        static_assert(!kSpareBits, "an algorithm for every modulus");
        mul_special(r, a, b);
    }

    // r = (a b + c d) / R with one reduction. T stays below 2^32 (2m + (k m + 1) / 2^32) + m, which
    // must fit N + 1 limbs, and the result below m + 2m m / R.
    static G16_FIELD_INLINE void mul_add_mul(uint32_t* r, const uint32_t* a, const uint32_t* b,
                                             const uint32_t* c, const uint32_t* d) {
        static_assert(kSpareBits, "T must hold three products");
        uint32_t even[N], odd[N], t[N];
        start(even, odd, a, b[0]);
        add_row(even, odd, c, d[0]);
        SIMT_UNROLL
        for (int i = 1; i < N - 2; i += 2) {
            cancel_low_word(even, odd);
            add_row(odd, even, a, b[i]);
            add_row(odd, even, c, d[i]);
            cancel_low_word(odd, even);
            add_row(even, odd, a, b[i + 1]);
            add_row(even, odd, c, d[i + 1]);
        }
        cancel_with_modulus(even, odd);
        shift_add_row(even, odd, a, b[N - 1]);
        add_row(odd, even, c, d[N - 1]);
        cancel_with_modulus(odd, even);
        merge(t, odd, even);
        reduce_once(r, t);
    }

    // w += a[i] a[j] 2^(32 (i + j)) over all j = first, first + 2, ... < N.
    static G16_FIELD_INLINE void add_square_row(uint32_t* w, const uint32_t* a, int i, int first) {
        if (first >= N) return;
        w[i + first] = carry::mad_lo_cc(a[first], a[i], w[i + first]);
        w[i + first + 1] = carry::madc_hi_cc(a[first], a[i], w[i + first + 1]);
        int end = i + first + 2;
        SIMT_UNROLL
        for (int j = first + 2; j < N; j += 2) {
            w[i + j] = carry::madc_lo_cc(a[j], a[i], w[i + j]);
            w[i + j + 1] = carry::madc_hi_cc(a[j], a[i], w[i + j + 1]);
            end = i + j + 2;
        }
        w[end] = carry::addc(w[end], 0);
    }

    // w = a^2 of 2N limbs: N (N - 1) / 2 products twice, and N squares.
    static G16_FIELD_INLINE void sqr_wide(uint32_t* w, const uint32_t* a) {
        uint32_t odd[2 * N];
        SIMT_UNROLL
        for (int j = 0; j < 2 * N; j++) w[j] = odd[j] = 0;
        SIMT_UNROLL
        for (int i = 0; i < N - 1; i++) {
            add_square_row(odd, a, i, i + 1);
            add_square_row(w, a, i, i + 2);
        }
        // Twice the mixed products is below 2^(32 (2N - 1)), for a is below R / 2.
        w[1] = carry::add_cc(w[1], odd[1]);
        SIMT_UNROLL
        for (int j = 2; j < 2 * N - 2; j++) w[j] = carry::addc_cc(w[j], odd[j]);
        w[2 * N - 2] = carry::addc(w[2 * N - 2], odd[2 * N - 2]);
        w[1] = carry::add_cc(w[1], w[1]);
        SIMT_UNROLL
        for (int j = 2; j < 2 * N - 2; j++) w[j] = carry::addc_cc(w[j], w[j]);
        w[2 * N - 2] = carry::addc(w[2 * N - 2], w[2 * N - 2]);
        w[0] = carry::mad_lo_cc(a[0], a[0], 0);
        w[1] = carry::madc_hi_cc(a[0], a[0], w[1]);
        SIMT_UNROLL
        for (int j = 1; j < N; j++) {
            w[2 * j] = carry::madc_lo_cc(a[j], a[j], w[2 * j]);
            w[2 * j + 1] = carry::madc_hi_cc(a[j], a[j], w[2 * j + 1]);
        }
    }

    // w = a b of 2N limbs, for any a and b of N limbs. Products at even and at odd places have rows
    // of their own; a row's carry goes where the next row of its parity ends.
    static G16_FIELD_INLINE void mul_wide(uint32_t* w, const uint32_t* a, const uint32_t* b) {
        uint32_t odd[2 * N];
        mul_row(w, a, b[0]);
        mul_row(odd, a + 1, b[0]);
        w[N] = 0;
        SIMT_UNROLL
        for (int i = 1; i < N; i++) {
            uint32_t* full = (i % 2 == 0 ? w : odd) + i / 2 * 2;
            uint32_t* next = (i % 2 == 0 ? odd : w) + (i + 1) / 2 * 2;
            mad_row_cc(full, a, b[i]);
            full[N] = carry::addc(0, 0);
            next[0] = carry::mad_lo_cc(a[1], b[i], next[0]);
            next[1] = carry::madc_hi_cc(a[1], b[i], next[1]);
            SIMT_UNROLL
            for (int j = 2; j < N - 2; j += 2) {
                next[j] = carry::madc_lo_cc(a[j + 1], b[i], next[j]);
                next[j + 1] = carry::madc_hi_cc(a[j + 1], b[i], next[j + 1]);
            }
            next[N - 2] = carry::madc_lo_cc(a[N - 1], b[i], next[N - 2]);
            next[N - 1] = carry::madc_hi(a[N - 1], b[i], 0);
        }
        w[1] = carry::add_cc(w[1], odd[0]);
        SIMT_UNROLL
        for (int j = 2; j < 2 * N - 1; j++) w[j] = carry::addc_cc(w[j], odd[j - 1]);
        w[2 * N - 1] = carry::addc(w[2 * N - 1], odd[2 * N - 2]);
    }

    // w += x, for 2N limbs.
    static G16_FIELD_INLINE void add_wide(uint32_t* w, const uint32_t* x) {
        w[0] = carry::add_cc(w[0], x[0]);
        SIMT_UNROLL
        for (int j = 1; j < 2 * N - 1; j++) w[j] = carry::addc_cc(w[j], x[j]);
        w[2 * N - 1] = carry::addc(w[2 * N - 1], x[2 * N - 1]);
    }

    // w -= x modulo R^2.
    static G16_FIELD_INLINE void sub_wide(uint32_t* w, const uint32_t* x) {
        w[0] = carry::sub_cc(w[0], x[0]);
        SIMT_UNROLL
        for (int j = 1; j < 2 * N - 1; j++) w[j] = carry::subc_cc(w[j], x[j]);
        w[2 * N - 1] = carry::subc(w[2 * N - 1], x[2 * N - 1]);
    }

    // r = (w mod R) / R + (at most m): below m + 2^33.
    static G16_FIELD_INLINE void cancel_special(uint32_t* r, const uint32_t* w) {
        uint32_t even[N + 2], odd[N + 1], q[2];
        add_raw_cc(even, w, P::constants().bias);
        even[N] = carry::addc(0, 0);
        SIMT_UNROLL
        for (int j = 0; j < N; j++) odd[j] = 0;
        SIMT_UNROLL
        for (int i = 0; i < N; i += 2) {
            if (i > 0) even[N] = odd[N - 1] = 0;
            even[N + 1] = odd[N] = 0;
            cancel_lower(even, odd, q);
            cancel_upper(even, odd, q);
        }
        sum_rows(r, even, odd);
    }

    // r = w / R for w of 2N limbs, w < 0.9 R m: cancels the low half, adds the high half.
    static G16_FIELD_INLINE void reduce_wide(uint32_t* r, const uint32_t* w) {
        uint32_t t[N];
        if constexpr (kSpareBits) {
            uint32_t even[N], odd[N];
            SIMT_UNROLL
            for (int j = 0; j < N; j++) {
                even[j] = w[j];
                odd[j] = 0;
            }
            SIMT_UNROLL
            for (int i = 0; i < N - 2; i += 2) {
                cancel_low_word(even, odd);
                cancel_low_word(odd, even);
            }
            cancel_with_modulus(even, odd);
            merge(t, even, odd);
            SIMT_UNROLL
            for (int j = 0; j < N; j++) odd[j] = 0;
            cancel_with_modulus(t, odd);
            merge(t, t, odd);
        } else {
            cancel_special(t, w);
        }
        add_raw(t, t, w + N);
        reduce_once(r, t);
    }

    static G16_FIELD_INLINE void sqr(uint32_t* r, const uint32_t* a) {
        uint32_t w[2 * N];
        sqr_wide(w, a);
        reduce_wide(r, w);
    }
};

}  // namespace G16_NS

#endif
