// Element-wise operations on the points of G1.
#include "curve/g1.cuh"
#include "probe/curve.cuh"

namespace G16_NS::probe {

G16ProbeCurveApi g1() { return curve_api<G1>(g1_chains); }

simt::Status load_g1() { return load_curve<G1>(); }

}  // namespace G16_NS::probe
