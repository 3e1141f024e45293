// Decoding, checking and encoding points of G1.
#include "points/launch.cuh"

namespace G16_NS {
G16PointsApi points_g1_api() { return points::api<G1>(); }
simt::Status points_g1_load() { return points::load<G1>(); }
}  // namespace G16_NS
