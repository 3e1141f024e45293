// Decoding, checking and encoding points of G2.
#include "points/launch.cuh"

namespace G16_NS {
G16PointsApi points_g2_api() { return points::api<G2>(); }
simt::Status points_g2_load() { return points::load<G2>(); }
}  // namespace G16_NS
