// Launchers of the witness's classification.
#include "api.h"
#include "simt/prim.cuh"
#include "simt/simt.cuh"
#include "witness/kernels.cuh"

namespace G16_NS {
namespace witness {
namespace {

using simt::Status;

constexpr size_t kAlign = 256;

constexpr size_t aligned(size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

// Where the pieces of the workspace begin, in bytes.
struct Layout {
    uint32_t words;
    size_t counts, temp, temp_bytes, total;
};

Status plan(uint32_t n, Layout* layout) {
    const uint32_t words = n / 32 + (n % 32 != 0);
    layout->words = words;
    layout->counts = aligned(size_t{2} * words * sizeof(uint32_t));
    layout->temp = layout->counts + aligned((size_t{2} * words + 1) * sizeof(uint32_t));
    layout->temp_bytes = 0;
    const Status status =
        prim::exclusive_sum(nullptr, &layout->temp_bytes, nullptr, nullptr, 2 * words + 1, nullptr);
    layout->total = layout->temp + layout->temp_bytes;
    return status;
}

Status workspace(uint32_t n, size_t* bytes) {
    Layout layout;
    const Status status = plan(n, &layout);
    *bytes = layout.total;
    return status;
}

Status classify(const void* scalars, uint32_t n, uint32_t* ones, uint32_t ones_capacity,
                uint32_t* rest, uint32_t rest_capacity, uint32_t* counts, void* workspace_bytes,
                G16Stream stream) {
    if (n == 0) return simt::fill_bytes(counts, 0, 2 * sizeof(uint32_t), stream);
    Layout at;
    if (Status status = plan(n, &at)) return status;
    auto* base = static_cast<unsigned char*>(workspace_bytes);
    auto* bitmaps = reinterpret_cast<uint32_t*>(base);
    auto* sums = reinterpret_cast<uint32_t*>(base + at.counts);  // counts, then offsets
    const uint32_t warps_per_block = kBlockThreads / 32;
    const dim3 grid((at.words + warps_per_block - 1) / warps_per_block);
    const dim3 block(kBlockThreads);
    Status status = simt::launch(classify_kernel, grid, block, 0, stream,
                                 static_cast<const Fr*>(scalars), n, at.words, bitmaps, sums);
    if (status != 0) return status;
    status =
        prim::exclusive_sum(base + at.temp, &at.temp_bytes, sums, sums, 2 * at.words + 1, stream);
    if (status != 0) return status;
    return simt::launch(emit_kernel, grid, block, 0, stream, bitmaps, sums, at.words, ones,
                        ones_capacity, rest, rest_capacity, counts);
}

}  // namespace
}  // namespace witness

G16WitnessApi witness_api() { return {witness::workspace, witness::classify}; }

simt::Status witness_load() {
    if (const simt::Status status = simt::load_kernel(witness::classify_kernel)) return status;
    return simt::load_kernel(witness::emit_kernel);
}

}  // namespace G16_NS
