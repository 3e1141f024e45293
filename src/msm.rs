//! Multi-scalar multiplication: sums s₁·P₁ + … + sₙ·Pₙ in G1 and G2.
//!
//! [`g1`] and [`g2`] take everything from host memory. Provers keep points and scalars on the
//! device and use the resident form: a [`Plan`] fixes windows and scratch, a [`Workspace`] holds
//! the scratch for one stream; [`Workspace::enqueue`] sorts the scalars' digits once for each group
//! of windows and replays the lists over any number of queries of both groups, and
//! [`Workspace::finish`] waits for the points.
//!
//! The method is Pippenger's: signed digits in windows, a bucket for each digit, a sum for each
//! bucket. Equal points, opposite points, infinity and any choice of scalars are ordinary cases,
//! and skewed scalars (all equal, all one) cost no more than uniform ones.

use bls12_381::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};

use crate::density::IndexMap;
use crate::device::launch::msm::{self as launch, Terms};
use crate::device::{Device, DeviceBuffer, Stream, View, ViewMut};
use crate::error::{Error, Result};
use crate::ffi::MsmPlan;
use crate::repr::{CurveGroup, FrRepr, G1, G2};
use crate::{points, repr};

/// The results of several queries start at multiples of this.
const ALIGNMENT: usize = 256;

/// Bytes of device memory that a single call leaves free beside its scratch.
const ROOM_LEFT: usize = 16 << 20;

/// The shape of a multiplication: windows, lists, scratch. A pure function of its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    g1: MsmPlan,
    g2: MsmPlan,
}

impl Plan {
    /// The tuned plan for at most `terms` terms.
    ///
    /// # Errors
    ///
    /// [`Error::TooMany`] beyond 2^31 − 1 terms.
    pub fn new(terms: usize) -> Result<Self> {
        Self::with_windows(terms, 0, 0)
    }

    /// A plan with this many windows of a scalar (10 to 63), this many of them sorted and
    /// accumulated together; 0 is the tuned number. A smaller group needs less scratch.
    ///
    /// # Errors
    ///
    /// [`Error::TooMany`] beyond 2^31 − 1 terms, or where the lists of a group would be too long,
    /// or for a number of windows that is not possible.
    pub fn with_windows(terms: usize, windows: u32, group: u32) -> Result<Self> {
        let terms = terms.max(1);
        let g1 = launch::plan::<G1>(terms, windows, group)?;
        Ok(Self { g1, g2: launch::plan::<G2>(terms, windows, group)? })
    }

    /// The tuned plan with the largest group of windows whose scratch for `groups` has at most
    /// `bytes`.
    ///
    /// # Errors
    ///
    /// [`Error::InsufficientVram`] if that is too little for a single window, and as [`Plan::new`].
    pub fn within(terms: usize, groups: Groups, bytes: usize) -> Result<Self> {
        let mut plan = Self::new(terms)?;
        while plan.scratch_bytes(groups) > bytes {
            if plan.group() == 1 {
                let (needed, available) = (plan.scratch_bytes(groups) as u64, bytes as u64);
                return Err(Error::InsufficientVram { needed, available });
            }
            plan = Self::with_windows(terms, plan.windows(), plan.group() - 1)?;
        }
        Ok(plan)
    }

    /// Terms at most.
    pub fn terms(&self) -> usize {
        self.g1.terms as usize
    }

    /// Windows of a scalar.
    pub fn windows(&self) -> u32 {
        self.g1.windows
    }

    /// Windows that are sorted and accumulated together.
    pub fn group(&self) -> u32 {
        self.g1.group
    }

    /// Bytes of scratch that [`Workspace::enqueue`] needs for queries of these groups.
    pub fn scratch_bytes(&self, groups: Groups) -> usize {
        match groups {
            Groups::G1 => self.scratch_bytes_of::<G1>(),
            Groups::G2 => self.scratch_bytes_of::<G2>(),
            Groups::Both => self.scratch_bytes_of::<G1>().max(self.scratch_bytes_of::<G2>()),
        }
    }

    fn scratch_bytes_of<G: CurveGroup>(&self) -> usize {
        let plan = self.of::<G>();
        to_usize(plan.sorted_bytes) + to_usize(plan.sort_bytes.max(plan.partial_bytes))
    }

    /// Bytes of scratch that [`enqueue_side_by_side`] needs for this many queries in each group.
    pub(crate) fn side_by_side_bytes(&self, g1: usize, g2: usize) -> usize {
        let g1 = g1.saturating_mul(self.partial_stride::<G1>());
        let partials = g1.saturating_add(g2.saturating_mul(self.partial_stride::<G2>()));
        to_usize(self.g1.sorted_bytes).saturating_add(partials.max(to_usize(self.g1.sort_bytes)))
    }

    /// Bytes of the result of this many queries in each group.
    pub fn result_bytes(&self, g1: usize, g2: usize) -> usize {
        let g1 = g1.saturating_mul(self.result_stride::<G1>());
        g1.saturating_add(g2.saturating_mul(self.result_stride::<G2>()))
    }

    /// The sums, in the queries' order, out of the downloaded result of [`Workspace::enqueue`].
    /// Takes some hundred microseconds a query, all queries in parallel.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] when the result is not as long as [`Self::result_bytes`] says,
    /// [`Error::NoPoint`] when it holds no points.
    pub fn finish(&self, g1: usize, g2: usize, result: &[u8]) -> Result<Sums> {
        let expected = self.result_bytes(g1, g2);
        if result.len() != expected {
            let (operation, what, got) = ("msm finish", "result", result.len());
            return Err(Error::Length { operation, what, got, expected });
        }
        let (first, second) = result.split_at(g1 * self.result_stride::<G1>());
        Ok(Sums { g1: self.finish_all::<G1>(first)?, g2: self.finish_all::<G2>(second)? })
    }

    /// A thread each, and none of rayon's: a prover calls this while it holds what they may wait for.
    fn finish_all<G: CurveGroup>(&self, results: &[u8]) -> Result<Vec<G::Point>> {
        let plan = self.of::<G>();
        let results = results.chunks_exact(self.result_stride::<G>());
        std::thread::scope(|scope| {
            let finish = |result| scope.spawn(move || launch::finish::<G>(plan, result));
            let threads: Vec<_> = results.map(finish).collect();
            let join = |thread: std::thread::ScopedJoinHandle<'_, Result<G::Point>>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().map(join).collect()
        })
    }

    fn of<G: CurveGroup>(&self) -> &MsmPlan {
        if G::BYTES == G1::BYTES { &self.g1 } else { &self.g2 }
    }

    fn partial_stride<G: CurveGroup>(&self) -> usize {
        to_usize(self.of::<G>().partial_bytes).next_multiple_of(ALIGNMENT)
    }

    fn result_stride<G: CurveGroup>(&self) -> usize {
        to_usize(self.of::<G>().result_bytes).next_multiple_of(ALIGNMENT)
    }
}

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
    /// The points, or a chunk of them.
    pub points: View<'a, G::Affine>,
    /// From variables to points; terms without a point here are skipped.
    pub map: IndexMap<'a>,
}

impl<'a, G: CurveGroup> Query<'a, G> {
    /// Variable v has point v.
    pub fn identity(points: View<'a, G::Affine>) -> Self {
        Self { points, map: IndexMap::identity(points.len()) }
    }
}

/// Scratch and result of multiplications on one stream, reused from one to the next.
///
/// The kernels follow indices that earlier kernels left in the scratch. So nothing else ever gets
/// to it: it belongs to this value, and is used on this value's stream alone.
#[derive(Debug)]
pub struct Workspace<'s> {
    stream: &'s Stream,
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
        let scratch = stream.device().alloc(plan.scratch_bytes(groups))?;
        let mut result = stream.device().alloc(plan.result_bytes(g1, g2))?;
        stream.fill(0, result.view_mut())?; // sums of nothing
        Ok(Self { stream, plan: *plan, queries: (g1, g2), scratch, result })
    }

    /// Enqueues the sums of all queries over the same scalars.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] for another number of queries than planned, or for more terms than
    /// planned, [`Error::Device`].
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
        enqueue(self.stream, &self.plan, scalars, g1, g2, scratch, result)
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
    stream: &Stream,
    plan: &Plan,
    scalars: &Scalars<'_>,
    g1: &[Query<'_, G1>],
    g2: &[Query<'_, G2>],
    scratch: ViewMut<'_, u8>,
    result: ViewMut<'_, u8>,
) -> Result<()> {
    let bytes = plan.result_bytes(g1.len(), g2.len());
    let mut result = at_least("result", result, bytes)?;
    if scalars.is_empty() {
        return stream.fill(0, result); // windows at infinity
    }
    for_each_pass(stream, plan, scalars, scratch, |pass, mut partials| {
        let (of_g1, of_g2) = result.reborrow().split_at(plan.result_bytes(g1.len(), 0))?;
        pass.replay_all(stream, g1, partials.reborrow(), of_g1)?;
        pass.replay_all(stream, g2, partials, of_g2)
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
    let scratch = at_least("scratch", scratch, plan.side_by_side_bytes(g1.len(), g2.len()))?;
    let mut result = at_least("result", result, plan.result_bytes(g1.len(), g2.len()))?;
    let (mut sorted, mut scratch) = scratch.split_at(to_usize(plan.g1.sorted_bytes))?;
    let (g1_lanes, g2_lanes) = lanes.split_at(g1.len());
    let passes = if scalars.is_empty() { 0 } else { plan.windows() };
    if passes == 0 {
        stream.fill(0, result.reborrow())?; // sums of nothing
        let filled = stream.record()?;
        lanes.iter().try_for_each(|lane| lane.wait(&filled))?;
    }
    for first_window in (0..passes).step_by(plan.group() as usize) {
        if first_window > 0 {
            // The lists of the windows before are still read.
            lanes.iter().try_for_each(|lane| stream.wait(&lane.record()?))?;
        }
        let free = &mut scratch;
        launch::sort::<G1>(stream, &plan.g1, &scalars.terms, first_window, &mut sorted, free)?;
        let listed = stream.record()?;
        lanes.iter().try_for_each(|lane| lane.wait(&listed))?;
        let pass = Pass { plan, first_window, lists: sorted.as_view() };
        let (of_g1, of_g2) = result.reborrow().split_at(plan.result_bytes(g1.len(), 0))?;
        let g1_bytes = g1.len() * plan.partial_stride::<G1>();
        let (g1_partials, g2_partials) = scratch.reborrow().split_at(g1_bytes)?;
        pass.replay_on_lanes(g1_lanes, g1, g1_partials, of_g1)?;
        pass.replay_on_lanes(g2_lanes, g2, g2_partials, of_g2)?;
    }
    Ok(())
}

/// One group of windows, sorted, to be replayed by queries.
struct Pass<'a> {
    plan: &'a Plan,
    first_window: u32,
    lists: View<'a, u8>,
}

/// Sorts one group of windows after the other and lets `replay` use each.
fn for_each_pass(
    stream: &Stream,
    plan: &Plan,
    scalars: &Scalars<'_>,
    scratch: ViewMut<'_, u8>,
    mut replay: impl FnMut(Pass<'_>, ViewMut<'_, u8>) -> Result<()>,
) -> Result<()> {
    let sorted_bytes = to_usize(plan.g1.sorted_bytes);
    let scratch = at_least("scratch", scratch, sorted_bytes)?;
    let (mut sorted, mut scratch) = scratch.split_at(sorted_bytes)?;
    for first_window in (0..plan.windows()).step_by(plan.group() as usize) {
        let (terms, lists, free) = (&scalars.terms, &mut sorted, &mut scratch);
        launch::sort::<G1>(stream, &plan.g1, terms, first_window, lists, free)?;
        let lists = sorted.as_view();
        replay(Pass { plan, first_window, lists }, scratch.reborrow())?;
    }
    Ok(())
}

impl Pass<'_> {
    /// Enqueues a query's sums of the group's windows into its result.
    fn replay<G: CurveGroup>(
        &self,
        stream: &Stream,
        query: &Query<'_, G>,
        mut partials: ViewMut<'_, u8>,
        mut result: ViewMut<'_, u8>,
    ) -> Result<()> {
        let (plan, first, lists) = (self.plan.of::<G>(), self.first_window, &self.lists);
        let (points, map, partials) = (&query.points, &query.map, &mut partials);
        launch::accumulate::<G>(stream, plan, first, lists, points, map, false, partials)?;
        launch::reduce::<G>(stream, plan, first, lists, partials, &mut result)
    }

    /// Replays queries one after another, with the same partial sums.
    fn replay_all<G: CurveGroup>(
        &self,
        stream: &Stream,
        queries: &[Query<'_, G>],
        mut partials: ViewMut<'_, u8>,
        mut results: ViewMut<'_, u8>,
    ) -> Result<()> {
        let stride = self.plan.result_stride::<G>();
        for (i, query) in queries.iter().enumerate() {
            let result = results.reborrow().slice(i * stride..(i + 1) * stride)?;
            self.replay(stream, query, partials.reborrow(), result)?;
        }
        Ok(())
    }

    /// Replays each query on its lane, with partial sums of its own.
    fn replay_on_lanes<G: CurveGroup>(
        &self,
        lanes: &[Stream],
        queries: &[Query<'_, G>],
        mut partials: ViewMut<'_, u8>,
        mut results: ViewMut<'_, u8>,
    ) -> Result<()> {
        let (plan, stride) = (self.plan, self.plan.result_stride::<G>());
        let partial = plan.partial_stride::<G>();
        for (i, (lane, query)) in lanes.iter().zip(queries).enumerate() {
            let partials = partials.reborrow().slice(i * partial..(i + 1) * partial)?;
            let result = results.reborrow().slice(i * stride..(i + 1) * stride)?;
            self.replay(lane, query, partials, result)?;
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
        for_each_pass(stream, &plan, &scalars, scratch.view_mut(), |pass, partials| {
            pass.replay(stream, &query, partials, result.view_mut())
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
