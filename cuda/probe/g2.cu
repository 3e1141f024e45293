// Element-wise operations on the points of G2.
#include "curve/g2.cuh"
#include "probe/curve.cuh"

namespace G16_NS::probe {

G16ProbeCurveApi g2() { return curve_api<G2>(g2_chains); }

simt::Status load_g2() { return load_curve<G2>(); }

}  // namespace G16_NS::probe
