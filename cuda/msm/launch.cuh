// The launchers of multi-scalar multiplication, as api.h describes them.
#pragma once
#include "api.h"
#include "curve/xyzz.cuh"
#include "field/fp2.cuh"
#include "simt/simt.cuh"

namespace G16_NS::msm {

using simt::Status;
using simt::Stream;

// Touch this family's kernels.
Status load_digits();
Status load_sort();
Status load_accumulate_g1();
Status load_accumulate_g2();
Status load_reduce_g1();
Status load_reduce_g2();
Status load_multiples_g1();
Status load_multiples_g2();

Status plan_g1(const G16MsmShape* shape, G16MsmPlan* plan);
Status plan_g2(const G16MsmShape* shape, G16MsmPlan* plan);

Status sort(const G16MsmPlan* plan, const G16MsmScalars* scalars, uint32_t first_window,
            void* sorted, void* scratch, Stream stream);

Status accumulate_g1(const G16MsmPlan* plan, uint32_t first_window, const void* sorted,
                     const void* points, const G16IndexMap* map, uint32_t resume, uint32_t part,
                     void* partials, Stream stream);
Status accumulate_g2(const G16MsmPlan* plan, uint32_t first_window, const void* sorted,
                     const void* points, const G16IndexMap* map, uint32_t resume, uint32_t part,
                     void* partials, Stream stream);

Status combine_g1(const G16MsmPlan* plan, uint32_t first_window, const void* sorted, void* partials,
                  Stream stream);
Status combine_g2(const G16MsmPlan* plan, uint32_t first_window, const void* sorted, void* partials,
                  Stream stream);

Status reduce_g1(const G16MsmPlan* plan, uint32_t first_window, void* partials, void* result,
                 Stream stream);
Status reduce_g2(const G16MsmPlan* plan, uint32_t first_window, void* partials, void* result,
                 Stream stream);

Status finish_g1(const G16MsmPlan* plan, const void* result, uint8_t* encoding);
Status finish_g2(const G16MsmPlan* plan, const void* result, uint8_t* encoding);

size_t multiples_workspace_g1(uint32_t n);
size_t multiples_workspace_g2(uint32_t n);

Status multiples_g1(uint32_t windows, uint32_t n, void* points, void* workspace, Stream stream);
Status multiples_g2(uint32_t windows, uint32_t n, void* points, void* workspace, Stream stream);

}  // namespace G16_NS::msm
