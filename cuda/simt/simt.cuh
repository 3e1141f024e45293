// What kernels may use; the only code that knows which target it is compiled for.
#pragma once
#include <cstddef>
#include <cstdint>

namespace G16_NS::simt {
using Status = int32_t;
using Stream = void*;
inline const char* status_text(Status) { return ""; }
}  // namespace G16_NS::simt
