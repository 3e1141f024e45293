// G1: y^2 = x^3 + 4 over Fp.
#pragma once

#include "curve/xyzz.cuh"

namespace G16_NS {

struct G1 {
    using Field = Fp;
    using Affine = G16_NS::Affine<Fp>;
    using Xyzz = G16_NS::Xyzz<Fp>;

    // The curve's b = 4.
    static SIMT_HD inline Fp b() { return dbl(dbl(Fp::one())); }
};

static_assert(sizeof(G1::Affine) == 96 && sizeof(G1::Xyzz) == 192, "layout shared with Rust");

}  // namespace G16_NS
