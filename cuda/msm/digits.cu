// Signed digits of scalars, as sort keys.
#include "msm/digits.cuh"

#include "msm/launch.cuh"

namespace G16_NS::msm {
namespace {

// The canonical limbs of a scalar.
__device__ __forceinline__ ScalarBits load_scalar(const G16MsmScalars& scalars, uint32_t variable) {
    const Fr scalar = static_cast<const Fr*>(scalars.scalars)[variable];
    ScalarBits limbs;
    if (scalars.montgomery != 0) {
        scalar.to_canonical(limbs.l);
    } else {
        SIMT_UNROLL
        for (int i = 0; i < 8; i++) limbs.l[i] = scalar.l[i];
    }
    return limbs;
}

// One thread a term. Plan: load the scalar once, negate it into the lower half, add K, and cut one
// window's digit after the other off the sum. Cost: 32 bytes read (and one multiplication from
// Montgomery form), 8 bytes written a window, coalesced.
__global__ void digits_kernel(G16MsmScalars scalars, DigitWindows windows, uint32_t* keys,
                              uint32_t* payload) {
    const uint32_t term = blockIdx.x * blockDim.x + threadIdx.x;
    if (term >= scalars.terms) return;
    const uint32_t place = scalars.first + term;  // among all terms
    bool exists = scalars.count == nullptr || place < *scalars.count;
    uint32_t variable = place;
    if (exists && scalars.variables != nullptr) variable = scalars.variables[place];
    exists = exists && variable < scalars.scalars_length;

    ScalarBits value = {};
    bool negated = false;
    if (exists) {
        value = load_scalar(scalars, variable);
        negated = to_lower_half(&value);
    }
    add_to(&value, windows.offset.l);
    const uint32_t start = window_start(windows.windows, windows.first);
    shift_right_limbs(&value, start / 32);
    shift_right(&value, start % 32);

    SIMT_ROLLED
    for (uint32_t i = 0; i < windows.count; i++) {
        const uint32_t width = window_width(windows.windows, windows.first + i);
        const uint32_t half = uint32_t(1) << (width - 1);
        const uint32_t raised = value.l[0] & (2 * half - 1);
        const bool below = raised < half;
        const uint32_t magnitude = below ? half - raised : raised - half;
        const uint64_t at = uint64_t(i) * scalars.terms + term;
        const bool shared = windows.sets == 1;
        keys[at] = magnitude == 0 ? windows.sets << windows.bucket_bits
                                  : ((shared ? 0 : i) << windows.bucket_bits) + magnitude - 1;
        const uint32_t multiple = shared ? i << windows.variable_bits : 0;
        payload[at] = variable | multiple | (below != negated ? kEntrySign : 0);
        shift_right(&value, width);
    }
}

}  // namespace

Status launch_digits(const G16MsmPlan& plan, const G16MsmScalars& scalars, const Group& group,
                     uint32_t* keys, uint32_t* payload, Stream stream) {
    DigitWindows windows = {};
    windows.offset = digit_offset(plan.windows);
    windows.windows = plan.windows;
    windows.first = group.first;
    windows.count = group.count;
    windows.bucket_bits = plan.bucket_bits;
    windows.sets = group.sets;
    windows.variable_bits = variable_bits(plan);
    return simt::launch(digits_kernel, blocks(scalars.terms, kDigitsThreads), dim3(kDigitsThreads),
                        0, stream, scalars, windows, keys, payload);
}

Status load_digits() { return simt::load_kernel(digits_kernel); }

}  // namespace G16_NS::msm
