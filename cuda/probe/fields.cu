// Element-wise operations on Fp, Fr and Fp2.
#include <type_traits>

#include "field/fp2.cuh"
#include "field/fr.cuh"
#include "field/loose.cuh"
#include "probe/probe.cuh"

namespace G16_NS::probe {

// Operations of the fields with a modulus. The functions that others call out of line are compared
// with those in line by running both.
template <class P>
SIMT_DEVICE Residue<P> residue_operation(uint32_t operation, const Residue<P>& a,
                                         const Residue<P>& b) {
    using F = Residue<P>;
    switch (operation) {
        case G16_PROBE_HALF:
            return half(a);
        case G16_PROBE_FROM_CANONICAL:
            return F::from_canonical(a.l);
        case G16_PROBE_TO_CANONICAL: {
            F x;
            a.to_canonical(x.l);
            return x;
        }
        case G16_PROBE_POW:
            return pow(a, b.l[0] | uint64_t(b.l[1]) << 32);
        default:
            return F::zero();
    }
}

SIMT_DEVICE inline Fr loose_operation(uint32_t operation, const Fr& a, const Fr& b) {
    switch (operation) {
        case G16_PROBE_ADD_LOOSE:
            return add_loose(a, b);
        case G16_PROBE_SUB_LOOSE:
            return sub_loose(a, b);
        case G16_PROBE_ADD_TIGHT:
            return add_tight(a, b);
        case G16_PROBE_TIGHTENED:
            return tightened(a);
        case G16_PROBE_REDUCED_LOOSE:
            return reduced_loose(a);
        case G16_PROBE_MUL_TIGHT:
            return mul_tight(a, b);
        case G16_PROBE_MUL_HALVES:
            return mul_tight(upper_of(a), a, b);
        case G16_PROBE_MUL_SPLIT:
            return mul_tight(split_factor(a), b);
        default:
            return Fr::zero();
    }
}

SIMT_DEVICE inline Fp2 residue_operation(uint32_t operation, const Fp2& a, const Fp2&) {
    return operation == G16_PROBE_HALF ? half(a) : Fp2::zero();
}

template <class F>
SIMT_DEVICE F field_operation(uint32_t operation, const F& a, const F& b, const F& c, const F& d) {
    switch (operation) {
        case G16_PROBE_ADD:
            return a + b;
        case G16_PROBE_SUB:
            return a - b;
        case G16_PROBE_NEG:
            return -a;
        case G16_PROBE_DBL:
            return dbl(a);
        case G16_PROBE_MUL:
            return a * b;
        case G16_PROBE_SQR:
            return sqr(a);
        case G16_PROBE_MUL_CALL:
            return mul_call(a, b);
        case G16_PROBE_SQR_CALL:
            return sqr_call(a);
        case G16_PROBE_INVERSE:
            return inverse(a);
        case G16_PROBE_MUL_ADD_MUL:
            if constexpr (!std::is_same<F, Fr>::value) return mul_add_mul(a, b, c, d);
            return F::zero();
        case G16_PROBE_MUL_SUB_MUL:
            if constexpr (!std::is_same<F, Fr>::value) return mul_sub_mul_call(a, b, c, d);
            return F::zero();
        default:
            if constexpr (std::is_same<F, Fr>::value) {
                if (operation >= G16_PROBE_ADD_LOOSE) return loose_operation(operation, a, b);
            }
            return residue_operation(operation, a, b);
    }
}

// out[i] = operation(a[i], b[i], a[n - 1 - i], b[n - 1 - i]).
template <class F>
__global__ void field_kernel(uint32_t operation, const F* a, const F* b, F* out, uint32_t n) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = field_operation(operation, a[i], b[i], a[n - 1 - i], b[n - 1 - i]);
}

// out[i] = the number in 48 big-endian bytes, zero where it is not below p; canonical[i] tells.
__global__ void fp_decode_kernel(const uint8_t* bytes, Fp* out, uint8_t* canonical, uint32_t n) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Fp x = Fp::zero();
    canonical[i] = fp_from_big_endian(bytes + 48 * size_t(i), &x) ? 1 : 0;
    out[i] = x;
}

template <class F>
G16Status field(uint32_t operation, const void* a, const void* b, void* out, uint32_t n,
                G16Stream stream) {
    if (n == 0) return 0;
    return simt::launch(field_kernel<F>, dim3(blocks_for(n)), dim3(kBlockThreads), 0, stream,
                        operation, static_cast<const F*>(a), static_cast<const F*>(b),
                        static_cast<F*>(out), n);
}

G16Status fp(uint32_t operation, const void* a, const void* b, void* out, uint32_t n,
             G16Stream stream) {
    return field<Fp>(operation, a, b, out, n, stream);
}

G16Status fr(uint32_t operation, const void* a, const void* b, void* out, uint32_t n,
             G16Stream stream) {
    return field<Fr>(operation, a, b, out, n, stream);
}

G16Status fp2(uint32_t operation, const void* a, const void* b, void* out, uint32_t n,
              G16Stream stream) {
    return field<Fp2>(operation, a, b, out, n, stream);
}

G16Status fp_decode(const void* bytes, void* out, void* canonical, uint32_t n, G16Stream stream) {
    if (n == 0) return 0;
    return simt::launch(fp_decode_kernel, dim3(blocks_for(n)), dim3(kBlockThreads), 0, stream,
                        static_cast<const uint8_t*>(bytes), static_cast<Fp*>(out),
                        static_cast<uint8_t*>(canonical), n);
}

simt::Status load_fields() {
    simt::Status status = simt::load_kernel(field_kernel<Fp>);
    if (status == 0) status = simt::load_kernel(field_kernel<Fr>);
    if (status == 0) status = simt::load_kernel(field_kernel<Fp2>);
    if (status == 0) status = simt::load_kernel(fp_decode_kernel);
    return status;
}

}  // namespace G16_NS::probe
