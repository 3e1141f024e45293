// Number-theoretic transforms over Fr.
//
// A transform of n = 2^k elements runs in one to three passes, each of which takes a range of the
// index's bits, [low_bits, low_bits + row_bits), and leaves the array in place. The elements that
// differ in these bits alone are the rows of a column; a block takes a few adjacent columns through
// shared memory and transforms each there, in rounds of three bits, for which a thread holds eight
// elements in registers.
//
// Decimation in frequency (DIF) goes from the top bits down and takes natural order to bit-reversed
// order; decimation in time (DIT) goes up and takes bit-reversed order to natural. In both, all
// twiddles are taken before a round: with the bits done before, of frequency (or index) u, element
// j of a group takes w^(u j). So a butterfly's second operand is a product, hence tight, and its
// first one may be loose, see field/loose.cuh. Between passes an element of row r in column c (the
// bits below the rows) takes the twiddle w^(c * reversed(r)), w of order 2^(low_bits + row_bits),
// in the upper pass, or in the middle one of three passes of a DIF.
//
// Numbers in memory are reduced before the first pass and after the last one. Between, a DIF leaves
// tight ones, except for the top one of three passes, and where loose ones are left the next pass
// multiplies all that it loads.
#pragma once

#include "ntt/pass.cuh"
#include "ntt/tuning.cuh"

namespace G16_NS::ntt {

constexpr uint32_t kGroup = 1u << kGroupBits;
constexpr size_t kBlockFactorBytes = (kGroup << kMaxBlockColumnBits) * sizeof(Fr);

// Position of an element in a plane of the tile: one gap after eight keeps 16-byte accesses of
// neighbouring threads in different banks in every round.
SIMT_HD inline uint32_t padded(uint32_t element) { return element + (element >> 3); }

// A tile in shared memory: the elements' lower and upper halves in a plane each, at a distance that
// is known to the compiler.
struct Tile {
    static constexpr uint32_t kPlane = (1u << kMaxTileBits) + (1u << kMaxTileBits >> 3);
    static constexpr size_t kBytes = 2 * kPlane * sizeof(uint4);

    uint4* plane;

    SIMT_DEVICE Fr get(uint32_t element) const {
        const uint4* at = plane + padded(element);
        const uint4 a = at[0], b = at[kPlane];
        return Fr{{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}};
    }

    SIMT_DEVICE void set(uint32_t element, const Fr& x) const {
        uint4* at = plane + padded(element);
        at[0] = make_uint4(x.l[0], x.l[1], x.l[2], x.l[3]);
        at[kPlane] = make_uint4(x.l[4], x.l[5], x.l[6], x.l[7]);
    }
};

// An element whose index within a group has a row in its top bits, as the index has it that begins
// with the row.
SIMT_DEVICE inline uint32_t rotated(uint32_t element, uint32_t row_bits) {
    const uint32_t within = element & (kGroup - 1);
    const uint32_t turned = within << row_bits | within >> (kGroupBits - row_bits);
    return element - within + (turned & (kGroup - 1));
}

// Index in the array of an element of this block's tile.
template <bool kDit>
SIMT_DEVICE uint32_t index_of(const Pass& p, uint32_t element) {
    if (p.low_bits == 0) {
        if (kDit && p.row_bits < kGroupBits) element = rotated(element, p.row_bits);
        return (blockIdx.x << p.tile_bits) + element;
    }
    const uint32_t group_bits = p.low_bits - p.column_bits;
    const uint32_t above = blockIdx.x >> group_bits;
    const uint32_t group = blockIdx.x & ((1u << group_bits) - 1);
    const uint32_t row = element >> p.column_bits;
    const uint32_t column = element & ((1u << p.column_bits) - 1);
    return (above << (p.low_bits + p.row_bits)) + (row << p.low_bits) + (group << p.column_bits) +
           column;
}

// Where a thread's eight elements lie in the tile, and in memory.
template <bool kDit>
struct Place {
    uint32_t start, step;

    // A group of rows from row bit `bit` on.
    static SIMT_DEVICE Place group(const Pass& p, uint32_t bit) {
        const uint32_t position = bit + p.column_bits;
        const uint32_t below = threadIdx.x & ((1u << position) - 1);
        return Place{(threadIdx.x >> position) << (position + kGroupBits) | below, position};
    }

    // Elements adjacent to those of the neighbouring threads.
    static SIMT_DEVICE Place adjacent(const Pass& p) {
        return Place{threadIdx.x, p.tile_bits - kGroupBits};
    }

    SIMT_DEVICE uint32_t element(uint32_t i) const { return start + (i << step); }
    SIMT_DEVICE uint32_t index(const Pass& p, uint32_t i) const {
        return index_of<kDit>(p, element(i));
    }

    SIMT_DEVICE void get(Fr (&x)[kGroup], const Tile& tile) const {
        SIMT_UNROLL
        for (uint32_t i = 0; i < kGroup; i++) x[i] = tile.get(element(i));
    }

    SIMT_DEVICE void set(const Fr (&x)[kGroup], const Tile& tile) const {
        SIMT_UNROLL
        for (uint32_t i = 0; i < kGroup; i++) tile.set(element(i), x[i]);
        __syncthreads();
    }
};

// Eight elements times factors in a table, tight; `at` gives each one's place there. A factor is
// read while the one before is multiplied.
template <class At>
SIMT_DEVICE void multiply(Fr (&x)[kGroup], const Fr* table, const At& at) {
    Fr next = table[at(0)];
    SIMT_UNROLL
    for (uint32_t i = 0; i < kGroup; i++) {
        const Fr factor = next;
        if (i + 1 < kGroup) next = table[at(i + 1)];
        x[i] = mul_tight(factor, x[i]);
    }
}

// The exponent that powers give an element: its index, or where they are the twiddles between this
// pass and its upper neighbour, column times frequency.
SIMT_DEVICE inline uint32_t exponent(const Pass& p, const Scale& s, uint32_t index) {
    uint32_t e;
    if (s.kind == ScaleKind::kTwiddles) {
        const uint32_t column = index & ((1u << p.low_bits) - 1);
        const uint32_t row = (index >> p.low_bits) & ((1u << p.row_bits) - 1);
        e = column * reverse_bits(row, p.row_bits) << (p.log_size + 1 - p.low_bits - p.row_bits);
    } else {
        e = index & ((1u << p.log_size) - 1);
        if (s.reversed) e = reverse_bits(e, p.log_size);
    }
    return s.powers.inverse ? (0 - e) & s.powers.order_minus_1 : e;
}

// The steps in which a group is multiplied by factors from memory.
constexpr uint32_t kFactorStep = 1, kHighStep = 2, kLowStep = 4, kBlockStep = 8;

SIMT_DEVICE inline uint32_t scale_steps(const Scale& s) {
    if (s.kind == ScaleKind::kNone) return 0;
    if (s.kind == ScaleKind::kConstant) return kLowStep;
    return s.powers.aligned ? kHighStep : kHighStep | kLowStep;
}

// Eight elements through these steps, one after the other: the code of the products exists once.
template <class P>
SIMT_DEVICE void run_steps(Fr (&x)[kGroup], const Pass& p, const Scale& s, uint32_t steps,
                           const P& place, const Fr* block_factors) {
    SIMT_ROLLED
    for (uint32_t step = 1; step <= steps; step <<= 1) {
        if ((steps & step) == 0) continue;
        const Fr* table = step == kFactorStep ? p.factor
                          : step == kHighStep ? s.powers.high
                          : step == kLowStep  ? s.powers.low
                                              : block_factors;
        multiply(x, table, [&](uint32_t i) {
            if (step == kBlockStep) {
                return i << p.column_bits | (threadIdx.x & ((1u << p.column_bits) - 1));
            }
            const uint32_t index = place.index(p, i);
            if (step == kFactorStep) return index < p.total ? index : 0;
            if (s.kind == ScaleKind::kConstant) return 0u;
            const uint32_t e = exponent(p, s, index);
            return step == kHighStep ? e >> s.powers.low_bits : e & ((1u << s.powers.low_bits) - 1);
        });
    }
}

// Eight elements from memory.
template <class P>
SIMT_DEVICE void load(Fr (&x)[kGroup], const Pass& p, const P& place) {
    SIMT_UNROLL
    for (uint32_t i = 0; i < kGroup; i++) {
        const uint32_t index = place.index(p, i);
        x[i] = index < p.total ? p.src[index] : Fr::zero();
    }
}

// Eight elements to memory. Where `minuend` is set, x is half of the bit-reversed interpolation R
// of v and dst takes the quotient minuend - x in natural order.
template <bool kMinuend, class P>
SIMT_DEVICE void store(Fr (&x)[kGroup], const Pass& p, const P& place) {
    SIMT_UNROLL
    for (uint32_t i = 0; i < kGroup; i++) {
        const uint32_t index = place.index(p, i);
        if (index >= p.total) continue;
        if (p.last) x[i] = reduced_loose(x[i]);
        if (kMinuend && p.minuend != nullptr) {
            p.dst[reverse_bits(index, p.log_size)] = p.minuend[index] - x[i];
        } else {
            p.dst[index] = x[i];
        }
    }
}

// x w^e for the root w of order 2^bits, or its inverse; tight, for x loose.
SIMT_DEVICE inline Fr times_root(const Fr& x, const Pass& p, Rounds rounds, uint32_t bits,
                                 uint32_t e) {
    uint32_t i = e << (p.root_bits - bits);
    if (rounds == Rounds::kInverse) i = (0 - i) & ((1u << p.root_bits) - 1);
    return mul_tight(p.roots[i + (1u << p.root_bits)], p.roots[i], x);
}

// a, b = a + b, a - b. b is tight, the results are loose.
SIMT_DEVICE inline void butterfly(Fr& a, Fr& b) {
    const Fr difference = sub_loose(a, b);
    a = add_loose(a, b);
    b = difference;
}

// The same where a is tight and the sum must be.
SIMT_DEVICE inline void butterfly_tight(Fr& a, Fr& b) {
    const Fr difference = sub_loose(a, b);
    a = add_tight(a, b);
    b = difference;
}

// The lowest `stages` stages of a DIF of the group, in place: natural order to bit-reversed. In
// each butterfly the second operand takes a root that depends on the bits above, or else must be
// tight; x[i] may be loose where i's lowest `stages` bits are zero.
SIMT_DEVICE inline void dif_group(Fr (&x)[kGroup], const GroupRoots& roots, uint32_t stages) {
    const bool all = stages == kGroupBits;
    if (all) {
        butterfly(x[0], x[4]);
        butterfly_tight(x[1], x[5]);
        butterfly_tight(x[2], x[6]);
        butterfly_tight(x[3], x[7]);
        x[6] = mul_tight(roots.powers[1], x[6]);
        x[7] = mul_tight(roots.powers[1], x[7]);
    }
    if (stages >= 2) {
        butterfly(x[0], x[2]);
        butterfly_tight(x[1], x[3]);
        butterfly(x[4], x[6]);
        butterfly(x[5], x[7]);
        x[3] = mul_tight(roots.powers[1], x[3]);
        x[5] = all ? mul_tight(roots.powers[0], x[5]) : tightened(x[5]);
        x[7] = mul_tight(roots.powers[all ? 2 : 1], x[7]);
    }
    if (stages == 0) return;
    SIMT_UNROLL
    for (uint32_t i = 0; i < kGroup; i += 2) butterfly(x[i], x[i + 1]);
}

// The highest `stages` stages of a DIT of the group, in place: bit-reversed order to natural. The
// second operand takes a root that depends on the bits below, among these stages.
SIMT_DEVICE inline void dit_group(Fr (&x)[kGroup], const GroupRoots& roots, uint32_t stages) {
    if (stages == 0) return;
    const bool all = stages == kGroupBits;
    if (all) {
        butterfly(x[0], x[1]);
        butterfly_tight(x[2], x[3]);
        butterfly_tight(x[4], x[5]);
        butterfly_tight(x[6], x[7]);
        x[3] = mul_tight(roots.powers[1], x[3]);
        x[7] = mul_tight(roots.powers[1], x[7]);
    }
    if (stages >= 2) {
        butterfly(x[0], x[2]);
        butterfly(x[1], x[3]);
        butterfly_tight(x[4], x[6]);
        butterfly(x[5], x[7]);
        x[5] = all ? mul_tight(roots.powers[0], x[5]) : tightened(x[5]);
        x[6] = mul_tight(roots.powers[1], x[6]);
        x[7] = mul_tight(roots.powers[all ? 2 : 1], x[7]);
    }
    SIMT_UNROLL
    for (uint32_t i = 0; i < kGroup / 2; i++) butterfly(x[i], x[i + kGroup / 2]);
}

// The part of an array's index above a tile's rows.
SIMT_DEVICE inline uint32_t block_above(const Pass& p) {
    const uint32_t above = blockIdx.x >> (p.low_bits - p.column_bits);
    return above & ((1u << p.block_bits) - 1);
}

// The twiddles that the first round of a pass takes for the bits above the rows, whose frequency is
// u: for element j of a group in column c, w^(u (j 2^k + c)), w of order n, 2^k the distance in
// memory of a group's elements.
SIMT_DEVICE inline void make_block_factors(const Pass& p, Fr* factors) {
    if (threadIdx.x < kGroup << p.column_bits) {
        const uint32_t u = reverse_bits(block_above(p), p.block_bits);
        const uint32_t j = threadIdx.x >> p.column_bits;
        const uint32_t column = index_of<false>(p, threadIdx.x & ((1u << p.column_bits) - 1)) &
                                ((1u << p.low_bits) - 1);
        const uint32_t distance = p.low_bits + p.row_bits - kGroupBits;
        const uint32_t e = (u * (j << distance | column) << 1) & p.after.powers.order_minus_1;
        const Powers& powers = p.after.powers;
        const uint32_t f = powers.inverse ? (0 - e) & powers.order_minus_1 : e;
        factors[threadIdx.x] =
            powers.high[f >> powers.low_bits] * p.block_low[f & ((1u << powers.low_bits) - 1)];
    }
    __syncthreads();
}

// Twiddles before one round of a DIF over the `stages` row bits from `bit` on, the lowest of a
// group's bits. Of the bits above, the rounds before have made a frequency u; element j of a group
// takes w^(u j), w of the order of all bits from `bit` on.
SIMT_DEVICE inline void dif_twiddles(Fr (&x)[kGroup], const Pass& p, uint32_t start, uint32_t bit,
                                     uint32_t stages) {
    const uint32_t row_above = p.row_bits - bit - kGroupBits, above = p.block_bits + row_above;
    uint32_t at = start >> (bit + p.column_bits + kGroupBits) & ((1u << row_above) - 1);
    if (p.block_bits > 0) at |= block_above(p) << row_above;
    const uint32_t u = above == 0 ? 0 : reverse_bits(at, above);
    const uint32_t order_bits = p.block_bits + p.row_bits - bit;
    SIMT_UNROLL
    for (uint32_t i = 1; i < kGroup; i++) {
        const uint32_t j = i & ((1u << stages) - 1);
        if (j == 0) continue;
        const uint32_t own = reverse_bits(i >> stages, kGroupBits) >> stages;
        x[i] = times_root(x[i], p, p.dif, order_bits, (u | own << above) * j);
    }
}

// The mirror image, before a round of a DIT over the highest `stages` of a group's bits, of which
// the first is `bit`. Element j, its bits reversed, takes w^(l j) for the index l below these
// stages.
SIMT_DEVICE inline void dit_twiddles(Fr (&x)[kGroup], const Pass& p, uint32_t start, uint32_t bit,
                                     uint32_t stages) {
    const uint32_t below = kGroupBits - stages;
    const uint32_t row = (start >> p.column_bits) & ((1u << bit) - 1);
    SIMT_UNROLL
    for (uint32_t i = 1; i < kGroup; i++) {
        const uint32_t j = reverse_bits(i >> below, kGroupBits) >> below;
        if (j == 0) continue;
        const uint32_t l = row | (i & ((1u << below) - 1)) << bit;
        x[i] = times_root(x[i], p, p.dit, bit + kGroupBits, l * j);
    }
}

// All rounds of a DIF, from memory and from the top bits down; the last group stays in registers.
// Returns where it is.
template <bool kDit>
SIMT_DEVICE Place<kDit> dif(Fr (&x)[kGroup], const Pass& p, const Tile& tile) {
    uint32_t left = p.row_bits;
    for (bool first = true;; first = false) {
        const uint32_t stages = left < kGroupBits ? left : kGroupBits;
        left -= stages;
        const auto place = Place<kDit>::group(p, left);
        if (first) {
            load(x, p, place);
            uint32_t steps = scale_steps(p.before);
            if (p.factor != nullptr) steps |= kFactorStep;
            Fr* block_factors = reinterpret_cast<Fr*>(tile.plane + Tile::kPlane * 2);
            if (!kDit && p.block_bits > 0) {
                steps |= kBlockStep;
                make_block_factors(p, block_factors);
            }
            run_steps(x, p, p.before, steps, place, block_factors);
        } else {
            place.get(x, tile);
            dif_twiddles(x, p, place.start, left, stages);
        }
        dif_group(x, p.dif_roots, stages);
        if (left == 0) return place;
        place.set(x, tile);
    }
}

// All rounds of a DIT, to memory. At first the elements are in registers: the first group itself,
// or where `adjacent`, others for the tile.
SIMT_DEVICE inline Place<true> dit(Fr (&x)[kGroup], const Pass& p, const Tile& tile,
                                   Place<true> place, bool adjacent) {
    if (adjacent) place.set(x, tile);
    bool ready = !adjacent;
    uint32_t done = 0;
    do {
        const uint32_t left = p.row_bits - done;
        const uint32_t stages = left < kGroupBits ? left : kGroupBits;
        if (!ready) {
            const uint32_t end = done + stages;
            const uint32_t bit = end < kGroupBits ? 0 : end - kGroupBits;
            place = Place<true>::group(p, bit);
            place.get(x, tile);
            if (done > 0) dit_twiddles(x, p, place.start, bit, stages);
        }
        ready = false;
        dit_group(x, p.dit_roots, stages);
        done += stages;
        if (done < p.row_bits) place.set(x, tile);
    } while (done < p.row_bits);
    return place;
}

// One pass over the array: a block takes a tile through all rounds of its row bits, kGroupBits at a
// time and the remainder at last. The first group comes from memory to registers, and the last one
// goes from there to memory, unless the elements of a thread would be adjacent there.
//
// Invariant: only this block reads or writes the tile's elements of src (= dst), except for the
// quotient's last step, whose dst is another array.
// Cost per element: see docs/ntt.md; 32 bytes read and written.
template <bool kDif, bool kDit>
__global__ void __launch_bounds__(kMaxThreads, kBlocksPerMultiprocessor)
    pass_kernel(const SIMT_GRID_CONSTANT Pass p) {
    SIMT_DYN_SHARED(uint4, shared);
    const Tile tile{shared};
    Fr x[kGroup];
    if constexpr (!kDit) {
        Place<false> place = dif<false>(x, p, tile);
        if (p.low_bits == 0) {
            place.set(x, tile);
            place = Place<false>::adjacent(p);
            place.get(x, tile);
        }
        run_steps(x, p, p.after, scale_steps(p.after), place, nullptr);
        store<true>(x, p, place);
    } else {
        Place<true> place = Place<true>::group(p, 0);
        const bool adjacent = !kDif && p.low_bits == 0;
        if constexpr (kDif) {
            place = dif<true>(x, p, tile);
        } else {
            if (adjacent) place = Place<true>::adjacent(p);
            load(x, p, place);
        }
        const Scale& scale = kDif ? p.between : p.before;
        run_steps(x, p, scale, scale_steps(scale), place, nullptr);
        place = dit(x, p, tile, place, adjacent);
        if constexpr (!kDif) run_steps(x, p, p.after, scale_steps(p.after), place, nullptr);
        store<false>(x, p, place);
    }
}

// Launches the pass: a thread for each eight elements.
template <bool kDif, bool kDit>
simt::Status run_pass(const Pass& p, simt::Stream stream) {
    const uint32_t blocks = (p.total + (1u << p.tile_bits) - 1) >> p.tile_bits;
    const size_t shared = Tile::kBytes + (p.block_bits > 0 ? kBlockFactorBytes : 0);
    return simt::launch(pass_kernel<kDif, kDit>, dim3(blocks),
                        dim3(1u << (p.tile_bits - kGroupBits)), shared, stream, p);
}

}  // namespace G16_NS::ntt
