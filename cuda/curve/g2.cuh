// G2: y^2 = x^3 + 4 (1 + u) over Fp2.
#pragma once

#include "curve/xyzz.cuh"

namespace G16_NS {

struct G2 {
    using Field = Fp2;
    using Affine = G16_NS::Affine<Fp2>;
    using Xyzz = G16_NS::Xyzz<Fp2>;

    // The curve's b = 4 (1 + u).
    static SIMT_HD inline Fp2 b() {
        const Fp four = dbl(dbl(Fp::one()));
        return {four, four};
    }
};

static_assert(sizeof(G2::Affine) == 192 && sizeof(G2::Xyzz) == 384, "layout shared with Rust");

}  // namespace G16_NS
