// One target's table of launchers.
#include "api.h"
#include "ntt/api.cuh"
#include "probe/probe.cuh"
#include "simt/prim.cuh"
#include "simt/simt.cuh"

namespace G16_NS {
G16WitnessApi witness_api();
G16BatchAddApi batch_add_g1_api();
G16BatchAddApi batch_add_g2_api();
G16PointsApi points_g1_api();
G16PointsApi points_g2_api();
G16FixedBaseApi fixed_base_g1_api();
G16FixedBaseApi fixed_base_g2_api();
G16MsmApi msm_g1_api();
G16MsmApi msm_g2_api();

simt::Status witness_load();
simt::Status batch_add_g1_load();
simt::Status batch_add_g2_load();
simt::Status points_g1_load();
simt::Status points_g2_load();
simt::Status fixed_base_g1_load();
simt::Status fixed_base_g2_load();
simt::Status msm_load();

G16Status load_kernels() {
    for (auto* load :
         {prim::load, ntt::load, probe::load, witness_load, batch_add_g1_load, batch_add_g2_load,
          points_g1_load, points_g2_load, fixed_base_g1_load, fixed_base_g2_load, msm_load}) {
        if (const simt::Status status = load()) return status;
    }
    return 0;
}
}  // namespace G16_NS

#ifdef __CUDACC__
#define G16_API_FUNCTION g16_api_cuda
#else
#define G16_API_FUNCTION g16_api_host
#endif

extern "C" const G16Api* G16_API_FUNCTION(void) {
    static const G16Api api = [] {
        G16Api a{};
        a.size_bytes = sizeof(G16Api);
        a.load = G16_NS::load_kernels;
        a.status_text = G16_NS::simt::status_text;
        a.probe = G16_NS::probe::api();
        a.witness = G16_NS::witness_api();
        a.batch_add_g1 = G16_NS::batch_add_g1_api();
        a.batch_add_g2 = G16_NS::batch_add_g2_api();
        a.points_g1 = G16_NS::points_g1_api();
        a.points_g2 = G16_NS::points_g2_api();
        a.fixed_base_g1 = G16_NS::fixed_base_g1_api();
        a.fixed_base_g2 = G16_NS::fixed_base_g2_api();
        a.ntt = G16_NS::ntt::api();
        a.quotient = G16_NS::ntt::quotient_api();
        a.msm_g1 = G16_NS::msm_g1_api();
        a.msm_g2 = G16_NS::msm_g2_api();
        return a;
    }();
    return &api;
}
