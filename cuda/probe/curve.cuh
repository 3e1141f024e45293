// Element-wise operations on the points of one group; instantiated in g1.cu and g2.cu.
#pragma once

#include "curve/xyzz.cuh"
#include "probe/probe.cuh"

namespace G16_NS::probe {

// Reads only the operands that the operation has.
template <class F>
SIMT_DEVICE Xyzz<F> xyzz_operation(uint32_t operation, const Xyzz<F>* p, const Xyzz<F>* q,
                                   const Affine<F>* a) {
    switch (operation) {
        case G16_PROBE_FROM_AFFINE:
            return Xyzz<F>::from_affine(*a);
        case G16_PROBE_ADD_MIXED:
            return add_mixed(*p, *a);
        case G16_PROBE_ADD_MIXED_INLINE:
            return add_mixed_inline(*p, *a);
        case G16_PROBE_ADD_POINTS:
            return add(*p, *q);
        case G16_PROBE_DBL_POINT:
            return dbl(*p);
        case G16_PROBE_DBL_AFFINE:
            return dbl(*a);
        case G16_PROBE_NEG_POINT:
            return neg(*p);
        default:
            return Xyzz<F>::infinity();
    }
}

template <class G>
__global__ void xyzz_kernel(uint32_t operation, const typename G::Xyzz* p,
                            const typename G::Xyzz* q, const typename G::Affine* a,
                            typename G::Xyzz* out, uint32_t n) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = xyzz_operation(operation, p + i, q + i, a + i);
}

template <class G>
__global__ void to_affine_kernel(const typename G::Xyzz* p, typename G::Affine* out, uint32_t n) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = to_affine(p[i]);
}

template <class G>
__global__ void on_curve_kernel(const typename G::Affine* a, uint8_t* out, uint32_t n) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = is_on_curve(a[i], G::b()) ? 1 : 0;
}

template <class G>
G16Status xyzz(uint32_t operation, const void* p, const void* q, const void* a, void* out,
               uint32_t n, G16Stream stream) {
    if (n == 0) return 0;
    using Xyzz = typename G::Xyzz;
    return simt::launch(xyzz_kernel<G>, dim3(blocks_for(n)), dim3(kBlockThreads), 0, stream,
                        operation, static_cast<const Xyzz*>(p), static_cast<const Xyzz*>(q),
                        static_cast<const typename G::Affine*>(a), static_cast<Xyzz*>(out), n);
}

template <class G>
G16Status points_to_affine(const void* p, void* out, uint32_t n, G16Stream stream) {
    if (n == 0) return 0;
    return simt::launch(to_affine_kernel<G>, dim3(blocks_for(n)), dim3(kBlockThreads), 0, stream,
                        static_cast<const typename G::Xyzz*>(p),
                        static_cast<typename G::Affine*>(out), n);
}

template <class G>
G16Status on_curve(const void* a, void* out, uint32_t n, G16Stream stream) {
    if (n == 0) return 0;
    return simt::launch(on_curve_kernel<G>, dim3(blocks_for(n)), dim3(kBlockThreads), 0, stream,
                        static_cast<const typename G::Affine*>(a), static_cast<uint8_t*>(out), n);
}

template <class G>
G16ProbeCurveApi curve_api(G16Chains chains) {
    return {xyzz<G>, points_to_affine<G>, on_curve<G>, chains};
}

template <class G>
simt::Status load_curve() {
    simt::Status status = simt::load_kernel(xyzz_kernel<G>);
    if (status == 0) status = simt::load_kernel(to_affine_kernel<G>);
    if (status == 0) status = simt::load_kernel(on_curve_kernel<G>);
    return status;
}

}  // namespace G16_NS::probe
