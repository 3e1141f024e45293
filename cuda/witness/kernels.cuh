// Classification of a witness: which scalars are one, and which are neither zero nor one.
//
// The simple algorithm is a stable partition. Here it is cut in three so that the scalars are read
// once and no block waits for another:
//   classify_kernel  reads the scalars; a warp turns its 32 into two words of bitmaps, and counts
//   exclusive sum    over the words' counts, those of the ones before those of the rest
//   emit_kernel      writes each set bit's index to its place
#pragma once
#include "field/fr.cuh"
#include "simt/simt.cuh"
#include "witness/tuning.cuh"

namespace G16_NS::witness {

// A warp's 32 scalars are one word. `bitmaps` and `counts` hold the words of the ones, then those
// of the rest; counts[2 * words] is 0, so that the exclusive sum ends with the total. Cost: 32
// bytes a scalar, no multiplies.
__global__ void __launch_bounds__(kBlockThreads)
    classify_kernel(const Fr* __restrict__ scalars, uint32_t n, uint32_t words,
                    uint32_t* __restrict__ bitmaps, uint32_t* __restrict__ counts) {
    const uint32_t warps_per_block = kBlockThreads / 32;
    const uint32_t word = blockIdx.x * warps_per_block + threadIdx.x / 32;
    const uint32_t lane = threadIdx.x % 32;
    if (word >= words) return;  // whole warps leave
    const uint32_t i = word * 32 + lane;
    bool is_one = false;
    bool is_rest = false;
    if (i < n) {
        const Fr scalar = scalars[i];
        is_one = scalar == Fr::one();
        is_rest = !is_one && !scalar.is_zero();
    }
    const uint32_t ones = __ballot_sync(0xffffffffu, is_one);
    const uint32_t rest = __ballot_sync(0xffffffffu, is_rest);
    if (lane == 0) {
        bitmaps[word] = ones;
        bitmaps[words + word] = rest;
        counts[word] = __popc(ones);
        counts[words + word] = __popc(rest);
        if (word == 0) counts[2 * words] = 0;
    }
}

// offsets is the exclusive sum of the counts. A set bit of word w goes to offsets[w] plus the bits
// below it; the rest's offsets begin at the number of ones. Indices beyond a list's capacity are
// dropped, the counts are true all the same.
// Cost: 16 bytes a word and 4 a written index.
__global__ void __launch_bounds__(kBlockThreads)
    emit_kernel(const uint32_t* __restrict__ bitmaps, const uint32_t* __restrict__ offsets,
                uint32_t words, uint32_t* __restrict__ ones_out, uint32_t ones_capacity,
                uint32_t* __restrict__ rest_out, uint32_t rest_capacity,
                uint32_t* __restrict__ counts_out) {
    const uint32_t warps_per_block = kBlockThreads / 32;
    const uint32_t word = blockIdx.x * warps_per_block + threadIdx.x / 32;
    const uint32_t lane = threadIdx.x % 32;
    if (word >= words) return;
    const uint32_t ones_total = offsets[words];
    const uint32_t bit = 1u << lane;
    const uint32_t i = word * 32 + lane;
    const uint32_t ones = bitmaps[word];
    const uint32_t rest = bitmaps[words + word];
    if ((ones & bit) != 0) {
        const uint32_t at = offsets[word] + __popc(ones & (bit - 1));
        if (at < ones_capacity) ones_out[at] = i;
    }
    if ((rest & bit) != 0) {
        const uint32_t at = offsets[words + word] - ones_total + __popc(rest & (bit - 1));
        if (at < rest_capacity) rest_out[at] = i;
    }
    if (i == 0) {
        counts_out[0] = ones_total;
        counts_out[1] = offsets[2 * words] - ones_total;
    }
}

}  // namespace G16_NS::witness
