// The probe's table.
#include "probe/probe.cuh"

namespace G16_NS::probe {

G16ProbeApi api() { return {fp, fr, fp2, fp_decode, fp_chains, fr_chains, fp2_chains, g1(), g2()}; }

simt::Status load() {
    simt::Status status = load_fields();
    if (status == 0) status = load_g1();
    if (status == 0) status = load_g2();
    if (status == 0) status = load_field_chains();
    if (status == 0) status = load_g1_chains();
    if (status == 0) status = load_g2_chains();
    return status;
}

}  // namespace G16_NS::probe

#ifdef G16_LIMB32
// The host target's probe over the GPU's arithmetic, with emulated carries.
extern "C" const G16ProbeApi* g16_probe_host32(void) {
    static const G16ProbeApi api = G16_NS::probe::api();
    return &api;
}
#endif
