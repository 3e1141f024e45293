// Fixed-base multiplication in G2.
#include "fixed_base/launch.cuh"

namespace G16_NS {
G16FixedBaseApi fixed_base_g2_api() { return fixed_base::api<Fp2>(); }
simt::Status fixed_base_g2_load() { return fixed_base::load<Fp2>(); }
}  // namespace G16_NS
