// Batch addition in G1.
#include "batch_add/launch.cuh"

namespace G16_NS {
G16BatchAddApi batch_add_g1_api() { return batch_add::api<Fp>(); }
simt::Status batch_add_g1_load() { return batch_add::load<Fp>(); }
}  // namespace G16_NS
