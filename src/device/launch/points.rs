//! Launches of decoding, checking and encoding points.

use super::{aligned, exactly, index_count};
use crate::device::{Family, Stream, View, ViewMut};
use crate::error::{Error, Result};
use crate::ffi;
use crate::points::{Checks, PointFault};
use crate::repr::CurveGroup;

/// The most points that a fault word can number.
const MAX_POINTS: usize = (1 << (u32::BITS - ffi::POINT_REASON_BITS)) - 1;

fn point_count(first: usize, n: usize) -> Result<(u32, u32)> {
    let got = first.saturating_add(n);
    if got > MAX_POINTS {
        return Err(Error::TooMany { what: "points", got, limit: MAX_POINTS });
    }
    Ok((first as u32, n as u32))
}

/// See [`crate::points::decode`].
pub(crate) fn decode<G: CurveGroup>(
    stream: &Stream,
    points: ViewMut<'_, G::Affine>,
    first: usize,
    checks: Checks,
    fault: ViewMut<'_, u32>,
) -> Result<()> {
    const OPERATION: &str = "decoding of points";
    let (first, n) = point_count(first, points.len())?;
    exactly(OPERATION, "fault", fault.len(), 1)?;
    let mut bits = 0;
    if checks.curve {
        bits |= ffi::POINT_CHECK_CURVE;
    }
    if checks.refuse_infinity {
        bits |= ffi::POINT_REFUSE_INFINITY;
    }
    let (points, fault) = (points.ptr_on(stream)?, fault.ptr_on(stream)?);
    aligned(OPERATION, "points", points)?;
    let raw = stream.handle()?;
    // SAFETY: n points and one fault word of the stream's device; the kernel works in place.
    let status = unsafe {
        let decode = G::points(stream.api()).decode;
        decode(points.cast(), n, first, bits, points.cast(), fault, raw)
    };
    stream.launched(Family::Points, OPERATION, status)
}

/// See [`crate::points::check_subgroup`].
pub(crate) fn check_subgroup<G: CurveGroup>(
    stream: &Stream,
    points: View<'_, G::Affine>,
    first: usize,
    fault: ViewMut<'_, u32>,
) -> Result<()> {
    const OPERATION: &str = "subgroup check";
    let (first, n) = point_count(first, points.len())?;
    exactly(OPERATION, "fault", fault.len(), 1)?;
    let (points, fault) = (points.ptr_on(stream)?, fault.ptr_on(stream)?);
    aligned(OPERATION, "points", points)?;
    let raw = stream.handle()?;
    // SAFETY: n points and one fault word of the stream's device.
    let status =
        unsafe { (G::points(stream.api()).check_subgroup)(points.cast(), n, first, fault, raw) };
    stream.launched(Family::Points, OPERATION, status)
}

/// See [`crate::points::encode`].
pub(crate) fn encode<G: CurveGroup>(stream: &Stream, points: ViewMut<'_, G::Affine>) -> Result<()> {
    const OPERATION: &str = "encoding of points";
    let n = index_count("points", points.len())?;
    let points = points.ptr_on(stream)?;
    aligned(OPERATION, "points", points)?;
    let raw = stream.handle()?;
    // SAFETY: n points of the stream's device; the kernel works in place.
    let status = unsafe { (G::points(stream.api()).encode)(points.cast(), n, raw) };
    stream.launched(Family::Points, OPERATION, status)
}

/// What a fault word says: the first refused point and why, or nothing.
pub(crate) fn fault_of(word: u32) -> Option<(usize, PointFault)> {
    let reason = match word & ((1 << ffi::POINT_REASON_BITS) - 1) {
        _ if word == u32::MAX => return None,
        ffi::POINT_COMPRESSED => PointFault::Compressed,
        ffi::POINT_SORT_FLAG => PointFault::SortFlag,
        ffi::POINT_NOT_ZERO => PointFault::InfinityNotZero,
        ffi::POINT_INFINITY => PointFault::Infinity,
        ffi::POINT_COORDINATE => PointFault::Coordinate,
        ffi::POINT_CURVE => PointFault::NotOnCurve,
        ffi::POINT_SUBGROUP => PointFault::NotInSubgroup,
        _ => PointFault::Unknown,
    };
    Some(((word >> ffi::POINT_REASON_BITS) as usize, reason))
}
