//! Batch addition: the sum of the points on a list of variables.
//!
//! The kernels leave up to 64 partial sums, which [`finish`] adds on the host.

use crate::Result;
use crate::density::{DensityMap, DeviceDensity, IndexMap};
use crate::device::launch;
use crate::device::{Device, Stream, View, ViewMut};
use crate::points;
use crate::repr::CurveGroup;

/// How many partial sums [`sum`] writes for a list of at most `max_count` elements: 1 to 64.
///
/// # Errors
///
/// [`Error::TooMany`](crate::Error::TooMany).
pub fn partials<G: CurveGroup>(device: &Device, max_count: usize) -> Result<usize> {
    launch::batch_add::partials::<G>(device, max_count)
}

/// Bytes of workspace that [`sum`] needs for a list of at most `max_count` elements.
///
/// # Errors
///
/// [`Error::TooMany`](crate::Error::TooMany).
pub fn workspace<G: CurveGroup>(device: &Device, max_count: usize) -> Result<usize> {
    launch::batch_add::workspace::<G>(device, max_count)
}

/// Enqueues the sum of the points that the list's elements map to. Of `list` the first
/// `count[0]` elements are taken, at most all. An element without a point among `points` is
/// skipped, so the sums over a query's chunks add up to the sum over the query.
///
/// `out` takes [`partials`] of `list.len()`, whose sum is the result.
///
/// # Errors
///
/// [`Error::Length`](crate::Error::Length) for other than one count, the wrong number of partial
/// sums or too little workspace; [`Error::TooMany`](crate::Error::TooMany),
/// [`Error::Alignment`](crate::Error::Alignment), [`Error::Device`](crate::Error::Device).
pub fn sum<G: CurveGroup>(
    stream: &Stream,
    points: View<'_, G::Affine>,
    map: IndexMap<'_>,
    list: View<'_, u32>,
    count: View<'_, u32>,
    out: ViewMut<'_, G::Xyzz>,
    workspace: ViewMut<'_, u8>,
) -> Result<()> {
    launch::batch_add::sum::<G>(stream, points, map, list, count, out, workspace)
}

/// The sum of downloaded partial sums, on the host: a few microseconds each.
///
/// # Errors
///
/// [`Error::NoPoint`](crate::Error::NoPoint) if the memory holds something else.
pub fn finish<G: CurveGroup>(partials: &[G::Xyzz]) -> Result<G::Point> {
    launch::batch_add::finish::<G>(partials)
}

/// The sum of points of host memory over a list of variables, which reach their points through
/// `density`, or are points' numbers without one. Waits for the result.
///
/// # Errors
///
/// As [`sum`], and [`Error::InsufficientVram`](crate::Error::InsufficientVram).
pub fn sum_of<G: CurveGroup>(
    stream: &Stream,
    points: &[G::AffinePoint],
    density: Option<&DensityMap>,
    list: &[u32],
) -> Result<G::Point> {
    let device = stream.device();
    let points = points::upload::<G>(stream, &G::to_bytes(points), points::Checks::NONE)?;
    let density = density.map(|map| DeviceDensity::upload(stream, map)).transpose()?;
    let map = match &density {
        Some(density) => density.map(),
        None => IndexMap::identity(points.len()),
    };
    let mut indices = device.alloc(list.len())?;
    let mut count = device.alloc(1)?;
    let mut out = device.alloc(partials::<G>(device, list.len())?)?;
    let mut work = device.alloc(workspace::<G>(device, list.len())?)?;
    stream.upload(list, indices.view_mut())?;
    stream.upload(&[list.len() as u32], count.view_mut())?;
    sum::<G>(
        stream,
        points.view(),
        map,
        indices.view(),
        count.view(),
        out.view_mut(),
        work.view_mut(),
    )?;
    let mut sums = vec![G::XYZZ_INFINITY; out.len()];
    stream.download(out.view(), &mut sums)?;
    finish::<G>(&sums)
}
