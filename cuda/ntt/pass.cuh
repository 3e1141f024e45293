// How a transform is cut into passes, and what one pass does: what its kernel and the launchers of
// transforms and of the quotient share.
#pragma once

#include "api.h"
#include "field/fr.cuh"
#include "field/loose.cuh"
#include "ntt/tuning.cuh"
#include "simt/simt.cuh"

namespace G16_NS::ntt {

// The powers of a number as two tables: base^e = low[e mod 2^low_bits] * high[e >> low_bits].
struct Powers {
    const Fr* low;
    const Fr* high;
    uint32_t low_bits;
    uint32_t aligned;        // exponents are multiples of 2^low_bits, and low[0] = 1
    uint32_t inverse;        // base^-e is meant
    uint32_t order_minus_1;  // order of the base less one, where inverse
};

enum class ScaleKind : uint32_t { kNone, kConstant, kPowers, kTwiddles };

// A factor for each element: low[0], the power whose exponent is the element's index, or the
// twiddle between a pass and its upper neighbour.
struct Scale {
    ScaleKind kind;
    uint32_t reversed;  // the exponent is the bit-reversed index
    Powers powers;
};

// The root of unity that the rounds of a pass use: the domain's, or its inverse.
enum class Rounds : uint32_t { kNone, kForward, kInverse };

// w, w^2, w^3 for the root w of order 2^kGroupBits that a pass's rounds use. As a kernel's
// parameters they are operands in constant memory and take no registers.
struct GroupRoots {
    SplitFactor<FrModulus> powers[(1u << kGroupBits) / 2 - 1];
};

// One pass: dst = after * DIT(between * DIF(before * src * factor)), each part optional.
struct Pass {
    const Fr* src;
    const Fr* factor;   // null: none
    const Fr* minuend;  // not null: the quotient's last step, see store_tile
    Fr* dst;
    uint32_t total;  // elements of all transforms of the batch together
    uint32_t log_size;
    uint32_t low_bits;  // index bits below the rows
    uint32_t row_bits;
    uint32_t column_bits;  // columns of a strided tile; 0 where low_bits is 0
    uint32_t tile_bits;    // row_bits + column_bits, or more: several transforms side by side
    uint32_t last;         // of its transform: dst is reduced, else it is what the next pass takes
    uint32_t block_bits;   // index bits above the rows, where a DIF takes their twiddles too
    const Fr* block_low;   // their table beside after.powers.high
    const Fr* roots;       // all powers of a root of order 2^root_bits, and their uppers
    uint32_t root_bits;
    Rounds dif, dit;
    GroupRoots dif_roots, dit_roots;
    Scale before, between, after;
};

// A domain's cut into passes, lowest index bits first, and the sizes of its tables.
struct Layout {
    uint32_t log_size;
    uint32_t passes;
    uint32_t row_bits[kMaxPasses];
    uint32_t low_bits[kMaxPasses];
    uint32_t power_bits;  // low_bits of the tables of powers
    uint32_t root_bits;
};

Layout layout(uint32_t log_size);

// A domain's tables. With w of order 2n, n = 2^log_size: `low` holds w^i for i < 2^power_bits,
// `low_over_n` the same divided by n, `low_canonical` divided by 2n and, against Montgomery form,
// by R, `high` w^(i 2^power_bits) up to w^2n, `roots` all powers of w^(2n / 2^root_bits). After the
// numbers in `roots`, and with three passes in `high`, come their uppers, see mul_tight.
struct Tables {
    Fr* low;
    Fr* low_over_n;
    Fr* low_canonical;
    Fr* high;
    Fr* roots;
};

size_t tables_len(const Layout& layout);
Tables tables(void* memory, const Layout& layout);

// A domain, its tables, and a batch of transforms over it, `data` one behind the other.
struct Transform {
    Layout layout;
    Tables tables;
    GroupRoots forward, inverse;
    Fr* data;
    uint32_t batch;

    Transform(const G16Domain& domain, void* data, uint32_t batch);

    // The pass of a DIF that takes the twiddles between it and the top pass into its rounds: the
    // middle one of three. Else beyond all passes.
    uint32_t dif_middle() const { return layout.passes == 3 ? 1 : kMaxPasses; }
};

// Pass number `index` (lowest index bits: 0) of a DIF or DIT, in place.
Pass dif_pass(const Transform& t, uint32_t index, Rounds rounds);
Pass dit_pass(const Transform& t, uint32_t index, Rounds rounds);

// Adds the rounds of a DIT to a pass over the lowest bits.
void set_dit(const Transform& t, Pass* pass, Rounds rounds);

// w^index or w^-index, w of order 2n.
Scale root_scale(const Transform& t, bool inverse, bool reversed);

// Multiplies a transform by low[0], where low is a table of w's powers that is multiplied by it.
// Does so in one of its passes, `pass` being number `index` with its `after` set, and nothing in
// the others.
void multiply(const Transform& t, uint32_t index, const Fr* low, Pass* pass);

simt::Status run(const Pass& pass, simt::Stream stream);

// The kernels, in a unit each: rounds of a DIF alone, of a DIT alone, and of both.
simt::Status run_dif(const Pass& pass, simt::Stream stream);
simt::Status run_dit(const Pass& pass, simt::Stream stream);
simt::Status run_turn(const Pass& pass, simt::Stream stream);
simt::Status load_dif();
simt::Status load_dit();
simt::Status load_turn();

// The low `bits` bits of x, reversed; x < 2^bits, bits <= 31.
SIMT_HD inline uint32_t reverse_bits(uint32_t x, uint32_t bits) {
#ifdef __CUDA_ARCH__
    return (__brev(x) >> 1) >> (31 - bits);
#else
    uint32_t r = 0;
    for (uint32_t i = 0; i < bits; i++) r |= (x >> i & 1) << (bits - 1 - i);
    return r;
#endif
}

}  // namespace G16_NS::ntt
