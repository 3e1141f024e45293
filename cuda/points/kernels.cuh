// A key's points: from a file's bytes to the kernels' layout and back, and checks.
#pragma once
#include <cstring>

#include "api.h"
#include "curve/encode.cuh"
#include "curve/subgroup.cuh"
#include "points/tuning.cuh"
#include "simt/simt.cuh"

namespace G16_NS::points {

// Remembers the first fault: the least index, then the least reason.
__device__ __forceinline__ void report(uint32_t* fault, uint32_t index, uint32_t reason) {
    atomicMin(fault, index << G16_POINT_REASON_BITS | reason);
}

// The word that holds four big-endian bytes, as a number.
__device__ __forceinline__ uint32_t big_endian(uint32_t word) {
    return word << 24 | (word & 0xff00) << 8 | (word >> 8 & 0xff00) | word >> 24;
}

// Reads 12 words of big-endian bytes; false if their number is not below p.
__device__ inline bool decode_element(const uint32_t* words, Fp* x) {
    uint32_t limbs[Fp::kLimbs];
    SIMT_UNROLL
    for (int i = 0; i < Fp::kLimbs; i++) limbs[i] = big_endian(words[Fp::kLimbs - 1 - i]);
    if (!Fp::is_canonical(limbs)) return false;
    *x = Fp::from_canonical(limbs);
    return true;
}

__device__ inline bool decode_element(const uint32_t* words, Fp2* x) {
    return decode_element(words, &x->c1) && decode_element(words + Fp::kLimbs, &x->c0);
}

// Decodes one point, whose words it may change; 0 or the reason why it is refused.
template <class G>
__device__ inline uint32_t decode_point(uint32_t* words, uint32_t checks,
                                        Affine<typename G::Field>* point) {
    using F = typename G::Field;
    constexpr int kWords = kEncodedBytes<F> / 4;
    const uint32_t flags = words[0] & 0xff;
    if ((flags & kCompressedFlag) != 0) return G16_POINT_COMPRESSED;
    if ((flags & kSortFlag) != 0) return G16_POINT_SORT_FLAG;
    if ((flags & kInfinityFlag) != 0) {
        uint32_t any = words[0] ^ kInfinityFlag;
        SIMT_UNROLL
        for (int i = 1; i < kWords; i++) any |= words[i];
        if (any != 0) return G16_POINT_NOT_ZERO;
        return (checks & G16_POINT_REFUSE_INFINITY) != 0 ? G16_POINT_INFINITY : 0;
    }
    Affine<F> a;
    if (!decode_element(words, &a.x) || !decode_element(words + kWords / 2, &a.y)) {
        return G16_POINT_COORDINATE;
    }
    if (a.is_infinity()) return G16_POINT_CURVE;  // (0, 0), which only the kernels call infinity
    if ((checks & G16_POINT_CHECK_CURVE) != 0 && !is_on_curve(a, G::b())) return G16_POINT_CURVE;
    *point = a;
    return 0;
}

// points[i] = the point that the i-th encoding stands for, infinity where it is refused; the first
// refused one is reported as index first + i. `bytes` and `points` may be the same memory: a thread
// has read its encoding before it writes its point.
// Cost: two passes over a point's bytes, 5 multiplies in G1, 13 in G2.
template <class G>
__global__ void __launch_bounds__(kBlockThreads)
    decode_kernel(const uint4* bytes, uint32_t n, uint32_t first, uint32_t checks,
                  Affine<typename G::Field>* points, uint32_t* fault) {
    using F = typename G::Field;
    constexpr int kVectors = kEncodedBytes<F> / sizeof(uint4);
    const uint32_t i = blockIdx.x * kBlockThreads + threadIdx.x;
    if (i >= n) return;
    uint32_t words[4 * kVectors];
    SIMT_UNROLL
    for (int k = 0; k < kVectors; k++) {
        const uint4 v = bytes[size_t{i} * kVectors + k];
        words[4 * k] = v.x;
        words[4 * k + 1] = v.y;
        words[4 * k + 2] = v.z;
        words[4 * k + 3] = v.w;
    }
    Affine<F> point = Affine<F>::infinity();
    const uint32_t reason = decode_point<G>(words, checks, &point);
    if (reason != 0) report(fault, first + i, reason);
    points[i] = point;
}

// Writes 12 words of big-endian bytes.
__device__ inline void encode_words(const Fp& x, uint32_t* words) {
    uint32_t limbs[Fp::kLimbs];
    x.to_canonical(limbs);
    SIMT_UNROLL
    for (int i = 0; i < Fp::kLimbs; i++) words[Fp::kLimbs - 1 - i] = big_endian(limbs[i]);
}

__device__ inline void encode_words(const Fp2& x, uint32_t* words) {
    encode_words(x.c1, words);
    encode_words(x.c0, words + Fp::kLimbs);
}

// Puts the uncompressed encoding of each point into its place.
// Cost: two passes over a point's bytes, 2 multiplies in G1, 4 in G2.
template <class G>
__global__ void __launch_bounds__(kBlockThreads)
    encode_kernel(Affine<typename G::Field>* points, uint32_t n) {
    using F = typename G::Field;
    constexpr int kVectors = kEncodedBytes<F> / sizeof(uint4);
    const uint32_t i = blockIdx.x * kBlockThreads + threadIdx.x;
    if (i >= n) return;
    const Affine<F> point = points[i];
    uint32_t words[4 * kVectors];
    encode_words(point.x, words);
    encode_words(point.y, words + 2 * kVectors);
    if (point.is_infinity()) words[0] = kInfinityFlag;
    Affine<F> encoded;
    memcpy(&encoded, words, sizeof(encoded));
    points[i] = encoded;
}

// Reports the first point of the curve that is not in the subgroup of order r.
// Cost: about 1,200 multiplies in G1, 600 in Fp2 in G2.
template <class G>
__global__ void __launch_bounds__(kBlockThreads)
    subgroup_kernel(const Affine<typename G::Field>* __restrict__ points, uint32_t n,
                    uint32_t first, uint32_t* fault) {
    const uint32_t i = blockIdx.x * kBlockThreads + threadIdx.x;
    if (i >= n) return;
    if (!is_in_subgroup(points[i])) report(fault, first + i, G16_POINT_SUBGROUP);
}

}  // namespace G16_NS::points
