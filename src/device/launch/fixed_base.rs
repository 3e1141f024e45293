//! Launches of fixed-base multiplication.

use super::{aligned, at_least, exactly, index_count};
use crate::device::{Device, Family, Stream, View, ViewMut};
use crate::error::Result;
use crate::repr::{CurveGroup, FrRepr};

const OPERATION: &str = "fixed-base multiplication";

/// Windows of a scalar that suit this many multiples.
pub(crate) fn windows<G: CurveGroup>(device: &Device, multiples: usize) -> u32 {
    // SAFETY: a pure function of the number.
    unsafe { (G::fixed_base(device.api()).windows)(multiples as u64) }
}

/// The bit of a scalar that each window starts with; `windows` comes from [`windows`].
pub(crate) fn window_starts<G: CurveGroup>(device: &Device, windows: u32) -> Vec<u32> {
    let start = G::fixed_base(device.api()).window_start;
    // SAFETY: a pure function of two numbers, of which the first is not zero.
    (0..windows).map(|window| unsafe { start(windows, window) }).collect()
}

/// Points of a table; `windows` comes from [`windows`].
pub(crate) fn entries<G: CurveGroup>(device: &Device, windows: u32) -> usize {
    // SAFETY: a pure function of the number, which is not zero.
    unsafe { (G::fixed_base(device.api()).entries)(windows) as usize }
}

/// Bytes of workspace for `n` multiples, or to build a table of `n` points.
pub(crate) fn workspace<G: CurveGroup>(device: &Device, n: usize) -> Result<usize> {
    let n = index_count("scalars", n)?;
    // SAFETY: a pure function of the number.
    Ok(unsafe { (G::fixed_base(device.api()).workspace)(n) })
}

/// Enqueues a table: `bases` has 2^start · B for each window.
pub(crate) fn build<G: CurveGroup>(
    stream: &Stream,
    bases: View<'_, G::Affine>,
    table: ViewMut<'_, G::Affine>,
    work: ViewMut<'_, u8>,
) -> Result<()> {
    const OPERATION: &str = "fixed-base table";
    let device = stream.device();
    let windows = index_count("windows", bases.len())?;
    let entries = entries::<G>(device, windows);
    exactly(OPERATION, "table", table.len(), entries)?;
    at_least(OPERATION, "workspace", work.len(), workspace::<G>(device, entries)?)?;
    let (bases, table) = (bases.ptr_on(stream)?, table.ptr_on(stream)?);
    let (work, raw) = (work.ptr_on(stream)?, stream.handle()?);
    aligned(OPERATION, "workspace", work)?;
    // SAFETY: memory of the stream's device: a base for each window, and table and workspace as
    // long as that number of windows asks for.
    let status = unsafe {
        let build = G::fixed_base(stream.api()).build;
        build(bases.cast(), windows, table.cast(), work.cast(), raw)
    };
    stream.launched(Family::FixedBase, OPERATION, status)
}

/// See [`crate::fixed_base::FixedBase::multiply`]; `table` is one that [`build`] left for
/// `windows`.
pub(crate) fn multiply<G: CurveGroup>(
    stream: &Stream,
    scalars: View<'_, FrRepr>,
    windows: u32,
    table: View<'_, G::Affine>,
    out: ViewMut<'_, G::Affine>,
    work: ViewMut<'_, u8>,
) -> Result<()> {
    let device = stream.device();
    let n = index_count("scalars", scalars.len())?;
    exactly(OPERATION, "table", table.len(), entries::<G>(device, windows))?;
    exactly(OPERATION, "multiples", out.len(), scalars.len())?;
    at_least(OPERATION, "workspace", work.len(), workspace::<G>(device, scalars.len())?)?;
    let (scalars, table) = (scalars.ptr_on(stream)?, table.ptr_on(stream)?);
    let (out, work) = (out.ptr_on(stream)?, work.ptr_on(stream)?);
    aligned(OPERATION, "scalars", scalars)?;
    aligned(OPERATION, "multiples", out)?;
    aligned(OPERATION, "workspace", work)?;
    let raw = stream.handle()?;
    // SAFETY: memory of the stream's device: n scalars, n points, the workspace that n scalars ask
    // for, and a table as long as any digit of `windows` windows reaches.
    let status = unsafe {
        let multiply = G::fixed_base(stream.api()).multiply;
        multiply(scalars.cast(), n, table.cast(), windows, out.cast(), work.cast(), raw)
    };
    stream.launched(Family::FixedBase, OPERATION, status)
}
