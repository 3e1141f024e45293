// Sorting, scanning and selecting over whole arrays: CUB under nvcc, plain loops on the host.
//
// With `temp == nullptr` a function only writes how many bytes of workspace it needs for these
// sizes to `*temp_bytes`; otherwise it enqueues its work. Inputs and outputs may not overlap, but a
// sum may be taken in place.
#pragma once

#include "simt/simt.cuh"

namespace G16_NS::prim {

using simt::Status;
using simt::Stream;

// Sorts pairs by the bits [begin_bit, end_bit) of their keys, ascending; equal keys keep their
// order.
Status sort_pairs(void* temp, size_t* temp_bytes, const uint32_t* keys_in, uint32_t* keys_out,
                  const uint32_t* vals_in, uint32_t* vals_out, uint32_t n, int begin_bit,
                  int end_bit, Stream stream);

// out[i] = in[0] + … + in[i - 1] modulo 2^32.
Status exclusive_sum(void* temp, size_t* temp_bytes, const uint32_t* in, uint32_t* out, uint32_t n,
                     Stream stream);

// The indices i with flags[i] != 0, ascending, and how many there are.
Status select_indices(void* temp, size_t* temp_bytes, const uint8_t* flags, uint32_t* indices_out,
                      uint32_t* count_out, uint32_t n, Stream stream);

// Runs everything once on small arrays of its own, so that no kernel is loaded later. It allocates
// and waits.
Status load();

}  // namespace G16_NS::prim
