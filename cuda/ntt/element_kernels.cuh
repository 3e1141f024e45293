// The element-wise kernels of transforms.
#pragma once

#include "ntt/pass.cuh"

namespace G16_NS::ntt {

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
