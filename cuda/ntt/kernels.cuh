// Number-theoretic transforms over Fr.
//
// A transform of n = 2^k elements runs in one to three passes, each of which takes a range of the
// index's bits, [low_bits, low_bits + row_bits), and leaves the array in place. The elements that
// differ in these bits alone are the rows of a column; a block takes a few adjacent columns to
// shared memory, transforms each there, and writes it back.
//
// Decimation in frequency (DIF) goes from the top bits down and takes natural order to bit-reversed
// order; decimation in time (DIT) is the same graph backwards. Between passes an element of row r
// in column c (the bits below the rows) takes the twiddle w^(c * reversed(r)), w of order
// 2^(low_bits + row_bits).
#pragma once

#include "ntt/pass.cuh"
#include "ntt/tuning.cuh"

namespace G16_NS::ntt {

constexpr uint32_t kGroup = 1u << kGroupBits;

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

// Position of an element in a plane of the tile: one gap after eight keeps 16-byte accesses of
// neighbouring threads in different banks in every round.
SIMT_HD inline uint32_t padded(uint32_t element) { return element + (element >> 3); }

SIMT_HD inline uint32_t tile_bytes(uint32_t tile_bits) {
    return padded(1u << tile_bits) * uint32_t(sizeof(Fr));
}

// A tile in shared memory: the elements' lower and upper halves in a plane each.
struct Tile {
    uint4* low;
    uint4* high;

    SIMT_DEVICE Fr get(uint32_t element) const {
        const uint4 a = low[padded(element)], b = high[padded(element)];
        return Fr{{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}};
    }

    SIMT_DEVICE void set(uint32_t element, const Fr& x) const {
        low[padded(element)] = make_uint4(x.l[0], x.l[1], x.l[2], x.l[3]);
        high[padded(element)] = make_uint4(x.l[4], x.l[5], x.l[6], x.l[7]);
    }
};

// x * base^e.
SIMT_DEVICE inline Fr times_power(const Fr& x, const Powers& p, uint32_t e) {
    if (p.inverse) e = (0 - e) & p.order_minus_1;
    Fr power = p.high[e >> p.low_bits];
    if (!p.aligned) power = power * p.low[e & ((1u << p.low_bits) - 1)];
    return x * power;
}

// The element with this index of its array, scaled.
SIMT_DEVICE inline Fr scaled(const Fr& x, const Scale& s, uint32_t index, uint32_t log_size) {
    if (s.kind == ScaleKind::kNone) return x;
    if (s.kind == ScaleKind::kConstant) return x * s.powers.low[0];
    const uint32_t i = index & ((1u << log_size) - 1);
    return times_power(x, s.powers, s.reversed ? reverse_bits(i, log_size) : i);
}

// Index in the array of an element of this block's tile.
SIMT_DEVICE inline uint32_t index_of(const Pass& p, uint32_t element) {
    if (p.low_bits == 0) return (blockIdx.x << p.tile_bits) + element;
    const uint32_t group_bits = p.low_bits - p.column_bits;
    const uint32_t above = blockIdx.x >> group_bits;
    const uint32_t group = blockIdx.x & ((1u << group_bits) - 1);
    const uint32_t row = element >> p.column_bits;
    const uint32_t column = element & ((1u << p.column_bits) - 1);
    return (above << (p.low_bits + p.row_bits)) + (row << p.low_bits) + (group << p.column_bits) +
           column;
}

// x with the twiddle between this pass and its upper neighbour.
SIMT_DEVICE inline Fr twiddled(const Fr& x, const Pass& p, uint32_t index) {
    const uint32_t column = index & ((1u << p.low_bits) - 1);
    const uint32_t row = (index >> p.low_bits) & ((1u << p.row_bits) - 1);
    const uint32_t e = column * reverse_bits(row, p.row_bits);
    return times_power(x, p.twiddles, e << (p.log_size + 1 - p.low_bits - p.row_bits));
}

SIMT_DEVICE inline void load_tile(const Pass& p, const Tile& tile) {
    for (uint32_t e = threadIdx.x; e < 1u << p.tile_bits; e += blockDim.x) {
        const uint32_t i = index_of(p, e);
        Fr x = Fr::zero();
        if (i < p.total) {
            x = p.src[i];
            if (p.factor != nullptr) x = x * p.factor[i];
            x = scaled(x, p.before, i, p.log_size);
            if (p.dif == Rounds::kNone && p.low_bits > 0) x = twiddled(x, p, i);
        }
        tile.set(e, x);
    }
    __syncthreads();
}

// Where `minuend` is set, x is the bit-reversed interpolation R of v and dst takes the quotient
// (minuend - R) / 2 in natural order, as canonical numbers.
SIMT_DEVICE inline void store_tile(const Pass& p, const Tile& tile) {
    for (uint32_t e = threadIdx.x; e < 1u << p.tile_bits; e += blockDim.x) {
        const uint32_t i = index_of(p, e);
        if (i >= p.total) continue;
        Fr x = tile.get(e);
        if (p.dit == Rounds::kNone && p.low_bits > 0) x = twiddled(x, p, i);
        x = scaled(x, p.after, i, p.log_size);
        if (p.minuend == nullptr) {
            p.dst[i] = x;
        } else {
            Fr h;
            half(p.minuend[i] - x).to_canonical(h.l);
            p.dst[reverse_bits(i, p.log_size)] = h;
        }
    }
}

SIMT_DEVICE inline void scale_tile(const Pass& p, const Tile& tile) {
    for (uint32_t e = threadIdx.x; e < 1u << p.tile_bits; e += blockDim.x) {
        tile.set(e, scaled(tile.get(e), p.between, index_of(p, e), p.log_size));
    }
    __syncthreads();
}

// w^e for the root w of order 2^bits, or its inverse.
SIMT_DEVICE inline Fr root_power(const Pass& p, Rounds rounds, uint32_t bits, uint32_t e) {
    uint32_t i = e << (p.root_bits - bits);
    if (rounds == Rounds::kInverse) i = (0 - i) & ((1u << p.root_bits) - 1);
    return p.roots[i];
}

// w^l for the root w of order 2^(s + 1), 0 < l < 2^s.
SIMT_DEVICE inline const Fr& group_root(const GroupRoots& roots, int s, uint32_t l) {
    return roots.powers[(l << (int(kGroupBits) - 1 - s)) - 1];
}

// The lowest `stages` stages of a DIF of the group, in place: natural order to bit-reversed.
SIMT_DEVICE inline void dif_group(Fr (&x)[kGroup], const Pass& p, uint32_t stages) {
    SIMT_UNROLL
    for (int s = int(kGroupBits) - 1; s >= 0; s--) {
        if (uint32_t(s) >= stages) continue;
        SIMT_UNROLL
        for (uint32_t j = 0; j < kGroup / 2; j++) {
            const uint32_t l = j & ((1u << s) - 1);
            const uint32_t a = (j >> s) << (s + 1) | l, b = a + (1u << s);
            const Fr difference = x[a] - x[b];
            x[a] = x[a] + x[b];
            x[b] = l == 0 ? difference : difference * group_root(p.dif_roots, s, l);
        }
    }
}

// The lowest `stages` stages of a DIT of the group, in place: bit-reversed order to natural.
SIMT_DEVICE inline void dit_group(Fr (&x)[kGroup], const Pass& p, uint32_t stages) {
    SIMT_UNROLL
    for (uint32_t s = 0; s < kGroupBits; s++) {
        if (s >= stages) continue;
        SIMT_UNROLL
        for (uint32_t j = 0; j < kGroup / 2; j++) {
            const uint32_t l = j & ((1u << s) - 1);
            const uint32_t a = (j >> s) << (s + 1) | l, b = a + (1u << s);
            const Fr second = l == 0 ? x[b] : x[b] * group_root(p.dit_roots, int(s), l);
            x[b] = x[a] - second;
            x[a] = x[a] + second;
        }
    }
}

// The element of the tile that this thread's group starts with, in a round over the row bits from
// `bit` on; the others follow at steps of 2^(bit + column_bits).
SIMT_DEVICE inline uint32_t group_start(const Pass& p, uint32_t bit) {
    const uint32_t position = bit + p.column_bits;
    const uint32_t below = threadIdx.x & ((1u << position) - 1);
    return (threadIdx.x >> position) << (position + kGroupBits) | below;
}

// One round over kGroupBits row bits from `bit` on. A group's outputs are twiddled for the rounds
// below it: row l of the columns left, output j: w^(l j), w of order 2^(bit + kGroupBits).
SIMT_DEVICE inline void dif_round(const Pass& p, const Tile& tile, uint32_t bit, uint32_t stages) {
    const uint32_t start = group_start(p, bit), step = bit + p.column_bits;
    Fr x[kGroup];
    SIMT_UNROLL
    for (uint32_t i = 0; i < kGroup; i++) x[i] = tile.get(start + (i << step));
    dif_group(x, p, stages);
    if (bit > 0) {
        const uint32_t l = (start >> p.column_bits) & ((1u << bit) - 1);
        SIMT_UNROLL
        for (uint32_t i = 1; i < kGroup; i++) {
            const uint32_t j = reverse_bits(i, kGroupBits);
            x[i] = x[i] * root_power(p, p.dif, bit + kGroupBits, l * j);
        }
    }
    SIMT_UNROLL
    for (uint32_t i = 0; i < kGroup; i++) tile.set(start + (i << step), x[i]);
    __syncthreads();
}

// The mirror image of dif_round: twiddles, then the group.
SIMT_DEVICE inline void dit_round(const Pass& p, const Tile& tile, uint32_t bit, uint32_t stages) {
    const uint32_t start = group_start(p, bit), step = bit + p.column_bits;
    Fr x[kGroup];
    SIMT_UNROLL
    for (uint32_t i = 0; i < kGroup; i++) x[i] = tile.get(start + (i << step));
    if (bit > 0) {
        const uint32_t l = (start >> p.column_bits) & ((1u << bit) - 1);
        SIMT_UNROLL
        for (uint32_t i = 1; i < kGroup; i++) {
            const uint32_t j = reverse_bits(i, kGroupBits);
            x[i] = x[i] * root_power(p, p.dit, bit + kGroupBits, l * j);
        }
    }
    dit_group(x, p, stages);
    SIMT_UNROLL
    for (uint32_t i = 0; i < kGroup; i++) tile.set(start + (i << step), x[i]);
    __syncthreads();
}

// One pass over the array: a block takes a tile through all rounds of its row bits, kGroupBits at a
// time and the remainder at the bottom.
//
// Invariant: only this block reads or writes the tile's elements of src (= dst), except for the
// quotient's last step, whose dst is another array.
// Cost per element: row_bits / 2 multiplications less the trivial ones (3.25 for 8 rows' bits), two
// for the twiddle, one where the powers are aligned; 32 bytes read and written.
__global__ void __launch_bounds__(kMaxThreads, kBlocksPerMultiprocessor) pass_kernel(const Pass p) {
    SIMT_DYN_SHARED(uint4, shared);
    const Tile tile{shared, shared + padded(1u << p.tile_bits)};
    load_tile(p, tile);
    if (p.dif != Rounds::kNone) {
        uint32_t bit = p.row_bits;
        for (; bit >= kGroupBits; bit -= kGroupBits) {
            dif_round(p, tile, bit - kGroupBits, kGroupBits);
        }
        if (bit > 0) dif_round(p, tile, 0, bit);
    }
    if (p.between.kind != ScaleKind::kNone) scale_tile(p, tile);
    if (p.dit != Rounds::kNone) {
        uint32_t bit = p.row_bits % kGroupBits;
        if (bit > 0) dit_round(p, tile, 0, bit);
        for (; bit < p.row_bits; bit += kGroupBits) dit_round(p, tile, bit, kGroupBits);
    }
    store_tile(p, tile);
}

// dst[i] = factor * base^i. For building tables: up to 2 log2(count) multiplications each.
__global__ void powers_kernel(Fr* dst, const Fr base, const Fr factor, uint32_t count) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    Fr power = factor, square = base;
    for (uint32_t e = i; e != 0; e >>= 1) {
        if (e & 1) power = power * square;
        square = sqr(square);
    }
    dst[i] = power;
}

// Swaps each element with the one at its bit-reversed index, in every transform of the batch.
__global__ void bit_reverse_kernel(Fr* data, uint32_t log_size, uint32_t total) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    const uint32_t within = i & ((1u << log_size) - 1);
    const uint32_t reversed = reverse_bits(within, log_size);
    if (within >= reversed) return;
    const uint32_t j = i - within + reversed;
    const Fr x = data[i];
    data[i] = data[j];
    data[j] = x;
}

}  // namespace G16_NS::ntt
