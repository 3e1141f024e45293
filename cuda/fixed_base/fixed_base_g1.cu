// Fixed-base multiplication in G1.
#include "fixed_base/launch.cuh"

namespace G16_NS {
G16FixedBaseApi fixed_base_g1_api() { return fixed_base::api<Fp>(); }
simt::Status fixed_base_g1_load() { return fixed_base::load<Fp>(); }
}  // namespace G16_NS
