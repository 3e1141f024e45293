//! Launches of the witness's classification.

use bls12_381::Scalar;

use super::{aligned, at_least, check, exactly, index_count};
use crate::device::{Device, Family, Stream, View, ViewMut};
use crate::error::Result;

const OPERATION: &str = "witness classes";

/// Bytes of workspace that [`classify`] needs for `n` scalars.
pub(crate) fn workspace(device: &Device, n: usize) -> Result<usize> {
    let n = index_count("witness", n)?;
    device.ok(OPERATION, device.backend().make_current())?;
    let mut bytes = 0;
    // SAFETY: the query writes one number and touches no device memory.
    let status = unsafe { (device.api().witness.workspace)(n, &mut bytes) };
    check(device, OPERATION, status)?;
    Ok(bytes)
}

/// See [`crate::witness::classify`].
pub(crate) fn classify(
    stream: &Stream,
    scalars: View<'_, Scalar>,
    ones: ViewMut<'_, u32>,
    rest: ViewMut<'_, u32>,
    counts: ViewMut<'_, u32>,
    work: ViewMut<'_, u8>,
) -> Result<()> {
    let n = index_count("witness", scalars.len())?;
    exactly(OPERATION, "counts", counts.len(), 2)?;
    at_least(OPERATION, "workspace", work.len(), workspace(stream.device(), scalars.len())?)?;
    let (scalars, work) = (scalars.ptr_on(stream)?, work.ptr_on(stream)?);
    aligned(OPERATION, "witness", scalars)?;
    aligned(OPERATION, "workspace", work)?;
    let (ones_capacity, rest_capacity) = (ones.len().min(n as usize), rest.len().min(n as usize));
    let (ones, rest) = (ones.ptr_on(stream)?, rest.ptr_on(stream)?);
    let (counts, raw) = (counts.ptr_on(stream)?, stream.handle()?);
    // SAFETY: all pointers are memory of the stream's device with the lengths that the kernels
    // keep to: n scalars, the capacities, two counts, the workspace that was asked for.
    let status = unsafe {
        (stream.api().witness.classify)(
            scalars.cast(),
            n,
            ones,
            ones_capacity as u32,
            rest,
            rest_capacity as u32,
            counts,
            work.cast(),
            raw,
        )
    };
    stream.launched(Family::Witness, OPERATION, status)
}
