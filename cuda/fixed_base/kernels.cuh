// Fixed-base multiplication: many multiples of one point B.
//
// The simple algorithm is double-and-add, 255 doublings a scalar. Here a table holds the multiples
// of B that a window of a scalar can name, so that a multiple costs one addition a window:
//   table_kernel      builds the table level by level, in XYZZ coordinates
//   multiply_kernel   adds each scalar's entries
//   normalize         (curve/normalize.cuh) makes the table and the multiples affine
//
// Digits are signed (field/signed_digits.cuh). Window w has the entries d · 2^start B for d from 1
// to 2^(width − 1), one window's entries behind the other's.
#pragma once
#include "curve/xyzz.cuh"
#include "field/signed_digits.cuh"
#include "fixed_base/tuning.cuh"
#include "simt/simt.cuh"

namespace G16_NS::fixed_base {

// Entries of one window.
SIMT_HD inline uint32_t window_entries(uint32_t windows, uint32_t window) {
    return uint32_t(1) << (window_width(windows, window) - 1);
}

// Entries of the windows before this one; of the whole table for window = windows.
SIMT_HD inline uint32_t first_entry(uint32_t windows, uint32_t window) {
    const uint32_t wide = kScalarBits % windows;
    const uint32_t narrow_entries = window_entries(windows, windows - 1);
    return (window + (window < wide ? window : wide)) * narrow_entries;
}

// Writes the entries of the digits 2^level … 2^(level + 1) − 1 of all windows, as far as there are;
// bases[w] = 2^start B.
//
// Plan: one thread a digit d; its entry is twice that of d / 2, and the window's base more if d is
// odd. Invariant: the levels below are in the table. Cost: a doubling and every other time a mixed
// addition; 192 bytes read and written in G1, 384 in G2.
template <class F>
__global__ void __launch_bounds__(kTableThreads)
    table_kernel(const Affine<F>* __restrict__ bases, uint32_t windows, uint32_t level,
                 Xyzz<F>* table) {
    const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t window = thread >> level;
    if (window >= windows) return;
    const uint32_t power = uint32_t(1) << level;
    const uint32_t digit = power + (thread & (power - 1));
    if (digit > window_entries(windows, window)) return;
    const Affine<F> base = bases[window];
    Xyzz<F>* entries = table + first_entry(windows, window);
    Xyzz<F> entry = Xyzz<F>::infinity();
    if (level != 0) entry = dbl(entries[digit / 2 - 1]);
    if (digit % 2 != 0) entry = add_mixed(entry, base);
    entries[digit - 1] = entry;
}

// A thread's place in shared memory for its recoded scalar: words of one index lie side by side for
// all threads. In registers they would have to be selected, eight moves for every digit.
template <uint32_t THREADS>
struct DigitSlot {
    uint32_t* words;

    __device__ __forceinline__ void put(const ScalarBits& value) const {
        SIMT_UNROLL
        for (uint32_t i = 0; i < 8; i++) words[i * THREADS] = value.l[i];
    }

    // Bits start … start + 31, below 2^256.
    __device__ __forceinline__ uint32_t at(uint32_t start) const {
        const uint32_t word = start / 32;
        const uint32_t next = min(word + 1, 7u);  // the top word's bits are never asked beyond it
        return __funnelshift_r(words[word * THREADS], words[next * THREADS], start % 32);
    }
};

// sums[i] = scalars[i] · B, scalars in Montgomery form.
//
// Plan: one thread a scalar. It is taken out of Montgomery form, negated into the lower half and
// recoded once; then each window's digit names an entry, whose sign is that of the digit and of the
// negation together. Invariant: `sum` is ± B times the windows so far. Below the top of the sum, an
// entry is never equal or opposite to it; the additions are complete all the same.
// Cost: 8M + 2S and an entry of the table, 96 bytes in G1, 192 in G2, for each window; 32 bytes
// read, and 192 or 384 written.
template <class F>
__global__ void __launch_bounds__(Tuning<F>::kBlockThreads, Tuning<F>::kBlocksPerSm)
    multiply_kernel(const Fr* __restrict__ scalars, uint32_t n, ScalarBits offset, uint32_t windows,
                    const Affine<F>* __restrict__ table, Xyzz<F>* __restrict__ sums) {
    constexpr uint32_t kThreads = Tuning<F>::kBlockThreads;
    SIMT_SHARED(uint32_t, recoded, 8 * kThreads);
    const uint32_t i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= n) return;
    ScalarBits value;
    scalars[i].to_canonical(value.l);
    const bool negated = to_lower_half(&value);
    add_to(&value, offset.l);
    const DigitSlot<kThreads> slot = {recoded + threadIdx.x};
    slot.put(value);

    Xyzz<F> sum = Xyzz<F>::infinity();
    uint32_t start = 0;
    for (uint32_t window = 0; window < windows; window++) {
        const uint32_t width = window_width(windows, window);
        const uint32_t half = uint32_t(1) << (width - 1);
        const uint32_t raised = slot.at(start) & (2 * half - 1);
        const bool below = raised < half;
        const uint32_t magnitude = below ? half - raised : raised - half;
        if (magnitude != 0) {
            Affine<F> entry = table[magnitude - 1];
            if (below != negated) entry.y = -entry.y;
            sum = add_mixed_inline(sum, entry);
        }
        start += width;
        table += half;
    }
    sums[i] = sum;
}

}  // namespace G16_NS::fixed_base
