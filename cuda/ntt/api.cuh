// The launchers of this folder, as the C ABI has them.
#pragma once

#include "api.h"
#include "simt/simt.cuh"

namespace G16_NS::ntt {

G16NttApi api();
G16QuotientApi quotient_api();

// Touches every kernel of this folder.
simt::Status load();

}  // namespace G16_NS::ntt
