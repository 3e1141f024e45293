// Montgomery arithmetic on 64-bit limbs for ordinary host code. The modulus's highest bit is clear.
//
// `P` names a modulus: `kLimbs` 32-bit limbs and `kConstants`. Operands are below the modulus, and
// so are results. Numbers stay arrays of 32-bit limbs in memory, whatever the path.
#pragma once

#include <cstring>

#include "field/constants.cuh"

namespace G16_NS {

template <class P>
struct Limbs64 {
    static constexpr int kLimbs = P::kLimbs / 2;
    using Word = uint64_t;
    using Wide = unsigned __int128;

    struct Number {
        Word l[kLimbs];
    };

    static constexpr Word modulus(int i) {
        return P::kConstants.modulus[2 * i] | Word(P::kConstants.modulus[2 * i + 1]) << 32;
    }

    static Number load(const uint32_t* x) {
        Number n;
        std::memcpy(n.l, x, sizeof n.l);
        return n;
    }

    static void store(uint32_t* r, const Number& x) { std::memcpy(r, x.l, sizeof x.l); }

    // r = x, or x - m where that is not negative; for x < 2m.
    static void store_reduced(uint32_t* r, const Number& x) {
        Number d;
        Word borrow = 0;
        for (int i = 0; i < kLimbs; i++) {
            Wide t = Wide(x.l[i]) - modulus(i) - borrow;
            d.l[i] = Word(t);
            borrow = Word(t >> 64) & 1;
        }
        Word keep = 0 - borrow;
        for (int i = 0; i < kLimbs; i++) d.l[i] = (x.l[i] & keep) | (d.l[i] & ~keep);
        store(r, d);
    }

    // Whether a < b.
    static bool less(const uint32_t* a, const uint32_t* b) {
        const Number x = load(a), y = load(b);
        Word borrow = 0;
        for (int i = 0; i < kLimbs; i++) {
            borrow = Word((Wide(x.l[i]) - y.l[i] - borrow) >> 64) & 1;
        }
        return borrow != 0;
    }

    static void add(uint32_t* r, const uint32_t* a, const uint32_t* b) {
        Number x = load(a), y = load(b);
        Wide t = 0;
        for (int i = 0; i < kLimbs; i++) {
            t += Wide(x.l[i]) + y.l[i];
            x.l[i] = Word(t);
            t >>= 64;
        }
        store_reduced(r, x);
    }

    static void sub(uint32_t* r, const uint32_t* a, const uint32_t* b) {
        Number x = load(a), y = load(b);
        Word borrow = 0;
        for (int i = 0; i < kLimbs; i++) {
            Wide t = Wide(x.l[i]) - y.l[i] - borrow;
            x.l[i] = Word(t);
            borrow = Word(t >> 64) & 1;
        }
        Word mask = 0 - borrow;
        Wide t = 0;
        for (int i = 0; i < kLimbs; i++) {
            t += Wide(x.l[i]) + (modulus(i) & mask);
            x.l[i] = Word(t);
            t >>= 64;
        }
        store(r, x);
    }

    static constexpr Word twice(int i) {
        return P::kConstants.twice[2 * i] | Word(P::kConstants.twice[2 * i + 1]) << 32;
    }

    // x + y; returns the carry.
    static Word add_words(Number& x, const Number& y) {
        Wide t = 0;
        for (int i = 0; i < kLimbs; i++) {
            t += Wide(x.l[i]) + y.l[i];
            x.l[i] = Word(t);
            t >>= 64;
        }
        return Word(t);
    }

    // x - y; returns the borrow.
    static Word sub_words(Number& x, const Number& y) {
        Word borrow = 0;
        for (int i = 0; i < kLimbs; i++) {
            Wide t = Wide(x.l[i]) - y.l[i] - borrow;
            x.l[i] = Word(t);
            borrow = Word(t >> 64) & 1;
        }
        return borrow;
    }

    // 2m, or zero.
    static Number twice_if(Word condition) {
        Number n;
        for (int i = 0; i < kLimbs; i++) n.l[i] = twice(i) & (0 - condition);
        return n;
    }

    // r = a + b mod m, for any a and b <= 2m.
    static void add_loose(uint32_t* r, const uint32_t* a, const uint32_t* b) {
        Number x = load(a);
        sub_words(x, twice_if(add_words(x, load(b))));
        store(r, x);
    }

    // r = a - b mod m, for any a and b <= 2m.
    static void sub_loose(uint32_t* r, const uint32_t* a, const uint32_t* b) {
        Number x = load(a);
        add_words(x, twice_if(sub_words(x, load(b))));
        store(r, x);
    }

    // r = x mod m below 2m, for any x.
    static void tighten(uint32_t* r, const uint32_t* a) {
        Number x = load(a);
        const Word borrow = sub_words(x, twice_if(1));
        add_words(x, twice_if(borrow));
        store(r, x);
    }

    // r = a + b mod m below 2m, for a, b < 2m.
    static void add_tight(uint32_t* r, const uint32_t* a, const uint32_t* b) {
        Number x = load(a);
        const Word carry = add_words(x, load(b));
        const Word borrow = sub_words(x, twice_if(1));
        add_words(x, twice_if(borrow & ~carry));
        store(r, x);
    }

    // r = a b / R below 2m, for a < m and any b: CIOS, in which the clear top bit spares the limb
    // for the carry out.
    static void mul_tight(uint32_t* r, const uint32_t* a, const uint32_t* b) {
        store(r, mul_words(load(a), load(b)));
    }

    // r = b c below 2m, where table[j] = 2^(32 j + 64) c mod m; any b. The table's sixth row is c
    // in Montgomery form.
    static void mul_split(uint32_t* r, const uint32_t (*table)[P::kLimbs], const uint32_t* b) {
        mul_tight(r, table[P::kLimbs - 2], b);
    }

    // r = b c below 2m, where a is c in Montgomery form.
    static void mul_halves(uint32_t* r, const uint32_t*, const uint32_t* a, const uint32_t* b) {
        mul_tight(r, a, b);
    }

    static void reduce_once(uint32_t* r, const uint32_t* x) { store_reduced(r, load(x)); }

    // r = a b / R.
    static void mul(uint32_t* r, const uint32_t* a, const uint32_t* b) {
        store_reduced(r, mul_words(load(a), load(b)));
    }

    static Number mul_words(const Number& x, const Number& y) {
        Number t{};
        for (int i = 0; i < kLimbs; i++) {
            Wide s = Wide(x.l[0]) * y.l[i] + t.l[0];
            Word carry = Word(s >> 64);
            const Word q = Word(s) * P::kConstants.inverse64;
            Wide u = Wide(q) * modulus(0) + Word(s);
            Word shift = Word(u >> 64);
            for (int j = 1; j < kLimbs; j++) {
                s = Wide(x.l[j]) * y.l[i] + t.l[j] + carry;
                carry = Word(s >> 64);
                u = Wide(q) * modulus(j) + Word(s) + shift;
                shift = Word(u >> 64);
                t.l[j - 1] = Word(u);
            }
            t.l[kLimbs - 1] = shift + carry;
        }
        return t;
    }

    static void sqr(uint32_t* r, const uint32_t* a) { mul(r, a, a); }

    struct Double {
        Word l[2 * kLimbs];
    };

    static Double load_wide(const uint32_t* x) {
        Double n;
        std::memcpy(n.l, x, sizeof n.l);
        return n;
    }

    static void store_wide(uint32_t* r, const Double& x) { std::memcpy(r, x.l, sizeof x.l); }

    // r = a + b, without reduction.
    static void add_raw(uint32_t* r, const uint32_t* a, const uint32_t* b) {
        Number x = load(a), y = load(b);
        Wide t = 0;
        for (int i = 0; i < kLimbs; i++) {
            t += Wide(x.l[i]) + y.l[i];
            x.l[i] = Word(t);
            t >>= 64;
        }
        store(r, x);
    }

    // w = a b of twice the limbs, for any a and b.
    static void mul_wide(uint32_t* w, const uint32_t* a, const uint32_t* b) {
        const Number x = load(a), y = load(b);
        Double t{};
        for (int i = 0; i < kLimbs; i++) {
            Word carry = 0;
            for (int j = 0; j < kLimbs; j++) {
                const Wide s = Wide(x.l[j]) * y.l[i] + t.l[i + j] + carry;
                t.l[i + j] = Word(s);
                carry = Word(s >> 64);
            }
            t.l[i + kLimbs] = carry;
        }
        store_wide(w, t);
    }

    // w += x.
    static void add_wide(uint32_t* w, const uint32_t* x) {
        Double a = load_wide(w), b = load_wide(x);
        Wide t = 0;
        for (int i = 0; i < 2 * kLimbs; i++) {
            t += Wide(a.l[i]) + b.l[i];
            a.l[i] = Word(t);
            t >>= 64;
        }
        store_wide(w, a);
    }

    // w -= x modulo R^2.
    static void sub_wide(uint32_t* w, const uint32_t* x) {
        Double a = load_wide(w), b = load_wide(x);
        Word borrow = 0;
        for (int i = 0; i < 2 * kLimbs; i++) {
            const Wide t = Wide(a.l[i]) - b.l[i] - borrow;
            a.l[i] = Word(t);
            borrow = Word(t >> 64) & 1;
        }
        store_wide(w, a);
    }

    // r = w / R for w < 0.9 R m.
    static void reduce_wide(uint32_t* r, const uint32_t* w) {
        Double t = load_wide(w);
        Word top = 0;
        for (int i = 0; i < kLimbs; i++) {
            const Word q = t.l[i] * P::kConstants.inverse64;
            Word carry = 0;
            for (int j = 0; j < kLimbs; j++) {
                const Wide s = Wide(q) * modulus(j) + t.l[i + j] + carry;
                t.l[i + j] = Word(s);
                carry = Word(s >> 64);
            }
            const Wide s = Wide(t.l[i + kLimbs]) + carry + top;
            t.l[i + kLimbs] = Word(s);
            top = Word(s >> 64);
        }
        Number high;
        std::memcpy(high.l, t.l + kLimbs, sizeof high.l);
        store_reduced(r, high);
    }

    // r = (a b + c d) / R.
    static void mul_add_mul(uint32_t* r, const uint32_t* a, const uint32_t* b, const uint32_t* c,
                            const uint32_t* d) {
        uint32_t x[P::kLimbs], y[P::kLimbs];
        mul(x, a, b);
        mul(y, c, d);
        add(r, x, y);
    }
};

}  // namespace G16_NS
