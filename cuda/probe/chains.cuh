// Long chains of one operation, everything in registers: for its throughput.
#pragma once

#include "curve/xyzz.cuh"
#include "probe/probe.cuh"
#include "probe/tuning.cuh"

namespace G16_NS::probe {

constexpr G16Status kInvalidValue = 1;  // cudaErrorInvalidValue and G16_HOST_INVALID_VALUE

// x becomes x y.
template <class F, uint32_t CHAINS, uint32_t BLOCKS>
struct MulChain {
    using From = F;
    using By = F;
    using To = F;
    static constexpr uint32_t kChains = CHAINS;
    static constexpr uint32_t kBlocks = BLOCKS;
    static G16_FIELD_INLINE To start(const From& a) { return a; }
    static G16_FIELD_INLINE To next(const To& x, const By& y) { return x * y; }
};

// The same through the function that is not in line.
template <class F, uint32_t CHAINS, uint32_t BLOCKS>
struct MulCallChain : MulChain<F, CHAINS, BLOCKS> {
    static G16_FIELD_INLINE F next(const F& x, const F& y) { return mul_call(x, y); }
};

// x becomes x^2.
template <class F, uint32_t CHAINS, uint32_t BLOCKS>
struct SqrChain : MulChain<F, CHAINS, BLOCKS> {
    static G16_FIELD_INLINE F next(const F& x, const F&) { return sqr(x); }
};

// The point p becomes p + a.
template <class G, class Ops, uint32_t BLOCKS>
struct AddMixedChain {
    using From = typename G::Affine;
    using By = typename G::Affine;
    using To = typename G::Xyzz;
    static constexpr uint32_t kChains = kPointChains;
    static constexpr uint32_t kBlocks = BLOCKS;
    static G16_FIELD_INLINE To start(const From& a) { return To::from_affine(a); }
    static G16_FIELD_INLINE To next(const To& p, const By& a) { return add_mixed_with<Ops>(p, a); }
};

// out[i] is what `steps` steps with b[i] make of a[i]. Thread t has the elements t, t + threads, …,
// one chain each; a chain without an element repeats the last one's and writes nothing.
template <class C>
__global__ void __launch_bounds__(kChainThreads, C::kBlocks)
    chains_kernel(const typename C::From* a, const typename C::By* b, uint32_t steps,
                  typename C::To* out, uint32_t n, uint32_t threads) {
    const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= threads) return;
    typename C::To x[C::kChains];
    typename C::By y[C::kChains];
    SIMT_UNROLL
    for (uint32_t c = 0; c < C::kChains; c++) {
        const uint32_t i = c * threads + thread;
        x[c] = C::start(a[i < n ? i : n - 1]);
        y[c] = b[i < n ? i : n - 1];
    }
    SIMT_ROLLED
    for (uint32_t step = 0; step < steps; step++) {
        SIMT_UNROLL
        for (uint32_t c = 0; c < C::kChains; c++) x[c] = C::next(x[c], y[c]);
    }
    SIMT_UNROLL
    for (uint32_t c = 0; c < C::kChains; c++) {
        const uint32_t i = c * threads + thread;
        if (i < n) out[i] = x[c];
    }
}

template <class C>
G16Status launch_chains(const void* a, const void* b, uint32_t steps, void* out, uint32_t n,
                        G16Stream stream) {
    if (n == 0) return 0;
    const uint32_t threads = n / C::kChains + (n % C::kChains != 0 ? 1 : 0);
    const uint32_t blocks = threads / kChainThreads + (threads % kChainThreads != 0 ? 1 : 0);
    return simt::launch(chains_kernel<C>, dim3(blocks), dim3(kChainThreads), 0, stream,
                        static_cast<const typename C::From*>(a),
                        static_cast<const typename C::By*>(b), steps,
                        static_cast<typename C::To*>(out), n, threads);
}

}  // namespace G16_NS::probe
