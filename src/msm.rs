//! Multi-scalar multiplication: sums s₁·P₁ + … + sₙ·Pₙ in G1 and G2.
//!
//! [`g1`] and [`g2`] take everything from host memory. Provers keep points and scalars on the
//! device and use the resident form: a [`Plan`] fixes windows and scratch, a [`Workspace`] holds
//! the scratch for one stream; [`Workspace::enqueue`] sorts the scalars' digits once for each group
//! of windows and replays the lists over any number of queries of both groups, and
//! [`Workspace::finish`] waits for the points. [`SideBySide`] does the same with a stream of its own
//! for each query. [`Streaming`] leaves points and scalars in page-locked host memory and copies
//! them while it adds.
//!
//! The method is Pippenger's: signed digits in windows, a bucket for each digit, a sum for each
//! bucket. Equal points, opposite points, infinity and any choice of scalars are ordinary cases,
//! and skewed scalars (all equal, all one) cost no more than uniform ones.

mod multiples;
mod plan;
mod side_by_side;
mod streaming;
#[cfg(test)]
mod tests;

use std::ops::Range;

use bls12_381::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};

use crate::density::IndexMap;
use crate::device::launch::msm::{self as launch, Streams, Terms};
use crate::device::{Device, DeviceBuffer, Stream, View, ViewMut};
use crate::error::{Error, Result};
use crate::repr::{CurveGroup, FrRepr, G1, G2};
use crate::{points, repr};

pub use multiples::Multiples;
pub use plan::Plan;
pub use side_by_side::SideBySide;
pub use streaming::Streaming;

/// Bytes of device memory that a single call leaves free beside its scratch.
const ROOM_LEFT: usize = 16 << 20;

/// Which of the curve's groups a call works in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Groups {
    /// G1 alone.
    G1,
    /// G2 alone.
    G2,
    /// G1 and G2.
    Both,
}

impl Groups {
    fn of<G: CurveGroup>() -> Self {
        if G::BYTES == G1::BYTES { Self::G1 } else { Self::G2 }
    }
}

/// The points of the queries of one [`Workspace::enqueue`], in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Sums {
    /// Of the queries in G1.
    pub g1: Vec<G1Projective>,
    /// Of the queries in G2.
    pub g2: Vec<G2Projective>,
}

/// Scalars on a device, and which of them are terms.
#[derive(Clone, Copy, Debug)]
pub struct Scalars<'a> {
    terms: Terms<'a>,
}

impl<'a> Scalars<'a> {
    /// Every scalar, in Montgomery form (the memory of [`Scalar`]): term i is variable i.
    pub fn montgomery(scalars: View<'a, FrRepr>) -> Self {
        Self { terms: Terms { scalars, montgomery: true, variables: None, count: None } }
    }

    /// Every scalar, as canonical limbs below r, from the lowest.
    pub fn canonical(scalars: View<'a, FrRepr>) -> Self {
        Self { terms: Terms { scalars, montgomery: false, variables: None, count: None } }
    }

    /// Of these scalars only the listed variables; with `count`, whose first element is the number
    /// of list entries that count. Variables without a scalar are skipped.
    pub fn listed(self, variables: View<'a, u32>, count: Option<View<'a, u32>>) -> Self {
        Self { terms: Terms { variables: Some(variables), count, ..self.terms } }
    }

    /// Terms at most.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there are no terms.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A query's points on a device, and how variables find them.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a, G: CurveGroup> {
    points: View<'a, G::Affine>,
    map: IndexMap<'a>,
    /// Windows that have multiples of the points here; 0 for points alone.
    windows: u32,
}

impl<'a, G: CurveGroup> Query<'a, G> {
    /// Variable v has point v.
    pub fn identity(points: View<'a, G::Affine>) -> Self {
        Self::over(points, IndexMap::identity(points.len()))
    }

    /// `points`, all of a query's or a chunk of them, which variables find by `map`; terms without
    /// a point here are skipped.
    pub fn over(points: View<'a, G::Affine>, map: IndexMap<'a>) -> Self {
        Self { points, map, windows: 0 }
    }

    /// Whether the points are what the plan is for.
    fn check(&self, plan: &Plan) -> Result<()> {
        let expected = if plan.has_multiples() { plan.windows() } else { 0 };
        if self.windows == expected {
            return Ok(());
        }
        let (operation, what) = ("msm", "windows of the points' multiples");
        let (got, expected) = (self.windows as usize, expected as usize);
        Err(Error::Length { operation, what, got, expected })
    }
}

/// Scratch and result of multiplications on one stream, reused from one to the next.
///
/// The kernels follow indices that earlier kernels left in the scratch. So nothing else ever gets
/// to it: it belongs to this value, and is used on this value's stream alone.
#[derive(Debug)]
pub struct Workspace<'s> {
    stream: &'s Stream,
    beside: Option<Stream>,
    plan: Plan,
    queries: (usize, usize),
    scratch: DeviceBuffer<u8>,
    result: DeviceBuffer<u8>,
}

impl<'s> Workspace<'s> {
    /// For multiplications with this plan over `g1` queries in G1 and `g2` in G2.
    ///
    /// # Errors
    ///
    /// [`Error::InsufficientVram`], [`Error::Device`].
    pub fn new(stream: &'s Stream, plan: &Plan, g1: usize, g2: usize) -> Result<Self> {
        let groups = match (g1, g2) {
            (_, 0) => Groups::G1,
            (0, _) => Groups::G2,
            _ => Groups::Both,
        };
        let device = stream.device();
        let beside = (plan.affine_levels() > 0).then(|| device.stream()).transpose()?;
        let scratch = device.alloc(plan.scratch_bytes(groups))?;
        let mut result = device.alloc(plan.result_bytes(g1, g2))?;
        stream.fill(0, result.view_mut())?; // sums of nothing
        Ok(Self { stream, beside, plan: *plan, queries: (g1, g2), scratch, result })
    }

    /// Enqueues the sums of all queries over the same scalars.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] for another number of queries than planned, for more terms than planned, or
    /// for points with [`Multiples`] under a plan that is not for them, and the other way round;
    /// [`Error::Device`].
    pub fn enqueue(
        &mut self,
        scalars: &Scalars<'_>,
        g1: &[Query<'_, G1>],
        g2: &[Query<'_, G2>],
    ) -> Result<()> {
        for (got, expected) in [(g1.len(), self.queries.0), (g2.len(), self.queries.1)] {
            if got != expected {
                let (operation, what) = ("msm", "queries");
                return Err(Error::Length { operation, what, got, expected });
            }
        }
        let (scratch, result) = (self.scratch.view_mut(), self.result.view_mut());
        let streams = Streams { stream: self.stream, beside: self.beside.as_ref() };
        enqueue(streams, &self.plan, scalars, g1, g2, scratch, result)
    }

    /// Waits for the latest sums, and adds up on the host what the kernels leave.
    ///
    /// # Errors
    ///
    /// [`Error::Device`].
    pub fn finish(&self) -> Result<Sums> {
        let mut bytes = vec![0; self.result.len()];
        self.stream.download(self.result.view(), &mut bytes)?;
        self.plan.finish(self.queries.0, self.queries.1, &bytes)
    }
}

/// Enqueues the sums of all queries over the same scalars. `scratch` and `result` have at least the
/// plan's bytes; the result is what [`Plan::finish`] takes, once it is downloaded. Nothing but this
/// stream's work may touch `scratch` until that has run: the kernels follow its indices.
///
/// # Errors
///
/// [`Error::Length`] when there are more terms than planned or a block is too short,
/// [`Error::Alignment`] when a block does not start at a multiple of 16, [`Error::Device`].
pub(crate) fn enqueue(
    streams: Streams<'_>,
    plan: &Plan,
    scalars: &Scalars<'_>,
    g1: &[Query<'_, G1>],
    g2: &[Query<'_, G2>],
    scratch: ViewMut<'_, u8>,
    result: ViewMut<'_, u8>,
) -> Result<()> {
    let stream = streams.stream;
    check(plan, g1, g2)?;
    let bytes = plan.result_bytes(g1.len(), g2.len());
    let mut result = at_least("result", result, bytes)?;
    if scalars.is_empty() {
        return stream.fill(0, result); // windows at infinity
    }
    for_each_pass(plan, scalars, scratch, |mut pass, mut free| {
        let (of_g1, of_g2) = result.reborrow().split_at(plan.result_bytes(g1.len(), 0))?;
        pass.sort_whole(stream, &mut free)?;
        pass.run_all(streams, g1, free.reborrow(), of_g1)?;
        pass.run_all(streams, g2, free, of_g2)
    })
}

/// As [`enqueue`], with a stream of its own for each query, those of G1 first: small queries do not
/// fill a device one by one. `stream` sorts; each lane waits for the lists it reads, and `stream`
/// has **not** waited for the lanes in the end. `scratch` has [`Plan::side_by_side_bytes`], and
/// nothing but this work touches it until all lanes are done.
///
/// # Errors
///
/// As [`enqueue`], and [`Error::Length`] for other than one lane for each query.
#[allow(clippy::too_many_arguments)] // those of `enqueue`, and the lanes
pub(crate) fn enqueue_side_by_side(
    stream: &Stream,
    lanes: &[Stream],
    plan: &Plan,
    scalars: &Scalars<'_>,
    g1: &[Query<'_, G1>],
    g2: &[Query<'_, G2>],
    scratch: ViewMut<'_, u8>,
    result: ViewMut<'_, u8>,
) -> Result<()> {
    let (got, expected) = (lanes.len(), g1.len() + g2.len());
    if got != expected {
        return Err(Error::Length { operation: "msm", what: "lanes", got, expected });
    }
    check(plan, g1, g2)?;
    let scratch = at_least("scratch", scratch, plan.side_by_side_bytes(g1.len(), g2.len()))?;
    let mut result = at_least("result", result, plan.result_bytes(g1.len(), g2.len()))?;
    let (g1_lanes, g2_lanes) = lanes.split_at(g1.len());
    if scalars.is_empty() {
        stream.fill(0, result)?; // sums of nothing
        let filled = stream.record()?;
        return lanes.iter().try_for_each(|lane| lane.wait(&filled));
    }
    for_each_pass(plan, scalars, scratch, |mut pass, mut free| {
        for (i, chunk) in pass.chunks().enumerate() {
            if i > 0 || pass.first_window > 0 {
                // The lists of the chunk, or of the windows, before are still read.
                lanes.iter().try_for_each(|lane| stream.wait(&lane.record()?))?;
            }
            pass.sort(stream, chunk, &mut free)?;
            let listed = stream.record()?;
            lanes.iter().try_for_each(|lane| lane.wait(&listed))?;
            let partials = free.reborrow();
            let (_, partials) = partials.split_at(plan.partials_at())?;
            let g1_bytes = g1.len() * plan.partial_stride::<G1>();
            let (g1_partials, g2_partials) = partials.split_at(g1_bytes)?;
            pass.accumulate_on_lanes(g1_lanes, g1, i > 0, g1_partials)?;
            pass.accumulate_on_lanes(g2_lanes, g2, i > 0, g2_partials)?;
        }
        let (_, partials) = free.split_at(plan.partials_at())?;
        let (g1_partials, g2_partials) =
            partials.split_at(g1.len() * plan.partial_stride::<G1>())?;
        let (of_g1, of_g2) = result.reborrow().split_at(plan.result_bytes(g1.len(), 0))?;
        pass.reduce_on_lanes::<G1>(g1_lanes, g1_partials, of_g1)?;
        pass.reduce_on_lanes::<G2>(g2_lanes, g2_partials, of_g2)
    })
}

/// Whether the queries' points are what the plan is for.
fn check(plan: &Plan, g1: &[Query<'_, G1>], g2: &[Query<'_, G2>]) -> Result<()> {
    g1.iter().try_for_each(|query| query.check(plan))?;
    g2.iter().try_for_each(|query| query.check(plan))
}

/// One group of windows of some scalars, and the lists of the chunk that was sorted last.
struct Pass<'a> {
    plan: &'a Plan,
    scalars: &'a Scalars<'a>,
    first_window: u32,
    lists: ViewMut<'a, u8>,
}

/// Lets `run` work on one group of windows after the other, in the scratch behind the lists.
fn for_each_pass(
    plan: &Plan,
    scalars: &Scalars<'_>,
    scratch: ViewMut<'_, u8>,
    mut run: impl FnMut(Pass<'_>, ViewMut<'_, u8>) -> Result<()>,
) -> Result<()> {
    let sorted_bytes = to_usize(plan.g1.sorted_bytes);
    let scratch = at_least("scratch", scratch, sorted_bytes)?;
    let (mut sorted, mut scratch) = scratch.split_at(sorted_bytes)?;
    for first_window in (0..plan.windows()).step_by(plan.group() as usize) {
        run(Pass { plan, scalars, first_window, lists: sorted.reborrow() }, scratch.reborrow())?;
    }
    Ok(())
}

impl Pass<'_> {
    /// The ranges of terms that are sorted one after another.
    fn chunks(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let (terms, chunk) = (self.scalars.len(), self.plan.chunk());
        (0..terms).step_by(chunk).map(move |first| first..terms.min(first + chunk))
    }

    /// Whether all terms are sorted at once, for all queries.
    fn is_whole(&self) -> bool {
        self.scalars.len() <= self.plan.chunk()
    }

    fn sort(
        &mut self,
        stream: &Stream,
        chunk: Range<usize>,
        free: &mut ViewMut<'_, u8>,
    ) -> Result<()> {
        let (plan, terms, first) = (&self.plan.g1, &self.scalars.terms, self.first_window);
        launch::sort::<G1>(stream, plan, terms, chunk, first, &mut self.lists, free)
    }

    fn sort_whole(&mut self, stream: &Stream, free: &mut ViewMut<'_, u8>) -> Result<()> {
        if self.is_whole() { self.sort(stream, 0..self.scalars.len(), free) } else { Ok(()) }
    }

    fn accumulate<G: CurveGroup>(
        &self,
        streams: Streams<'_>,
        query: &Query<'_, G>,
        resume: bool,
        partials: &mut ViewMut<'_, u8>,
    ) -> Result<()> {
        let (plan, first, lists) = (self.plan.of::<G>(), self.first_window, &self.lists.as_view());
        let (points, map) = (&query.points, &query.map);
        launch::accumulate::<G>(streams, plan, first, lists, points, map, resume, partials)
    }

    fn reduce<G: CurveGroup>(
        &self,
        stream: &Stream,
        partials: &mut ViewMut<'_, u8>,
        result: &mut ViewMut<'_, u8>,
    ) -> Result<()> {
        launch::reduce::<G>(stream, self.plan.of::<G>(), self.first_window, partials, result)
    }

    /// Enqueues a query's sums of the group's windows into its result. All terms are sorted
    /// already, or chunk by chunk here: then each query sorts for itself, for one query's sums are
    /// all that the scratch has room for.
    fn run<G: CurveGroup>(
        &mut self,
        streams: Streams<'_>,
        query: &Query<'_, G>,
        free: ViewMut<'_, u8>,
        mut result: ViewMut<'_, u8>,
    ) -> Result<()> {
        let stream = streams.stream;
        let (mut free, mut partials) = free.split_at(self.plan.partials_at())?;
        for (i, chunk) in self.chunks().enumerate() {
            if !self.is_whole() {
                self.sort(stream, chunk, &mut free)?;
            }
            self.accumulate::<G>(streams, query, i > 0, &mut partials)?;
        }
        self.reduce::<G>(stream, &mut partials, &mut result)
    }

    /// Runs queries one after another, in the same scratch.
    fn run_all<G: CurveGroup>(
        &mut self,
        streams: Streams<'_>,
        queries: &[Query<'_, G>],
        mut free: ViewMut<'_, u8>,
        mut results: ViewMut<'_, u8>,
    ) -> Result<()> {
        let stride = self.plan.result_stride::<G>();
        for (i, query) in queries.iter().enumerate() {
            let result = results.reborrow().slice(i * stride..(i + 1) * stride)?;
            self.run(streams, query, free.reborrow(), result)?;
        }
        Ok(())
    }

    /// Accumulates each query on its lane, with partial sums of its own.
    fn accumulate_on_lanes<G: CurveGroup>(
        &self,
        lanes: &[Stream],
        queries: &[Query<'_, G>],
        resume: bool,
        mut partials: ViewMut<'_, u8>,
    ) -> Result<()> {
        let stride = self.plan.partial_stride::<G>();
        for (i, (lane, query)) in lanes.iter().zip(queries).enumerate() {
            let mut partials = partials.reborrow().slice(i * stride..(i + 1) * stride)?;
            self.accumulate(lane.into(), query, resume, &mut partials)?;
        }
        Ok(())
    }

    /// Reduces each query's sums on its lane.
    fn reduce_on_lanes<G: CurveGroup>(
        &self,
        lanes: &[Stream],
        mut partials: ViewMut<'_, u8>,
        mut results: ViewMut<'_, u8>,
    ) -> Result<()> {
        let (partial, stride) = (self.plan.partial_stride::<G>(), self.plan.result_stride::<G>());
        for (i, lane) in lanes.iter().enumerate() {
            let mut partials = partials.reborrow().slice(i * partial..(i + 1) * partial)?;
            let mut result = results.reborrow().slice(i * stride..(i + 1) * stride)?;
            self.reduce::<G>(lane, &mut partials, &mut result)?;
        }
        Ok(())
    }
}

/// The sum of `scalars[i] * points[i]` in G1. Uploads everything and waits for the result. Points
/// are taken as they are: off the curve there is no sum.
///
/// # Errors
///
/// [`Error::Length`] when the slices' lengths differ, [`Error::TooMany`] beyond 2^31 − 1 terms,
/// [`Error::InsufficientVram`], [`Error::Device`].
pub fn g1(device: &Device, points: &[G1Affine], scalars: &[Scalar]) -> Result<G1Projective> {
    sum_of::<G1>(device, points, scalars)
}

/// The sum of `scalars[i] * points[i]` in G2, as [`g1`].
///
/// # Errors
///
/// As [`g1`].
pub fn g2(device: &Device, points: &[G2Affine], scalars: &[Scalar]) -> Result<G2Projective> {
    sum_of::<G2>(device, points, scalars)
}

fn sum_of<G: CurveGroup>(
    device: &Device,
    points: &[G::AffinePoint],
    scalars: &[Scalar],
) -> Result<G::Point> {
    if points.len() != scalars.len() {
        let (operation, what) = ("msm", "scalars");
        let (got, expected) = (scalars.len(), points.len());
        return Err(Error::Length { operation, what, got, expected });
    }
    let stream = &device.stream()?;
    let points = points::upload::<G>(stream, &G::to_bytes(points), points::Checks::NONE)?;
    let mut values = device.alloc(scalars.len())?;
    stream.upload(repr::scalars_as_repr(scalars), values.view_mut())?;
    let (free, _) = device.memory()?;
    let room = usize::try_from(free).unwrap_or(usize::MAX).saturating_sub(ROOM_LEFT);
    let plan = Plan::within(scalars.len(), Groups::of::<G>(), room)?;
    let mut scratch = device.alloc(plan.scratch_bytes_of::<G>())?;
    let mut result = device.alloc(plan.result_stride::<G>())?;
    stream.fill(0, result.view_mut())?; // windows at infinity
    let scalars = Scalars::montgomery(values.view());
    if !scalars.is_empty() {
        let query = Query::<G>::identity(points.view());
        for_each_pass(&plan, &scalars, scratch.view_mut(), |mut pass, mut free| {
            pass.sort_whole(stream, &mut free)?;
            pass.run(stream.into(), &query, free, result.view_mut())
        })?;
    }
    let mut bytes = vec![0; result.len()];
    stream.download(result.view(), &mut bytes)?;
    launch::finish::<G>(plan.of::<G>(), &bytes)
}

fn at_least<'a>(
    what: &'static str,
    block: ViewMut<'a, u8>,
    expected: usize,
) -> Result<ViewMut<'a, u8>> {
    let (operation, got) = ("msm", block.len());
    if got < expected {
        return Err(Error::Length { operation, what, got, expected });
    }
    Ok(block)
}

/// A plan's number of bytes as a length; none that exists is beyond usize.
fn to_usize(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}
