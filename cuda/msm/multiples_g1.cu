// Multiples of points in G1.
#include "curve/g1.cuh"
#include "msm/multiples.cuh"

namespace G16_NS::msm {

size_t multiples_workspace_g1(uint32_t n) { return multiples_workspace<Fp>(n); }

Status multiples_g1(uint32_t windows, uint32_t n, void* points, void* workspace, Stream stream) {
    return launch_multiples<Fp>(windows, n, points, workspace, stream);
}

Status load_multiples_g1() { return load_multiples<Fp>(); }

}  // namespace G16_NS::msm
