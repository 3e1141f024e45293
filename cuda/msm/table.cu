// This family's entries of the table of launchers.
#include "msm/launch.cuh"

namespace G16_NS {

G16MsmApi msm_g1_api() {
    return {msm::plan_g1,   msm::sort,      msm::accumulate_g1,          msm::combine_g1,
            msm::reduce_g1, msm::finish_g1, msm::multiples_workspace_g1, msm::multiples_g1};
}

G16MsmApi msm_g2_api() {
    return {msm::plan_g2,   msm::sort,      msm::accumulate_g2,          msm::combine_g2,
            msm::reduce_g2, msm::finish_g2, msm::multiples_workspace_g2, msm::multiples_g2};
}

simt::Status msm_load() {
    for (auto* load : {msm::load_digits, msm::load_sort, msm::load_accumulate_g1,
                       msm::load_accumulate_g2, msm::load_reduce_g1, msm::load_reduce_g2,
                       msm::load_multiples_g1, msm::load_multiples_g2}) {
        if (const simt::Status status = load()) return status;
    }
    return 0;
}

}  // namespace G16_NS
