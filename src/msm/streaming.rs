//! Sums over points and scalars that stay in page-locked host memory.

use std::ops::Range;

use bls12_381::Scalar;

use super::plan::{CHUNK_BUCKETS, CHUNK_MIN, WINDOWS_MAX};
use super::{Plan, Query, Scalars, to_usize};
use crate::device::launch::msm as launch;
use crate::device::{DeviceBuffer, Event, Stream, ViewMut};
use crate::error::{Error, Result};
use crate::repr::{self, CurveGroup, FrRepr, G1};

/// The first chunks have 1, 2, 4 and 8 parts of so many that a full one has. Derived: an H200's bus
/// brings a term of G1 (128 bytes at 55 GB/s) in about half of the time that its 12 or 13 additions
/// take (3·10⁹ a second), so a chunk of twice the terms arrives while the one before is added.
const FULL_PARTS: usize = 16;

/// Terms of a full chunk at most, where memory allows it. Derived: a chunk reads and writes the
/// sums of all windows, 10 GB in G1 at 2^26 terms, which takes an H200 2 to 3 ms; so many terms
/// take 140 ms to add.
pub(super) const CHUNK_TERMS: usize = 1 << 25;

/// Sums over points that stay in host memory, for more terms than the device's memory holds.
///
/// Chunks of terms go to the device on a stream of their own, into two places in turn; while one
/// chunk is added, the next one is copied. The first chunks are small, for nothing hides the copy
/// of the very first. The sums of all windows' buckets stay on the device to the end. One pass over
/// the points serves several vectors of scalars.
///
/// Copies run beside the kernels only from page-locked memory, a
/// [`PinnedBuffer`](crate::device::PinnedBuffer); from other memory the sums are as right, but
/// slower.
///
/// ```
/// use bls12_381::{G1Affine, G1Projective, Scalar};
/// use groth16_cuda::device::{Device, HostConfig, PinnedBuffer};
/// use groth16_cuda::msm::Streaming;
/// use groth16_cuda::repr::{CurveGroup, G1};
/// use groth16_cuda::{Error, points};
///
/// # fn main() -> Result<(), Error> {
/// let device = Device::host(HostConfig { memory_bytes: 64 << 20, ..HostConfig::default() })?;
/// let stream = device.stream()?;
///
/// // Points in the kernels' layout, as they come back from the device: 100 generators.
/// let bytes = G1::to_bytes(&[G1Affine::generator(); 100]);
/// let decoded = points::upload::<G1>(&stream, &bytes, points::Checks::ALL)?;
/// let mut points = PinnedBuffer::new(&device, 100)?;
/// stream.download(decoded.view(), &mut points)?;
///
/// let mut scalars = PinnedBuffer::<Scalar>::new(&device, 100)?;
/// scalars.iter_mut().zip(1..).for_each(|(scalar, i)| *scalar = Scalar::from(i));
///
/// let mut streaming = Streaming::<G1>::within(&stream, 100, 1, 32 << 20)?;
/// let sums = streaming.sums(&points, &[&scalars])?;
/// assert_eq!(sums, [G1Projective::generator() * Scalar::from(5050)]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Streaming<'s, G: CurveGroup> {
    stream: &'s Stream,
    copies: Stream,
    plan: Plan,
    vectors: usize,
    lists: DeviceBuffer<u8>,
    sums: DeviceBuffer<u8>,
    result: DeviceBuffer<u8>,
    places: [Place<G>; 2],
}

/// Where a chunk lies on the device.
#[derive(Debug)]
struct Place<G: CurveGroup> {
    points: DeviceBuffer<G::Affine>,
    /// One vector's after the other's.
    scalars: DeviceBuffer<FrRepr>,
    /// Happens when the chunk that lies here has been added.
    free: Event,
}

impl<'s, G: CurveGroup> Streaming<'s, G> {
    /// For at most `terms` terms and `vectors` vectors of scalars, with the tuned plan.
    ///
    /// # Errors
    ///
    /// As [`Streaming::within`].
    pub fn new(stream: &'s Stream, terms: usize, vectors: usize) -> Result<Self> {
        Self::within(stream, terms, vectors, usize::MAX)
    }

    /// As [`Streaming::new`], in at most `bytes` of device memory: with smaller chunks, then with
    /// narrower windows.
    ///
    /// # Errors
    ///
    /// [`Error::InsufficientVram`] if that is too little for any plan, or more than there is;
    /// [`Error::TooMany`] beyond 2^31 − 1 terms; [`Error::Device`].
    pub fn within(stream: &'s Stream, terms: usize, vectors: usize, bytes: usize) -> Result<Self> {
        let terms = terms.max(1);
        let mut needed = usize::MAX;
        for windows in Plan::new(terms)?.windows()..=WINDOWS_MAX {
            let mut most = CHUNK_TERMS;
            loop {
                let chunk = chunks(terms, most).map(|chunk| chunk.len()).max().unwrap_or(1);
                let plan = Plan::with_chunk(terms, windows, 0, chunk)?;
                needed = needed.min(Self::bytes(&plan, vectors));
                if Self::bytes(&plan, vectors) <= bytes {
                    return Self::with_plan(stream, &plan, vectors);
                }
                let buckets = 1_usize << plan.g1.bucket_bits;
                if most <= CHUNK_MIN.max(buckets / CHUNK_BUCKETS) {
                    break;
                }
                most = chunk - chunk.div_ceil(4);
            }
        }
        Err(Error::InsufficientVram { needed: needed as u64, available: bytes as u64 })
    }

    /// With this plan, whose chunk is the largest that is copied.
    ///
    /// # Errors
    ///
    /// [`Error::InsufficientVram`], [`Error::Device`].
    pub fn with_plan(stream: &'s Stream, plan: &Plan, vectors: usize) -> Result<Self> {
        let device = stream.device();
        let [even, odd] = place_lengths(plan);
        let place = |terms: usize| {
            let scalars = device.alloc(terms.saturating_mul(vectors))?;
            Ok::<_, Error>(Place {
                points: device.alloc(terms)?,
                scalars,
                free: Event::new(device)?,
            })
        };
        Ok(Self {
            stream,
            copies: device.stream()?,
            plan: *plan,
            vectors,
            lists: device.alloc(lists_bytes(plan))?,
            sums: device.alloc(sums_bytes::<G>(plan, vectors))?,
            result: device.alloc(vectors.saturating_mul(plan.result_stride::<G>()))?,
            places: [place(even)?, place(odd)?],
        })
    }

    /// Bytes of device memory that [`Streaming::with_plan`] takes.
    pub fn bytes(plan: &Plan, vectors: usize) -> usize {
        let scalars = vectors.saturating_mul(size_of::<FrRepr>());
        let [even, odd] = place_lengths(plan);
        let places = (even + odd).saturating_mul(scalars.saturating_add(size_of::<G::Affine>()));
        let result = vectors.saturating_mul(plan.result_stride::<G>());
        let sums = sums_bytes::<G>(plan, vectors).saturating_add(result);
        lists_bytes(plan).saturating_add(sums).saturating_add(places)
    }

    /// The plan: windows, chunk.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// For each vector of scalars the sum of `scalars[i] * points[i]`. Waits for the sums. Points
    /// are taken as they are: off the curve there is no sum.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] for more points or another number of vectors than planned, or for a vector
    /// that is not as long as the points; [`Error::Device`].
    pub fn sums(&mut self, points: &[G::Affine], scalars: &[&[Scalar]]) -> Result<Vec<G::Point>> {
        let operation = "msm streaming";
        let error = |what, got, expected| Err(Error::Length { operation, what, got, expected });
        if points.len() > self.plan.terms() {
            return error("points", points.len(), self.plan.terms());
        }
        if scalars.len() != self.vectors {
            return error("vectors", scalars.len(), self.vectors);
        }
        if let Some(vector) = scalars.iter().find(|vector| vector.len() != points.len()) {
            return error("scalars", vector.len(), points.len());
        }
        if points.is_empty() {
            self.stream.fill(0, self.result.view_mut())?; // sums of nothing
        } else {
            self.run(points, scalars)?;
        }
        let mut bytes = vec![0; self.result.len()];
        self.stream.download(self.result.view(), &mut bytes)?;
        self.plan.finish_all::<G>(&bytes)
    }

    /// Copies and adds chunk after chunk, and reduces in the end.
    fn run(&mut self, points: &[G::Affine], scalars: &[&[Scalar]]) -> Result<()> {
        let Self { stream, copies, plan, lists, sums, result, places, .. } = self;
        // A call before may have failed while the places were in use.
        copies.wait(&stream.record()?)?;
        copies.scope(|scope| {
            let all = chunks(plan.terms(), plan.chunk());
            let all = all.map(|chunk| chunk.start..chunk.end.min(points.len()));
            for (i, chunk) in all.take_while(|chunk| !chunk.is_empty()).enumerate() {
                let place = &mut places[i % 2];
                if i > 1 {
                    copies.wait(&place.free)?;
                }
                for (vector, stretch) in scalars.iter().zip(vectors(chunk.len())) {
                    let vector = repr::scalars_as_repr(&vector[chunk.clone()]);
                    scope.upload(vector, place.scalars.view_mut().slice(stretch)?)?;
                }
                stream.wait(&copies.record()?)?;
                let to = place.points.view_mut().slice(0..chunk.len())?;
                scope.upload(&points[chunk.clone()], to)?;
                let there = copies.record()?;
                let (lists, sums) = (lists.view_mut(), sums.view_mut());
                place.add(stream, plan, chunk.len(), scalars.len(), i > 0, &there, lists, sums)?;
                place.free.record(stream)?;
            }
            Ok(())
        })?;
        for ((vector, _, first_window), stretch) in sums_of::<G>(plan, scalars.len()) {
            let mut sums = sums.view_mut().slice(stretch)?;
            let stride = plan.result_stride::<G>();
            let mut result = result.view_mut().slice(vector * stride..(vector + 1) * stride)?;
            launch::reduce::<G>(stream, plan.of::<G>(), first_window, &mut sums, &mut result)?;
        }
        Ok(())
    }
}

impl<G: CurveGroup> Place<G> {
    /// Enqueues the sums of the `terms` terms that lie here, for all vectors and windows. `stream`
    /// has waited for the scalars; it waits for `points_there` where it needs the points.
    #[allow(clippy::too_many_arguments)] // all of a chunk's
    fn add(
        &self,
        stream: &Stream,
        plan: &Plan,
        terms: usize,
        count: usize,
        resume: bool,
        points_there: &Event,
        lists: ViewMut<'_, u8>,
        mut sums: ViewMut<'_, u8>,
    ) -> Result<()> {
        let query = Query::<G>::identity(self.points.view().slice(0..terms)?);
        let (mut sorted, mut free) = lists.split_at(to_usize(plan.g1.sorted_bytes))?;
        let stretches: Vec<_> = vectors(terms).take(count).collect();
        for ((vector, group, first), stretch) in sums_of::<G>(plan, count) {
            let scalars = self.scalars.view().slice(stretches[vector].clone())?;
            let list = &Scalars::montgomery(scalars).terms;
            launch::sort::<G1>(stream, &plan.g1, list, 0..terms, first, &mut sorted, &mut free)?;
            if vector == 0 && group == 0 {
                stream.wait(points_there)?;
            }
            let (lists, sums) = (&sorted.as_view(), &mut sums.reborrow().slice(stretch)?);
            let (plan, points, map) = (plan.of::<G>(), &query.points, &query.map);
            launch::accumulate::<G>(stream.into(), plan, first, lists, points, map, resume, sums)?;
        }
        Ok(())
    }
}

/// The chunks of `terms` terms, none longer than `most`: four that double, then equal ones; all but
/// the last in whole multiples of the first.
pub(super) fn chunks(terms: usize, most: usize) -> impl Iterator<Item = Range<usize>> {
    const RAMP_PARTS: usize = FULL_PARTS - 1;
    let parts = if terms.div_ceil(RAMP_PARTS).saturating_mul(FULL_PARTS / 2) <= most {
        RAMP_PARTS
    } else {
        let rest = terms.div_ceil((most / FULL_PARTS).max(1)).saturating_sub(RAMP_PARTS);
        RAMP_PARTS + rest.next_multiple_of(FULL_PARTS).max(FULL_PARTS)
    };
    let first = terms.div_ceil(parts).max(1);
    let full = first * FULL_PARTS;
    let lengths = std::iter::successors(Some(first), move |length| Some(full.min(2 * length)));
    let mut start = 0;
    lengths.map_while(move |length| {
        let chunk = start..terms.min(start + length.min(most.max(1)));
        start = chunk.end;
        (!chunk.is_empty()).then_some(chunk)
    })
}

/// Terms of the longest chunk in each of the two places.
fn place_lengths(plan: &Plan) -> [usize; 2] {
    let mut lengths = [0; 2];
    for (i, chunk) in chunks(plan.terms(), plan.chunk()).enumerate() {
        lengths[i % 2] = chunk.len().max(lengths[i % 2]);
    }
    lengths
}

/// Where the scalars of one vector after the other lie in a place.
fn vectors(terms: usize) -> impl Iterator<Item = Range<usize>> {
    (0..).map(move |vector| vector * terms..(vector + 1) * terms)
}

/// Each vector's groups of windows, (vector, group, first window), and where their sums lie.
fn sums_of<G: CurveGroup>(
    plan: &Plan,
    vectors: usize,
) -> impl Iterator<Item = ((usize, usize, u32), Range<usize>)> {
    let stride = plan.partial_stride::<G>();
    let (windows, step) = (plan.windows(), plan.group() as usize);
    let groups = move |vector| {
        (0..windows).step_by(step).enumerate().map(move |(group, first)| (vector, group, first))
    };
    let all = (0..vectors).flat_map(groups).enumerate();
    all.map(move |(i, group)| (group, i * stride..(i + 1) * stride))
}

fn sums_bytes<G: CurveGroup>(plan: &Plan, vectors: usize) -> usize {
    let groups = plan.windows().div_ceil(plan.group()) as usize;
    vectors.saturating_mul(groups).saturating_mul(plan.partial_stride::<G>())
}

fn lists_bytes(plan: &Plan) -> usize {
    to_usize(plan.g1.sorted_bytes).saturating_add(to_usize(plan.g1.sort_bytes))
}
