// Accumulation by affine additions: pairs of a task's points are added, then pairs of the sums, and
// the inversions of all pairs of all tasks are one for each few thousand (Montgomery's trick).
//
// The lists' tasks are taken in their order, the longest first, as many at a time as the scratch
// holds. For a level
//   affine_products   multiplies a task's denominators up, and keeps the products before each
//   affine_inverses   inverts the tasks' products, several by one inversion
//   affine_sums       goes back through the task, an addition at a time
// After the last level accumulate_kernel adds what is left of each task.
//
// A thread (G1), or a pair of lanes with a component each (G2), has a task at every level, so that
// no level needs lists of its own. What a thread keeps lies strided by the number of threads.
//
// Cost of an addition: 5M + 1S and 530 bytes at the first level, 480 at later ones.
#pragma once
#include "field/fp2_lane.cuh"
#include "msm/accumulate.cuh"

namespace G16_NS::msm {

// How threads hold a field's elements.
template <class F>
struct Lanes;

template <>
struct Lanes<Fp> {
    using Element = Fp;
    static constexpr uint32_t kCount = 1;
    __device__ __forceinline__ static uint32_t number() { return 0; }
};

template <>
struct Lanes<Fp2> {
    using Element = Fp2Lane;
    static constexpr uint32_t kCount = 2;
    __device__ __forceinline__ static uint32_t number() { return threadIdx.x % 2; }
};

constexpr uint32_t kFpWords = sizeof(Fp) / sizeof(uint4);

// `level` is that of a launch; what it has left goes to `left` if it is the last.
struct AffineArguments : AccumulateArguments {
    uint32_t last;
    uint4* sums;      // by task: a point for each pair of the first level
    uint4* prefixes;  // by task: an element for each such pair
    Fp* products;     // by task: an element
    Fp* inverses;     // by task: an element
    void* left;       // by task: `left_terms` points
};

// Terms of the pass's task number `at` at its level.
__device__ __forceinline__ uint32_t affine_terms(const AffineArguments& arguments, uint32_t at) {
    if (at >= arguments.tasks) return 0;
    const uint32_t shortness = arguments.lists.shortness[arguments.first + at];
    return left_of(arguments.task_terms - shortness, arguments.level);
}

template <class E>
__device__ __forceinline__ E element_from(const uint4 (&words)[kFpWords]) {
    E e;
    memcpy(&e, words, sizeof(E));
    return e;
}

// The words of a thread's part of an element.
__device__ __forceinline__ Fp value_of(const Fp& e) { return e; }
__device__ __forceinline__ Fp value_of(const Fp2Lane& e) { return e.c; }

// A thread of a pass.
template <class F>
struct AffineThread {
    using E = typename Lanes<F>::Element;
    const AffineArguments& arguments;
    const Affine<F>* points;
    uint32_t thread;
    uint32_t threads;
    uint32_t place;
    uint32_t start;
    uint32_t terms;  // at this level

    __device__ __forceinline__ AffineThread(const AffineArguments& arguments,
                                            const Affine<F>* points)
        : arguments(arguments), points(points) {
        thread = blockIdx.x * blockDim.x + threadIdx.x;
        threads = arguments.tasks * Lanes<F>::kCount;
        place = thread / Lanes<F>::kCount;
        terms = affine_terms(arguments, place);
        start = 0;
        if (terms == 0) return;
        start = arguments.lists.task_starts[arguments.lists.order[arguments.first + place]];
    }

    // The most pairs of any task in the warp: its first one's.
    __device__ __forceinline__ uint32_t pairs_of_warp() const {
        const uint32_t first_lane = thread & ~(simt::kWarpSize - 1);
        return affine_terms(arguments, first_lane / Lanes<F>::kCount) / 2;
    }

    // Element `word` / kFpWords of a strided place.
    __device__ __forceinline__ E load(const uint4* from, uint64_t word) const {
        uint4 words[kFpWords];
        SIMT_UNROLL
        for (uint32_t i = 0; i < kFpWords; i++) words[i] = from[(word + i) * threads + thread];
        return element_from<E>(words);
    }

    __device__ __forceinline__ void store(uint4* to, uint64_t word, const E& e) const {
        uint4 words[kFpWords];
        memcpy(words, &e, sizeof(E));
        SIMT_UNROLL
        for (uint32_t i = 0; i < kFpWords; i++) to[(word + i) * threads + thread] = words[i];
    }

    // Writes sum number `term`.
    __device__ __forceinline__ void put(uint32_t term, const E& x, const E& y) const {
        if (arguments.last != 0) {
            const uint64_t point = uint64_t(place) * arguments.left_terms + term;
            Fp* to = static_cast<Fp*>(arguments.left) + point * (2 * Lanes<F>::kCount);
            to[Lanes<F>::number()] = value_of(x);
            to[Lanes<F>::kCount + Lanes<F>::number()] = value_of(y);
        } else {
            store(arguments.sums, uint64_t(term) * 2 * kFpWords, x);
            store(arguments.sums, (uint64_t(term) * 2 + 1) * kFpWords, y);
        }
    }

    // The entry of a term of the first level.
    __device__ __forceinline__ uint32_t entry(uint32_t term) const {
        return __ldg(arguments.lists.payload + start + term);
    }

    // Coordinate 0 or 1 of a point, without its sign.
    __device__ __forceinline__ E gather(uint32_t entry, uint32_t coordinate) const {
        const uint32_t point = point_of(arguments, entry);
        if (point == kNoPoint) return E::zero();
        const Fp* at = reinterpret_cast<const Fp*>(points + point) + coordinate * Lanes<F>::kCount +
                       Lanes<F>::number();
        const uint4* from = reinterpret_cast<const uint4*>(at);
        uint4 words[kFpWords];
        SIMT_UNROLL
        for (uint32_t i = 0; i < kFpWords; i++) words[i] = __ldg(from + i);
        return element_from<E>(words);
    }
};

// What a thread needs to know of a term to load its coordinates: its entry, or its number.
template <class F, bool FIRST>
struct Term {
    using E = typename Lanes<F>::Element;
    uint32_t at = 0;

    __device__ __forceinline__ Term(const AffineThread<F>& t, uint32_t term)
        : at(FIRST ? t.entry(term) : term) {}

    __device__ __forceinline__ E x(const AffineThread<F>& t) const {
        return FIRST ? t.gather(at, 0) : t.load(t.arguments.sums, uint64_t(at) * 2 * kFpWords);
    }

    __device__ __forceinline__ E y(const AffineThread<F>& t) const {
        if (!FIRST) return t.load(t.arguments.sums, (uint64_t(at) * 2 + 1) * kFpWords);
        const E y = t.gather(at, 1);
        return (at & kEntrySign) != 0 ? -y : y;
    }
};

// Both points of a pair. Lanes without one have infinity and a point with x = 1, whose denominator
// is one by either way.
template <class E>
struct PointPair {
    E x1 = E::zero(), y1 = E::zero(), x2 = E::one(), y2 = E::zero();
};

template <class F, bool FIRST>
struct TermPair {
    using Points = PointPair<typename Lanes<F>::Element>;
    Term<F, FIRST> first, second;

    __device__ __forceinline__ TermPair(const AffineThread<F>& t, uint32_t pair)
        : first(t, 2 * pair), second(t, 2 * pair + 1) {}

    __device__ __forceinline__ void load_x(const AffineThread<F>& t, Points* p) const {
        p->x1 = first.x(t);
        p->x2 = second.x(t);
    }

    __device__ __forceinline__ void load_y(const AffineThread<F>& t, Points* p) const {
        p->y1 = first.y(t);
        p->y2 = second.y(t);
    }
};

// Whether a pair may be other than two points with different x. Whole warps call it.
template <class E>
__device__ __forceinline__ bool may_be_special(const E& x1, const E& x2, const E& dx) {
    const bool zero_x1 = is_zero_in_lanes(x1), zero_x2 = is_zero_in_lanes(x2);
    return is_zero_in_lanes(dx) || zero_x1 || zero_x2;
}

// What adding two points comes to.
struct PairCase {
    bool first_only, second_only, equal, opposite;

    __device__ __forceinline__ bool distinct() const {
        return !(first_only || second_only || equal || opposite);
    }
};

// Whole warps call it.
template <class E>
__device__ __forceinline__ PairCase pair_case(const PointPair<E>& p) {
    const bool zero_x1 = is_zero_in_lanes(p.x1), zero_y1 = is_zero_in_lanes(p.y1);
    const bool zero_x2 = is_zero_in_lanes(p.x2), zero_y2 = is_zero_in_lanes(p.y2);
    const bool same_x = is_zero_in_lanes(p.x1 - p.x2), same_y = is_zero_in_lanes(p.y1 - p.y2);
    PairCase c = {};
    c.first_only = zero_x2 && zero_y2;
    c.second_only = !c.first_only && zero_x1 && zero_y1;
    const bool both = !c.first_only && !c.second_only;
    c.equal = both && same_x && same_y && !zero_y1;
    c.opposite = both && same_x && !c.equal;
    return c;
}

// The denominator of a pair's slope; one where there is none. Whole warps call it.
template <class E>
SIMT_NOINLINE E special_denominator(PointPair<E> p) {
    const PairCase c = pair_case(p);
    const E one = E::one();
    return choose(c.distinct(), p.x2 - p.x1, choose(c.equal, p.y1 + p.y1, one));
}

// The sum of a pair, given 1 / denominator. Whole warps call it.
template <class E>
SIMT_NOINLINE void special_sum(PointPair<E> p, E inverse, E* x3, E* y3) {
    const PairCase c = pair_case(p);
    const E xx = sqr(p.x1);
    const E slope = choose(c.equal, xx + xx + xx, p.y2 - p.y1) * inverse;
    const E x = sqr(slope) - p.x1 - p.x2;
    const E y = slope * (p.x1 - x) - p.y1;
    const E zero = E::zero();
    const bool formula = c.distinct() || c.equal;
    *x3 = choose(formula, x, choose(c.first_only, p.x1, choose(c.second_only, p.x2, zero)));
    *y3 = choose(formula, y, choose(c.first_only, p.y1, choose(c.second_only, p.y2, zero)));
}

// A thread, or a pair of lanes, a task: the product of its pairs' denominators, and before each the
// product of those behind it in the task, where affine_sums_kernel comes from.
// Cost: 1M a pair; 184 bytes at the first level, 144 at later ones.
template <class F, bool FIRST, uint32_t BLOCKS>
__global__ void __launch_bounds__(kAffineThreads, BLOCKS)
    affine_products_kernel(AffineArguments arguments, const Affine<F>* __restrict__ points) {
    using E = typename Lanes<F>::Element;
    const AffineThread<F> t(arguments, points);
    const uint32_t pairs = t.terms / 2;
    E product = E::one();
    for (uint32_t pair = t.pairs_of_warp(); pair-- > 0;) {
        const bool active = pair < pairs;
        PointPair<E> p;
        if (active) TermPair<F, FIRST>(t, pair).load_x(t, &p);
        E d = p.x2 - p.x1;
        const bool special = may_be_special(p.x1, p.x2, d) && active;
        if (__any_sync(simt::kFullMask, special)) {
            if (active) TermPair<F, FIRST>(t, pair).load_y(t, &p);
            d = special_denominator(p);
        }
        if (active) t.store(arguments.prefixes, uint64_t(pair) * kFpWords, product);
        product = product * d;
    }
    if (t.place < arguments.tasks) arguments.products[t.thread] = value_of(product);
}

// Thread i inverts the products of tasks i, i + threads, … with one inversion.
// Cost: 3M a task, and a chain of an inversion and 3M · kAffineInverseFanIn.
template <class F>
__global__ void __launch_bounds__(kAffineInverseThreads)
    affine_inverses_kernel(AffineArguments arguments) {
    const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t threads = gridDim.x * blockDim.x;
    const uint32_t tasks = arguments.tasks;
    const F* products = reinterpret_cast<const F*>(arguments.products);
    F* inverses = reinterpret_cast<F*>(arguments.inverses);
    if (thread >= tasks || affine_terms(arguments, 0) < 2) return;
    F product = F::one();
    uint32_t at = thread;
    for (; at < tasks; at += threads) {
        inverses[at] = product;
        product = mul_call(product, products[at]);
    }
    F inverse_product = inverse(product);
    while (at > thread) {
        at -= threads;
        inverses[at] = mul_call(inverse_product, inverses[at]);
        inverse_product = mul_call(inverse_product, products[at]);
    }
}

// A thread, or a pair of lanes, a task: the sums of its pairs, and the last term if it has none.
// Invariant: `inverse` is that of the product of the denominators from `pair` on. A sum overwrites
// none of the terms that are still to be read: sum i takes term i's place.
// Cost: 4M + 1S a pair; 344 bytes at the first level, 336 at later ones.
template <class F, bool FIRST, uint32_t BLOCKS>
__global__ void __launch_bounds__(kAffineThreads, BLOCKS)
    affine_sums_kernel(AffineArguments arguments, const Affine<F>* __restrict__ points) {
    using E = typename Lanes<F>::Element;
    const AffineThread<F> t(arguments, points);
    const uint32_t pairs = t.terms / 2;
    E inverse = E::one();
    if (t.place < arguments.tasks) inverse = E{arguments.inverses[t.thread]};
    const uint32_t pairs_of_warp = t.pairs_of_warp();
    for (uint32_t pair = 0; pair < pairs_of_warp; pair++) {
        const bool active = pair < pairs;
        PointPair<E> p;
        E prefix = E::one();
        if (active) {
            const TermPair<F, FIRST> terms(t, pair);
            terms.load_x(t, &p);
            terms.load_y(t, &p);
            prefix = t.load(arguments.prefixes, uint64_t(pair) * kFpWords);
        }
        E d = p.x2 - p.x1;
        const E own = inverse * prefix;
        const bool special = may_be_special(p.x1, p.x2, d) && active;
        E x3, y3;
        if (__any_sync(simt::kFullMask, special)) {
            d = special_denominator(p);
            special_sum(p, own, &x3, &y3);
        } else {
            const E slope = (p.y2 - p.y1) * own;
            x3 = sqr(slope) - p.x1 - p.x2;
            y3 = slope * (p.x1 - x3) - p.y1;
        }
        inverse = inverse * d;
        if (active) t.put(pair, x3, y3);
    }
    if (t.terms % 2 != 0) {
        const Term<F, FIRST> a(t, t.terms - 1);
        t.put(t.terms / 2, a.x(t), a.y(t));
    }
}

template <class F>
using AffineKernel = void (*)(AffineArguments, const Affine<F>*);

// A level's kernels: of the first level, and of later ones.
template <class F>
struct AffineKernels {
    AffineKernel<F> products[2];
    AffineKernel<F> sums[2];

    template <uint32_t PRODUCT_BLOCKS, uint32_t SUM_BLOCKS>
    static constexpr AffineKernels with_blocks() {
        return {
            {affine_products_kernel<F, true, PRODUCT_BLOCKS>,
             affine_products_kernel<F, false, PRODUCT_BLOCKS>},
            {affine_sums_kernel<F, true, SUM_BLOCKS>, affine_sums_kernel<F, false, SUM_BLOCKS>}};
    }

    Status load() const {
        for (const AffineKernel<F> kernel : {products[0], products[1], sums[0], sums[1]}) {
            if (const Status status = simt::load_kernel(kernel)) return status;
        }
        return simt::load_kernel(affine_inverses_kernel<F>);
    }

    // Enqueues one level of the tasks first … first + tasks.
    Status launch_level(const AffineArguments& arguments, const Affine<F>* points,
                        Stream stream) const {
        const uint64_t threads = uint64_t(arguments.tasks) * Lanes<F>::kCount;
        const dim3 grid = blocks(threads, kAffineThreads), block(kAffineThreads);
        const uint32_t later = arguments.level == 0 ? 0 : 1;
        Status status = simt::launch(products[later], grid, block, 0, stream, arguments, points);
        if (status != 0) return status;
        const uint64_t tasks_of_block = uint64_t(kAffineInverseThreads) * kAffineInverseFanIn;
        const dim3 inverses = dim3(blocks(arguments.tasks, tasks_of_block));
        status = simt::launch(affine_inverses_kernel<F>, inverses, dim3(kAffineInverseThreads), 0,
                              stream, arguments);
        if (status != 0) return status;
        return simt::launch(sums[later], grid, block, 0, stream, arguments, points);
    }
};

}  // namespace G16_NS::msm
