// The end of every sum, on the host in both targets: a few partial sums to one encoded point.
#include "api.h"
#include "curve/encode.cuh"

namespace G16_NS {
namespace {

template <class F>
void sum_finish(const void* partials, uint32_t count, uint8_t* bytes) {
    const auto* points = static_cast<const Xyzz<F>*>(partials);
    Xyzz<F> sum = Xyzz<F>::infinity();
    for (uint32_t i = 0; i < count; i++) sum = add(sum, points[i]);
    encode_uncompressed(sum, bytes);
}

}  // namespace
}  // namespace G16_NS

extern "C" void g16_sum_finish_g1(const void* partials, uint32_t count, uint8_t* bytes) {
    G16_NS::sum_finish<G16_NS::Fp>(partials, count, bytes);
}

extern "C" void g16_sum_finish_g2(const void* partials, uint32_t count, uint8_t* bytes) {
    G16_NS::sum_finish<G16_NS::Fp2>(partials, count, bytes);
}
