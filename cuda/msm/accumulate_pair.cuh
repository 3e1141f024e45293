// Accumulation by pairs of lanes, for a field whose elements fill a thread's registers: the even
// lane of a pair has X and ZZ of the sum, the odd one Y and ZZZ.
//
// madd-2008-s falls into two halves of the same shape, so both lanes run the same instructions:
//
//     even                     odd
//     P  = x2 ZZ - X           R   = y2 ZZZ - Y           each also needs the other's
//     PP = P^2                 R^2                        each also needs the other's
//     Q  = X PP                PPP = P PP                 PPP goes to the even lane
//     X' = R^2 - PPP - 2 Q
//     R (Q - X')               Y PPP                      a component of each goes either way
//     Y'.c0                    Y'.c1                      reduced; Y'.c0 goes to the odd lane
//     ZZ' = ZZ PP              ZZZ' = ZZZ PPP
//
// Operands wait in shared memory: a lane reads its own places, by addresses that depend on its
// parity, and writes its own and the other lane's. Registers then hold one product at a time.
#pragma once
#include "msm/accumulate.cuh"

namespace G16_NS::msm {

// The places of a lane, each for an element of Fp2.
enum PairPlace : uint32_t {
    kIncoming,     // x2, y2
    kCoordinate,   // X, Y
    kPower,        // ZZ, ZZZ
    kOther,        // R, P
    kOtherSquare,  // R^2, PP; then Q - X' in the even lane
    kFactor,       // PP, PPP
    kPairPlaces,
};

constexpr uint32_t kPairWords = sizeof(Fp2) / sizeof(uint4);
constexpr size_t kPairSharedBytes = kPairPlaces * sizeof(Fp2) * kAccumulateThreads;

// Where a place of a lane starts; its words are kAccumulateThreads apart.
__device__ __forceinline__ uint32_t pair_place(uint32_t place, uint32_t thread) {
    return place * kPairWords * kAccumulateThreads + thread;
}

__device__ __forceinline__ Fp2 load_pair(uint32_t at) {
    SIMT_DYN_SHARED(uint4, shared);
    return Slot<Fp2>{shared + at}.read();
}

__device__ __forceinline__ void store_pair(uint32_t at, const Fp2& value) {
    SIMT_DYN_SHARED(uint4, shared);
    Slot<Fp2>{shared + at}.write(value);
}

// The other lane's value.
template <class T>
__device__ __forceinline__ T exchange(const T& value) {
    return simt::shfl_xor(simt::kFullMask, value, 1);
}

// A lane of a pair, and its half of the sum.
struct PairLane {
    bool odd;

    __device__ __forceinline__ uint32_t own(PairPlace place) const {
        return pair_place(place, threadIdx.x);
    }

    __device__ __forceinline__ uint32_t others(PairPlace place) const {
        return pair_place(place, threadIdx.x ^ 1);
    }

    // sum = point.
    __device__ __forceinline__ void set(const Fp2& coordinate, const Fp2& power) const {
        store_pair(own(kCoordinate), coordinate);
        store_pair(own(kPower), power);
    }

    // The votes of the pair's lanes, the even one's in bit 0; the whole warp calls it.
    __device__ __forceinline__ uint32_t votes(bool vote) const {
        return __ballot_sync(simt::kFullMask, vote) >> (threadIdx.x % simt::kWarpSize & ~1u) & 3;
    }
};

// The incoming coordinate, with its sign.
__device__ __forceinline__ Fp2 incoming(PairLane lane, bool negative) {
    const Fp2 coordinate = load_pair(lane.own(kIncoming));
    return negative && lane.odd ? -coordinate : coordinate;
}

// sum += point for any sum and point, in those pairs that are `active`; the whole warp calls it.
SIMT_NOINLINE void add_any_pair(bool odd, bool negative, bool active) {
    const PairLane lane = {odd};
    const Fp2 own = incoming(lane, negative), other = exchange(own);
    const Fp2 coordinate = load_pair(lane.own(kCoordinate)), power = load_pair(lane.own(kPower));
    const Fp2 other_coordinate = exchange(coordinate), other_power = exchange(power);
    if (!active) return;
    const Affine<Fp2> point = {odd ? other : own, odd ? own : other};
    const Xyzz<Fp2> sum = {odd ? other_coordinate : coordinate, odd ? coordinate : other_coordinate,
                           odd ? other_power : power, odd ? power : other_power};
    const Xyzz<Fp2> r = add_mixed(sum, point);
    lane.set(odd ? r.y : r.x, odd ? r.zzz : r.zz);
}

// The four products of an addition, in order. Every lane multiplies two of its places.
enum PairStep : uint32_t { kDifference, kCube, kOrdinate, kPowers, kPairSteps };

// The places of a step's factors, kPower and kFactor in the last.
__device__ __forceinline__ void factors(PairLane lane, uint32_t step, uint32_t* a, uint32_t* b) {
    PairPlace first = kPower, second = kFactor;
    if (step == kDifference) {
        first = kIncoming, second = kPower;
    } else if (step == kCube) {
        first = lane.odd ? kOther : kCoordinate, second = lane.odd ? kOtherSquare : kFactor;
    } else if (step == kOrdinate) {
        first = lane.odd ? kCoordinate : kOther, second = lane.odd ? kFactor : kOtherSquare;
    }
    *a = lane.own(first), *b = lane.own(second);
}

// sum += point in those pairs that are `active`, the whole warp calls it; `consumed` runs when the
// incoming place is free. Where a pair is at an exception of the formula, all take another way.
//
// The steps share one multiplication, in a loop: the more code, the longer its fetching takes.
template <class Consumed>
__device__ __forceinline__ void add_pair(PairLane lane, bool negative, bool active,
                                         Consumed consumed) {
    SIMT_ROLLED
    for (uint32_t step = 0; step < kPairSteps; step++) {
        uint32_t a, b;
        factors(lane, step, &a, &b);
        Fp2Product d = mul_wide(load_pair(a), load_pair(b));
        if (step == kOrdinate) {  // R (Q - X') - Y PPP: c0, or its negative and c1
            const Product<FpModulus> kept = choose(lane.odd, d.c1, d.c0);
            d.c1 =
                kept - exchange(choose(lane.odd, d.c0, d.c1)) + Product<FpModulus>::twice_square();
        }
        Fp2 m;
        m.c1 = reduce(d.c1);
        if (step == kOrdinate) {
            if (lane.odd) m.c1 = -m.c1;
            m.c0 = exchange(m.c1);
            if (lane.odd && active) store_pair(lane.own(kCoordinate), m);
            continue;
        }
        m.c0 = reduce(d.c0 + Product<FpModulus>::twice_square());
        if (step == kDifference) {
            const bool nothing = lane.votes(m.is_zero()) == 3;  // the sum or the point is infinity
            if (negative && lane.odd) m = -m;
            const Fp2 s = m - load_pair(lane.own(kCoordinate));  // P, R
            const bool equal = (lane.votes(s.is_zero()) & 1) != 0;
            const bool exception = __any_sync(simt::kFullMask, active && (nothing || equal)) != 0;
            if (exception) add_any_pair(lane.odd, negative, active);
            consumed();
            if (exception) break;
            __syncwarp();  // the other lane has read what the latest addition left there
            store_pair(lane.others(kOther), s);
            const Fp2 ss = {mul_call(s.c0 + s.c1, s.c0 - s.c1), mul_call(dbl(s.c0), s.c1)};
            store_pair(lane.others(kOtherSquare), ss);  // R^2, PP
            store_pair(lane.own(kFactor), ss);
            __syncwarp();
        } else if (step == kCube) {  // Q, PPP
            const Fp2 x3 = load_pair(lane.own(kOtherSquare)) - exchange(m) - dbl(m);
            store_pair(lane.own(lane.odd ? kFactor : kOtherSquare), choose(lane.odd, m, m - x3));
            if (!lane.odd && active) store_pair(lane.own(kCoordinate), x3);
        } else if (active) {
            store_pair(lane.own(kPower), m);
        }
    }
}

// A pair of lanes a task, the longest tasks first. The lanes of a warp stay together, those that
// have come to their end with the others.
//
// Plan, invariant and bytes are accumulate_kernel's. Cost: 3M + 1S, a product and half of its
// reduction a lane, as many multiplies together as in one thread.
template <class Walk, uint32_t BLOCKS>
__global__ void __launch_bounds__(kAccumulateThreads, BLOCKS)
    accumulate_pair_kernel(AccumulateArguments arguments, const Affine<Fp2>* __restrict__ points,
                           Xyzz<Fp2>* __restrict__ sums) {
    SIMT_DYN_SHARED(uint4, shared);
    const uint32_t number = (blockIdx.x * blockDim.x + threadIdx.x) / 2;
    const uint32_t place = arguments.first + number;
    const PairLane lane = {threadIdx.x % 2 != 0};
    uint32_t length = 0, task = 0;
    if (number < arguments.tasks) {
        length = arguments.task_terms - arguments.lists.shortness[place];
    }
    if (length != 0) task = arguments.lists.order[place];
    const Fp2* coordinates = &points->x + (lane.odd ? 1 : 0);
    const Slot<Fp2> slot = {shared + lane.own(kIncoming)};

    Walk walk(arguments, number, task, length);
    SignedPoint next = walk.next(arguments);
    if (next.exists()) slot.fetch(coordinates + 2 * uint64_t(next.number()));
    lane.set(Fp2::zero(), Fp2::zero());
    bool fresh = true;  // the sum is infinity: the first point is set, not added
    if (length != 0 && task < arguments.resumed) {
        const Xyzz<Fp2> sum = sums[task];
        fresh = sum.is_infinity();
        lane.set(choose(lane.odd, sum.y, sum.x), choose(lane.odd, sum.zzz, sum.zz));
    }
    while (__any_sync(simt::kFullMask, next.exists())) {
        const bool active = next.exists();
        const bool negative = active && next.negative();
        simt::cp_async_wait<0>();
        const auto fetch_next = [&] {
            next = walk.next(arguments);
            if (next.exists()) slot.fetch(coordinates + 2 * uint64_t(next.number()));
        };
        const bool adds = active && !fresh;
        if (__any_sync(simt::kFullMask, fresh)) {
            const Fp2 coordinate = active ? incoming(lane, negative) : Fp2::zero();
            const bool infinity = lane.votes(coordinate.is_zero()) == 3;
            if (fresh) lane.set(coordinate, infinity ? Fp2::zero() : Fp2::one());
            fresh = false;
        }
        if (__any_sync(simt::kFullMask, adds)) {
            add_pair(lane, negative, adds, fetch_next);
        } else {
            fetch_next();
        }
    }
    if (number >= arguments.tasks) return;
    task = arguments.lists.order[place];
    if (length == 0 && !starts_empty(arguments, task)) return;
    Xyzz<Fp2>& to = sums[task];
    (lane.odd ? to.y : to.x) = load_pair(lane.own(kCoordinate));
    (lane.odd ? to.zzz : to.zz) = load_pair(lane.own(kPower));
}

}  // namespace G16_NS::msm
