// Elements of Fp2 in pairs of lanes: the even lane holds c0, the odd one c1.
//
// A product is then half as much work a lane, and its operands take half the registers. Every
// function but the sums is for whole warps: the lanes of a pair exchange components.
#pragma once

#include "field/fp2.cuh"

namespace G16_NS {

struct alignas(16) Fp2Lane {
    Fp c;

    __device__ __forceinline__ static bool odd() { return threadIdx.x % 2 != 0; }
    __device__ __forceinline__ static Fp2Lane zero() { return {Fp::zero()}; }
    __device__ __forceinline__ static Fp2Lane one() { return {odd() ? Fp::zero() : Fp::one()}; }

    __device__ __forceinline__ Fp others() const { return simt::shfl_xor(simt::kFullMask, c, 1); }

    friend __device__ __forceinline__ Fp2Lane operator+(const Fp2Lane& a, const Fp2Lane& b) {
        return {a.c + b.c};
    }
    friend __device__ __forceinline__ Fp2Lane operator-(const Fp2Lane& a, const Fp2Lane& b) {
        return {a.c - b.c};
    }
    friend __device__ __forceinline__ Fp2Lane operator-(const Fp2Lane& a) { return {-a.c}; }

    // Even: a0 b0 - a1 b1; odd: a1 b0 + a0 b1. One reduction.
    friend __device__ __forceinline__ Fp2Lane operator*(const Fp2Lane& a, const Fp2Lane& b) {
        const Fp a_other = a.others(), b_other = b.others();
        const Fp b0 = odd() ? b_other : b.c;
        const Fp b1 = odd() ? b.c : b_other;
        return {mul_add_mul(a.c, b0, odd() ? a_other : -a_other, b1)};
    }
};

// Even: (c0 + c1) (c0 - c1); odd: 2 c0 c1.
__device__ __forceinline__ Fp2Lane sqr(const Fp2Lane& x) {
    const Fp other = x.others();
    const bool odd = Fp2Lane::odd();
    return {(x.c + (odd ? x.c : other)) * (odd ? other : x.c - other)};
}

// Whether the pair's element is zero.
__device__ __forceinline__ bool is_zero_in_lanes(const Fp2Lane& x) {
    const uint32_t votes = __ballot_sync(simt::kFullMask, x.c.is_zero());
    return (votes >> (threadIdx.x % simt::kWarpSize & ~1u) & 3) == 3;
}

// The same for an element in one lane.
__device__ __forceinline__ bool is_zero_in_lanes(const Fp& x) { return x.is_zero(); }

}  // namespace G16_NS
