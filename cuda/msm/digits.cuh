// Signed digits of scalars, as sort keys.
#pragma once
#include "field/signed_digits.cuh"
#include "msm/plan.cuh"

namespace G16_NS::msm {

// What a window of the group takes out of a recoded scalar.
struct DigitWindows {
    ScalarBits offset;  // K of all windows
    uint32_t windows;
    uint32_t first;
    uint32_t count;
    uint32_t bucket_bits;
    uint32_t sets;
    uint32_t variable_bits;
};

// Enqueues keys and payloads of the group's digits, window by window, `terms` of each.
//
// A key is set << bucket_bits | |digit| − 1, or the group's bucket count where the digit is zero or
// the term does not exist; a payload is the variable, the window above it where all share a set,
// and bit 31 where the point is to be subtracted.
Status launch_digits(const G16MsmPlan& plan, const G16MsmScalars& scalars, const Group& group,
                     uint32_t* keys, uint32_t* payload, Stream stream);

}  // namespace G16_NS::msm
