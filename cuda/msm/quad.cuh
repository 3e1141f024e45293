// An addition of points by four lanes, for chains of additions that nothing else can hide: four
// multiplications one after the other in place of fourteen.
//
// The lanes meet in shared memory. A quad has numbered places there, each for a field element; a
// point takes four of them: X, Y, ZZ, ZZZ. In a step each lane multiplies two places and writes a
// third; what a step reads no lane of it writes.
#pragma once
#include <cstring>

#include "curve/xyzz.cuh"
#include "msm/tuning.cuh"

namespace G16_NS::msm {

constexpr uint32_t kQuadLanes = 4;
constexpr uint32_t kQuads = kReduceThreads / kQuadLanes;  // of a block

// Where a quad keeps its points, and values of an addition.
enum QuadPlace : uint32_t { kQuadA = 0, kQuadB = 4, kQuadC = 8, kQuadT = 12, kQuadPlaces = 20 };

// A step's places for one lane: to = a · b.
SIMT_HD constexpr uint32_t quad_product(uint32_t a, uint32_t b, uint32_t to) {
    return a | b << 8 | to << 16;
}

// One lane of a quad. All lanes of the warp call its functions together.
template <class F>
struct Quad {
    static constexpr uint32_t kWords = sizeof(F) / sizeof(uint4);
    static constexpr size_t kSharedBytes = kQuadPlaces * sizeof(F) * kQuads;  // of a block

    uint32_t quad;  // in the block
    uint32_t lane;

    __device__ __forceinline__ F load(uint32_t place) const {
        SIMT_DYN_SHARED(uint4, shared);
        uint4 words[kWords];
        SIMT_UNROLL
        for (uint32_t i = 0; i < kWords; i++) {
            words[i] = shared[(place * kWords + i) * kQuads + quad];
        }
        F value;
        memcpy(&value, words, sizeof(F));
        return value;
    }

    __device__ __forceinline__ void store(uint32_t place, const F& value) const {
        SIMT_DYN_SHARED(uint4, shared);
        uint4 words[kWords];
        memcpy(words, &value, sizeof(F));
        SIMT_UNROLL
        for (uint32_t i = 0; i < kWords; i++) {
            shared[(place * kWords + i) * kQuads + quad] = words[i];
        }
    }

    __device__ __forceinline__ Xyzz<F> load_point(uint32_t base) const {
        return {load(base), load(base + 1), load(base + 2), load(base + 3)};
    }

    // Each lane copies one coordinate from or to global memory.
    __device__ __forceinline__ void fetch(uint32_t base, const Xyzz<F>& point) const {
        const F coordinate = (&point.x)[lane];
        store(base + lane, coordinate);
        __syncwarp();
    }

    __device__ __forceinline__ void put(Xyzz<F>* point, uint32_t base) const {
        (&point->x)[lane] = load(base + lane);
    }

    __device__ __forceinline__ void copy(uint32_t from, uint32_t to) const {
        store(to + lane, load(from + lane));
        __syncwarp();
    }

    // The four lanes' products.
    __device__ __forceinline__ void step(uint32_t first, uint32_t second, uint32_t third,
                                         uint32_t fourth) const {
        const uint32_t low = lane == 0 ? first : second, high = lane == 2 ? third : fourth;
        const uint32_t own = lane < 2 ? low : high;
        store(own >> 16, mul_call(load(own & 0xff), load(own >> 8 & 0xff)));
        __syncwarp();
    }

    // C = A + B, by add-2008-s.
    __device__ __forceinline__ void add_points() const {
        constexpr uint32_t x1 = kQuadA, y1 = kQuadA + 1, zz1 = kQuadA + 2, zzz1 = kQuadA + 3;
        constexpr uint32_t x2 = kQuadB, y2 = kQuadB + 1, zz2 = kQuadB + 2, zzz2 = kQuadB + 3;
        constexpr uint32_t x3 = kQuadC, y3 = kQuadC + 1, zz3 = kQuadC + 2, zzz3 = kQuadC + 3;
        constexpr uint32_t u1 = kQuadT, p = u1 + 1, s1 = u1 + 2, r = u1 + 3;
        constexpr uint32_t pp = u1 + 4, rr = u1 + 5, zz = u1 + 6, zzz = u1 + 7;
        step(quad_product(x1, zz2, u1), quad_product(x2, zz1, p), quad_product(y1, zzz2, s1),
             quad_product(y2, zzz1, r));
        const F difference = load(lane == 0 ? p : r) - load(lane == 0 ? u1 : s1);
        __syncwarp();
        if (lane < 2) store(lane == 0 ? p : r, difference);
        __syncwarp();
        const bool exception = load(zz1).is_zero() || load(zz2).is_zero() || load(p).is_zero();
        step(quad_product(p, p, pp), quad_product(r, r, rr), quad_product(zz1, zz2, zz),
             quad_product(zzz1, zzz2, zzz));
        constexpr uint32_t ppp = x3, q = y3, y3_high = u1, y3_low = p;
        step(quad_product(p, pp, ppp), quad_product(u1, pp, q), quad_product(zz, pp, zz3),
             quad_product(zz, pp, zzz3));  // the last lane's is of no use
        const F x = load(rr) - load(ppp) - dbl(load(q));
        if (lane == 0) store(pp, load(q) - x);
        __syncwarp();
        step(quad_product(r, pp, y3_high), quad_product(s1, ppp, y3_low),
             quad_product(zzz, ppp, zzz3), quad_product(zzz, ppp, q));
        if (lane == 0) {
            store(x3, x);
            store(y3, load(y3_high) - load(y3_low));
            if (exception) {
                const Xyzz<F> sum = add(load_point(kQuadA), load_point(kQuadB));
                store(x3, sum.x);
                store(y3, sum.y);
                store(zz3, sum.zz);
                store(zzz3, sum.zzz);
            }
        }
        __syncwarp();
    }

    // A = 2 C, by dbl-2008-s-1. Infinity stays infinity: ZZ3 = V ZZ1.
    __device__ __forceinline__ void double_point() const {
        constexpr uint32_t x1 = kQuadC, y1 = kQuadC + 1, zz1 = kQuadC + 2, zzz1 = kQuadC + 3;
        constexpr uint32_t x3 = kQuadA, y3 = kQuadA + 1, zz3 = kQuadA + 2, zzz3 = kQuadA + 3;
        constexpr uint32_t u = kQuadT, v = u + 1, xx = u + 2, m = u + 3, w = u + 4, s = u + 5;
        constexpr uint32_t mm = u + 6, rest = u + 7, y3_high = v, y3_low = xx;
        if (lane == 0) store(u, dbl(load(y1)));
        __syncwarp();
        step(quad_product(u, u, v), quad_product(x1, x1, xx), quad_product(x1, x1, s),
             quad_product(x1, x1, mm));
        if (lane == 0) store(m, dbl(load(xx)) + load(xx));
        __syncwarp();
        step(quad_product(u, v, w), quad_product(x1, v, s), quad_product(m, m, mm),
             quad_product(zz1, v, zz3));
        const F x = load(mm) - dbl(load(s));
        if (lane == 0) store(rest, load(s) - x);
        __syncwarp();
        step(quad_product(m, rest, y3_high), quad_product(w, y1, y3_low),
             quad_product(w, zzz1, zzz3), quad_product(w, zzz1, s));
        if (lane == 0) {
            store(x3, x);
            store(y3, load(y3_high) - load(y3_low));
        }
        __syncwarp();
    }
};

// The same out of line: the less code, the sooner a warp has fetched it.
template <class F>
SIMT_NOINLINE void quad_add(Quad<F> quad) {
    quad.add_points();
}

template <class F>
SIMT_NOINLINE void quad_double(Quad<F> quad) {
    quad.double_point();
}

}  // namespace G16_NS::msm
