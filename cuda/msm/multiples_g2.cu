// Multiples of points in G2.
#include "curve/g2.cuh"
#include "msm/multiples.cuh"

namespace G16_NS::msm {

size_t multiples_workspace_g2(uint32_t n) { return multiples_workspace<Fp2>(n); }

Status multiples_g2(uint32_t windows, uint32_t n, void* points, void* workspace, Stream stream) {
    return launch_multiples<Fp2>(windows, n, points, workspace, stream);
}

Status load_multiples_g2() { return load_multiples<Fp2>(); }

}  // namespace G16_NS::msm
