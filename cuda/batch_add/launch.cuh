// Launchers of batch addition, for one group.
#pragma once
#include "api.h"
#include "batch_add/kernels.cuh"

namespace G16_NS::batch_add {

// Blocks of sum_kernel for a list of at most max_count elements; one even if there are none.
template <class F>
uint32_t sum_blocks(uint32_t max_count) {
    constexpr uint32_t kPerBlock = Tuning<F>::kBlockThreads * Tuning<F>::kMinPerThread;
    const uint32_t blocks = max_count / kPerBlock + 1;
    return blocks < Tuning<F>::kMaxBlocks ? blocks : Tuning<F>::kMaxBlocks;
}

// Partials that one warp of fold_kernel takes, so that at most kMaxPartials are left.
constexpr uint32_t fold_lanes(uint32_t blocks) {
    uint32_t lanes = 1;
    while (lanes * kMaxPartials < blocks) lanes *= 2;
    return lanes;
}

static_assert(fold_lanes(Tuning<Fp>::kMaxBlocks) <= kFoldThreads);
static_assert(fold_lanes(Tuning<Fp2>::kMaxBlocks) <= kFoldThreads);

template <class F>
uint32_t partials(uint32_t max_count) {
    const uint32_t blocks = sum_blocks<F>(max_count);
    const uint32_t lanes = fold_lanes(blocks);
    return (blocks + lanes - 1) / lanes;
}

// The blocks' partials, if they must be folded.
template <class F>
size_t workspace(uint32_t max_count) {
    const uint32_t blocks = sum_blocks<F>(max_count);
    return blocks <= kMaxPartials ? 0 : blocks * sizeof(Xyzz<F>);
}

template <class F>
simt::Status sum(const void* points, const G16IndexMap* map, const uint32_t* list,
                 const uint32_t* count, uint32_t max_count, void* out, void* workspace_bytes,
                 G16Stream stream) {
    const uint32_t blocks = sum_blocks<F>(max_count);
    const uint32_t lanes = fold_lanes(blocks);
    auto* folded = static_cast<Xyzz<F>*>(out);
    auto* block_sums = lanes == 1 ? folded : static_cast<Xyzz<F>*>(workspace_bytes);
    const simt::Status status = simt::launch(
        sum_kernel<F>, dim3(blocks), dim3(Tuning<F>::kBlockThreads), 0, stream,
        static_cast<const Affine<F>*>(points), *map, list, count, max_count, block_sums);
    if (status != 0 || lanes == 1) return status;
    return simt::launch(fold_kernel<F>, dim3(partials<F>(max_count)), dim3(kFoldThreads), 0, stream,
                        block_sums, blocks, lanes, folded);
}

template <class F>
simt::Status load() {
    if (const simt::Status status = simt::load_kernel(sum_kernel<F>)) return status;
    return simt::load_kernel(fold_kernel<F>);
}

template <class F>
G16BatchAddApi api() {
    return {partials<F>, workspace<F>, sum<F>};
}

}  // namespace G16_NS::batch_add
