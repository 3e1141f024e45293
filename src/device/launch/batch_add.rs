//! Launches of batch addition, and the host code that ends it.

use super::{aligned, at_least, exactly, index_count};
use crate::density::IndexMap;
use crate::device::{Device, Family, Stream, View, ViewMut};
use crate::error::{Error, Result};
use crate::repr::CurveGroup;

const OPERATION: &str = "batch addition";

/// How many partial sums a list of at most `max_count` elements leaves.
pub(crate) fn partials<G: CurveGroup>(device: &Device, max_count: usize) -> Result<usize> {
    let max_count = index_count("list", max_count)?;
    // SAFETY: a pure function of the number.
    Ok(unsafe { (G::batch_add(device.api()).partials)(max_count) } as usize)
}

/// Bytes of workspace that [`sum`] needs.
pub(crate) fn workspace<G: CurveGroup>(device: &Device, max_count: usize) -> Result<usize> {
    let max_count = index_count("list", max_count)?;
    // SAFETY: a pure function of the number.
    Ok(unsafe { (G::batch_add(device.api()).workspace)(max_count) })
}

/// See [`crate::batch_add::sum`].
pub(crate) fn sum<G: CurveGroup>(
    stream: &Stream,
    points: View<'_, G::Affine>,
    map: IndexMap<'_>,
    list: View<'_, u32>,
    count: View<'_, u32>,
    out: ViewMut<'_, G::Xyzz>,
    work: ViewMut<'_, u8>,
) -> Result<()> {
    let device = stream.device();
    let max_count = index_count("list", list.len())?;
    exactly(OPERATION, "count", count.len(), 1)?;
    exactly(OPERATION, "partial sums", out.len(), partials::<G>(device, list.len())?)?;
    at_least(OPERATION, "workspace", work.len(), workspace::<G>(device, list.len())?)?;
    let map = map.raw_on(stream, points.len())?;
    let (points, out, work) = (points.ptr_on(stream)?, out.ptr_on(stream)?, work.ptr_on(stream)?);
    aligned(OPERATION, "points", points)?;
    aligned(OPERATION, "partial sums", out)?;
    aligned(OPERATION, "workspace", work)?;
    let (list, count) = (list.ptr_on(stream)?, count.ptr_on(stream)?);
    let raw = stream.handle()?;
    // SAFETY: all pointers are memory of the stream's device; the kernel reads at most max_count
    // elements of the list, points below map.points, and the words of map.variables variables;
    // partial sums and workspace are as long as it asked for.
    let status = unsafe {
        (G::batch_add(stream.api()).sum)(
            points.cast(),
            &map,
            list,
            count,
            max_count,
            out.cast(),
            work.cast(),
            raw,
        )
    };
    stream.launched(Family::BatchAdd, OPERATION, status)
}

/// The sum of a few points in the kernels' coordinates, on the host.
pub(crate) fn finish<G: CurveGroup>(partials: &[G::Xyzz]) -> Result<G::Point> {
    let count = index_count("partial sums", partials.len())?;
    let mut bytes = vec![0; G::BYTES];
    // SAFETY: host memory: `count` points to read, and as many bytes to write as a point has.
    unsafe { G::FINISH(partials.as_ptr().cast(), count, bytes.as_mut_ptr()) };
    G::from_bytes(&bytes).ok_or(Error::NoPoint { operation: OPERATION, group: G::NAME })
}
