// One target's table of launchers.
#include "api.h"
#include "simt/simt.cuh"

namespace G16_NS {
G16Status load_kernels() { return 0; }
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
        return a;
    }();
    return &api;
}
