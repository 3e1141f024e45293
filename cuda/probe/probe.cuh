// The probe's launchers: element-wise field and curve operations over arrays, for tests, and chains
// of them, for benches.
#pragma once

#include "api.h"
#include "simt/simt.cuh"

namespace G16_NS::probe {

// Threads of a block. One element a thread; speed does not matter here.
constexpr uint32_t kBlockThreads = 128;

inline uint32_t blocks_for(uint32_t n) {
    return n / kBlockThreads + (n % kBlockThreads != 0 ? 1 : 0);
}

// Touches every kernel of the probe.
simt::Status load_fields();
simt::Status load_g1();
simt::Status load_g2();
simt::Status load_field_chains();
simt::Status load_g1_chains();
simt::Status load_g2_chains();

G16Status fp(uint32_t operation, const void* a, const void* b, void* out, uint32_t n,
             G16Stream stream);
G16Status fr(uint32_t operation, const void* a, const void* b, void* out, uint32_t n,
             G16Stream stream);
G16Status fp2(uint32_t operation, const void* a, const void* b, void* out, uint32_t n,
              G16Stream stream);
G16Status fp_decode(const void* bytes, void* out, void* canonical, uint32_t n, G16Stream stream);

G16Status fp_chains(uint32_t operation, const void* a, const void* b, uint32_t steps, void* out,
                    uint32_t n, G16Stream stream);
G16Status fr_chains(uint32_t operation, const void* a, const void* b, uint32_t steps, void* out,
                    uint32_t n, G16Stream stream);
G16Status fp2_chains(uint32_t operation, const void* a, const void* b, uint32_t steps, void* out,
                     uint32_t n, G16Stream stream);
G16Status g1_chains(uint32_t operation, const void* a, const void* b, uint32_t steps, void* out,
                    uint32_t n, G16Stream stream);
G16Status g2_chains(uint32_t operation, const void* a, const void* b, uint32_t steps, void* out,
                    uint32_t n, G16Stream stream);

G16ProbeCurveApi g1();
G16ProbeCurveApi g2();

G16ProbeApi api();
simt::Status load();

}  // namespace G16_NS::probe
