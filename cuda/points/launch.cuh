// Launchers of decoding, checking and encoding points, for one group.
#pragma once
#include "points/kernels.cuh"

namespace G16_NS::points {

inline dim3 grid(uint32_t n) { return dim3((n + kBlockThreads - 1) / kBlockThreads); }

template <class G>
simt::Status decode(const void* bytes, uint32_t n, uint32_t first, uint32_t checks, void* points,
                    uint32_t* fault, G16Stream stream) {
    if (n == 0) return 0;
    return simt::launch(decode_kernel<G>, grid(n), dim3(kBlockThreads), 0, stream,
                        static_cast<const uint4*>(bytes), n, first, checks,
                        static_cast<typename G::Affine*>(points), fault);
}

template <class G>
simt::Status check_subgroup(const void* points, uint32_t n, uint32_t first, uint32_t* fault,
                            G16Stream stream) {
    if (n == 0) return 0;
    return simt::launch(subgroup_kernel<G>, grid(n), dim3(kBlockThreads), 0, stream,
                        static_cast<const typename G::Affine*>(points), n, first, fault);
}

template <class G>
simt::Status encode(void* points, uint32_t n, G16Stream stream) {
    if (n == 0) return 0;
    return simt::launch(encode_kernel<G>, grid(n), dim3(kBlockThreads), 0, stream,
                        static_cast<typename G::Affine*>(points), n);
}

template <class G>
simt::Status load() {
    if (const simt::Status status = simt::load_kernel(decode_kernel<G>)) return status;
    if (const simt::Status status = simt::load_kernel(encode_kernel<G>)) return status;
    return simt::load_kernel(subgroup_kernel<G>);
}

template <class G>
G16PointsApi api() {
    return {decode<G>, check_subgroup<G>, encode<G>};
}

}  // namespace G16_NS::points
