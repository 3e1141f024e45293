// Batch addition in G2.
#include "batch_add/launch.cuh"

namespace G16_NS {
G16BatchAddApi batch_add_g2_api() { return batch_add::api<Fp2>(); }
simt::Status batch_add_g2_load() { return batch_add::load<Fp2>(); }
}  // namespace G16_NS
