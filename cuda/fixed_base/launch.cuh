// Launchers of fixed-base multiplication, for one group.
#pragma once
#include "api.h"
#include "curve/normalize.cuh"
#include "fixed_base/kernels.cuh"

namespace G16_NS::fixed_base {

// Additions for a table with this many windows and as many multiples.
template <class F>
uint64_t additions(uint32_t windows, uint64_t multiples) {
    return windows * multiples + kEntryAdditions * first_entry(windows, windows);
}

// The number of windows with the fewest additions. From 2^32 multiples on that is the least one.
template <class F>
uint32_t tuned_windows(uint64_t multiples) {
    if (multiples >> 32 != 0) multiples = uint64_t(1) << 32;
    uint32_t best = Tuning<F>::kWindowsMin;
    for (uint32_t windows = best; windows <= kScalarWindowsMax; windows++) {
        if (additions<F>(windows, multiples) < additions<F>(best, multiples)) best = windows;
    }
    return best;
}

inline uint32_t entries(uint32_t windows) { return first_entry(windows, windows); }

// The multiples in XYZZ coordinates.
template <class F>
size_t workspace(uint32_t n) {
    return n * sizeof(Xyzz<F>);
}

// Threads that cover `items`, in whole blocks.
inline dim3 blocks(uint32_t items, uint32_t threads) {
    return dim3((items + threads - 1) / threads);
}

template <class F>
simt::Status build(const void* bases, uint32_t windows, void* table, void* workspace_bytes,
                   G16Stream stream) {
    auto* sums = static_cast<Xyzz<F>*>(workspace_bytes);
    const uint32_t levels = window_width(windows, 0);
    for (uint32_t level = 0; level < levels; level++) {
        const simt::Status status = simt::launch(
            table_kernel<F>, blocks(windows << level, kTableThreads), dim3(kTableThreads), 0,
            stream, static_cast<const Affine<F>*>(bases), windows, level, sums);
        if (status != 0) return status;
    }
    return normalize(sums, entries(windows), static_cast<Affine<F>*>(table), stream);
}

template <class F>
simt::Status multiply(const void* scalars, uint32_t n, const void* table, uint32_t windows,
                      void* out, void* workspace_bytes, G16Stream stream) {
    if (n == 0) return 0;
    constexpr uint32_t kThreads = Tuning<F>::kBlockThreads;
    auto* sums = static_cast<Xyzz<F>*>(workspace_bytes);
    const simt::Status status =
        simt::launch(multiply_kernel<F>, blocks(n, kThreads), dim3(kThreads), 0, stream,
                     static_cast<const Fr*>(scalars), n, digit_offset(windows), windows,
                     static_cast<const Affine<F>*>(table), sums);
    if (status != 0) return status;
    return normalize(sums, n, static_cast<Affine<F>*>(out), stream);
}

template <class F>
simt::Status load() {
    if (const simt::Status status = simt::load_kernel(table_kernel<F>)) return status;
    if (const simt::Status status = simt::load_kernel(multiply_kernel<F>)) return status;
    return simt::load_kernel(normalize_kernel<F>);
}

template <class F>
G16FixedBaseApi api() {
    return {tuned_windows<F>, window_start, entries, workspace<F>, build<F>, multiply<F>};
}

}  // namespace G16_NS::fixed_base
