// From a variable's index to its point in a query.
//
// A query holds points only for the variables of its density. The bitmap has bit v set where
// variable v has a point, and rank[w] counts the bits set before word w, so that point numbers are
// found by one popcount. A query cut into chunks is covered by maps that differ in `first` alone.
#pragma once
#include "api.h"
#include "simt/simt.cuh"

namespace G16_NS {

using IndexMap = G16IndexMap;

// The answer for a variable without a point here.
constexpr uint32_t kNoPoint = 0xffffffffu;

// The number of variable v's point in the chunk, or kNoPoint: v is out of range, not in the
// density, or its point lies outside of the chunk. Never an index beyond the chunk.
// Cost: 8 bytes, shared with the neighbours; none for the identity.
__device__ __forceinline__ uint32_t find_point(const IndexMap& map, uint32_t v) {
    if (v >= map.variables) return kNoPoint;
    uint32_t point = v;
    if (map.bitmap != nullptr) {
        const uint32_t word = __ldg(map.bitmap + v / 32);
        const uint32_t bit = 1u << (v % 32);
        if ((word & bit) == 0) return kNoPoint;
        point = __ldg(map.rank + v / 32) + __popc(word & (bit - 1));
    }
    point -= map.first;  // wraps below the chunk, and is then beyond its end
    return point < map.points ? point : kNoPoint;
}

}  // namespace G16_NS
