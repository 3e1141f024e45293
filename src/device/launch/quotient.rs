//! The quotient's six transforms.

use bls12_381::Scalar;

use super::ntt::Domain;
use super::{aligned, exactly};
use crate::device::{Family, Stream, ViewMut};
use crate::error::Result;

/// Enqueues the quotient of the evaluations `a` and `b`: its coefficients go to `b`, in canonical
/// form; `a` and `w` are overwritten.
pub(crate) fn quotient(
    stream: &Stream,
    [a, b, w]: [ViewMut<'_, Scalar>; 3],
    domain: Domain<'_>,
) -> Result<()> {
    let raw = domain.raw_on(stream)?;
    for (what, block) in [("a", &a), ("b", &b), ("w", &w)] {
        exactly("quotient", what, block.len(), 1 << domain.log_size)?;
        aligned("quotient", what, block.ptr_on(stream)?)?;
    }
    let [a, b, w] = [a.ptr_on(stream)?.cast(), b.ptr_on(stream)?.cast(), w.ptr_on(stream)?.cast()];
    // SAFETY: the blocks have the domain's size, its tables have their length, and all lie in
    // device memory, which is freed only after the device has drained.
    let status =
        unsafe { (stream.api().quotient.quotient)(a, b, w, &raw const raw, stream.handle()?) };
    // The transforms within are the NTT's kernels; the launcher counts once for each family.
    stream.launched(Family::Ntt, "quotient", status)?;
    stream.launched(Family::Quotient, "quotient", status)
}
