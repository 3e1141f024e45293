//! Which of the C ABI's tables belongs to which group.

use std::ffi::c_void;

use crate::device::Family;
use crate::ffi::{self, Api};
use crate::repr::{G1, G2};

/// Sums partial sums on the host and writes the encoded point.
pub type Finish = unsafe extern "C" fn(partials: *const c_void, count: u32, bytes: *mut u8);

/// A group's tables. Being public in a private module, it also seals
/// [`CurveGroup`](crate::repr::CurveGroup).
pub trait Tables {
    /// The family that counts this group's multi-scalar multiplications.
    const MSM_FAMILY: Family;
    /// Host code that ends every sum: see `g16_sum_finish_g1`.
    const FINISH: Finish;
    /// Launchers of batch addition.
    fn batch_add(api: &Api) -> &ffi::BatchAddApi;
    /// Launchers of decoding, checking and encoding points.
    fn points(api: &Api) -> &ffi::PointsApi;
    /// Launchers of fixed-base multiplication.
    fn fixed_base(api: &Api) -> &ffi::FixedBaseApi;
    /// Launchers of multi-scalar multiplication.
    fn msm(api: &Api) -> &ffi::MsmApi;
}

impl Tables for G1 {
    const MSM_FAMILY: Family = Family::MsmG1;
    const FINISH: Finish = ffi::g16_sum_finish_g1;
    fn batch_add(api: &Api) -> &ffi::BatchAddApi {
        &api.batch_add_g1
    }
    fn points(api: &Api) -> &ffi::PointsApi {
        &api.points_g1
    }
    fn fixed_base(api: &Api) -> &ffi::FixedBaseApi {
        &api.fixed_base_g1
    }
    fn msm(api: &Api) -> &ffi::MsmApi {
        &api.msm_g1
    }
}

impl Tables for G2 {
    const MSM_FAMILY: Family = Family::MsmG2;
    const FINISH: Finish = ffi::g16_sum_finish_g2;
    fn batch_add(api: &Api) -> &ffi::BatchAddApi {
        &api.batch_add_g2
    }
    fn points(api: &Api) -> &ffi::PointsApi {
        &api.points_g2
    }
    fn fixed_base(api: &Api) -> &ffi::FixedBaseApi {
        &api.fixed_base_g2
    }
    fn msm(api: &Api) -> &ffi::MsmApi {
        &api.msm_g2
    }
}
