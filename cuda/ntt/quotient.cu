// The quotient h = (A B - C) / Z of a satisfied system from the evaluations a, b of A and B.
//
// With Z = X^n - 1, write A B = L + X^n H, both parts below degree n. On the domain X^n = 1, so the
// interpolation of a b there is C = L + H, which is also the system's C; on the odd coset X^n = -1,
// so the interpolation of v = a' b' there is R = L - H. Hence A B - C = (X^n - 1) H and
// h = H = (C - R) / 2. Six transforms: to C; a and b to coefficients and on to the odd coset; v to
// R.
//
// The odd coset is w times the domain, w of order 2n. Coefficients stand in bit-reversed order and
// evaluations in natural order throughout; the last pass writes h where it belongs. The products
// with 1 / n that C and R take anyway make them C / 2 and R / 2, and canonical.
#include "ntt/api.cuh"
#include "ntt/pass.cuh"

#include <utility>

namespace G16_NS::ntt {

using simt::Status;
using simt::Stream;

namespace {

// Interpolates evaluations on the domain, naturally ordered, all passes but the lowest.
// The first reads src * factor, or src alone. `low` is the table with the factor 1 / n.
Status interpolate_upper(const Transform& t, const Fr* src, const Fr* factor, const Fr* low,
                         Stream stream) {
    for (uint32_t index = t.layout.passes - 1; index > 0; index--) {
        Pass p = dif_pass(t, index, Rounds::kInverse);
        if (index + 1 == t.layout.passes) {
            p.src = src;
            p.factor = factor;
        }
        multiply(t, index, low, &p);
        const Status status = run(p, stream);
        if (status != 0) return status;
    }
    return 0;
}

// The interpolation's last pass: over the lowest bits, where a tile holds whole columns.
Pass lowest_pass(const Transform& t, const Fr* src, const Fr* factor) {
    Pass p = dif_pass(t, 0, Rounds::kInverse);
    if (t.layout.passes == 1) {
        p.src = src;
        p.factor = factor;
    }
    return p;
}

// C / 2 of the product of a and b, bit-reversed and as canonical numbers, into t.data.
Status product_coefficients(const Transform& t, const Fr* a, const Fr* b, Stream stream) {
    const Status status = interpolate_upper(t, a, b, t.tables.low_canonical, stream);
    if (status != 0) return status;
    Pass p = lowest_pass(t, a, b);
    p.last = true;
    multiply(t, 0, t.tables.low_canonical, &p);
    return run(p, stream);
}

// Evaluations on the domain to evaluations on the odd coset, in place, both in natural order: the
// pass over the lowest bits scales its tile and turns back with it.
Status extend(const Transform& t, Stream stream) {
    Status status = interpolate_upper(t, t.data, nullptr, t.tables.low_over_n, stream);
    if (status != 0) return status;
    Pass turn = lowest_pass(t, t.data, nullptr);
    turn.between = root_scale(t, false, true);
    if (t.layout.passes == 1) turn.between.powers.low = t.tables.low_over_n;
    if (t.layout.log_size < kGroupBits) {  // a group's rows would lie otherwise
        std::swap(turn.between, turn.after);
        status = run(turn, stream);
        if (status != 0) return status;
        turn = dit_pass(t, 0, Rounds::kForward);
    } else {
        set_dit(t, &turn, Rounds::kForward);
    }
    turn.last = t.layout.passes == 1;
    status = run(turn, stream);
    for (uint32_t index = 1; index < t.layout.passes && status == 0; index++) {
        Pass p = dit_pass(t, index, Rounds::kForward);
        p.last = index + 1 == t.layout.passes;
        status = run(p, stream);
    }
    return status;
}

// h into `h`, from a' (t.data) and b' on the odd coset and C; b' and h may be the same array, for
// b' is read in the first pass only.
Status combine(const Transform& t, const Fr* b, const Fr* c, Fr* h, Stream stream) {
    const Status status = interpolate_upper(t, t.data, b, t.tables.low_canonical, stream);
    if (status != 0) return status;
    Pass p = lowest_pass(t, t.data, b);
    p.after = root_scale(t, true, true);
    multiply(t, 0, t.tables.low_canonical, &p);
    p.minuend = c;
    p.last = true;
    p.dst = h;
    return run(p, stream);
}

Status quotient(void* a, void* b, void* w, const G16Domain* domain, Stream stream) {
    const Transform on_a(*domain, a, 1), on_b(*domain, b, 1), on_w(*domain, w, 1);
    Status status = product_coefficients(on_w, on_a.data, on_b.data, stream);
    if (status != 0) return status;
    status = extend(on_a, stream);
    if (status != 0) return status;
    status = extend(on_b, stream);
    if (status != 0) return status;
    return combine(on_a, on_b.data, on_w.data, on_b.data, stream);
}

}  // namespace

G16QuotientApi quotient_api() { return G16QuotientApi{quotient}; }

}  // namespace G16_NS::ntt
