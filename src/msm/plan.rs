//! The shape of a multiplication: pure arithmetic, no device is asked.

use crate::device::launch::msm::{self as launch, Shape};
use crate::error::{Error, Result};
use crate::ffi::MsmPlan;
use crate::repr::{CurveGroup, G1, G2};

use super::{Groups, Sums, to_usize};

/// The results of several queries start at multiples of this.
const ALIGNMENT: usize = 256;

/// The most windows of a scalar.
pub(super) const WINDOWS_MAX: u32 = 63;

/// A chunk has at least one term for so many buckets of a window, before narrower windows are
/// tried: with a chunk, each bucket's sum is read and written once, 384 bytes in G1, which takes an
/// H200 as long as a third of an addition.
pub(super) const CHUNK_BUCKETS: usize = 4;

/// A chunk's terms at least, where there are as many: below, launches take longer than their work.
pub(super) const CHUNK_MIN: usize = 1 << 10;

/// The shape of a multiplication: windows, lists, scratch. A pure function of its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    pub(super) g1: MsmPlan,
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
        Self::with_chunk(terms, windows, group, 0)
    }

    /// As [`Plan::with_windows`], with at most `chunk` terms sorted at a time; 0 is all of them.
    /// The buckets' sums stay from one chunk to the next. A smaller chunk needs less scratch.
    ///
    /// # Errors
    ///
    /// As [`Plan::with_windows`], and for a chunk of more than `terms`.
    pub fn with_chunk(terms: usize, windows: u32, group: u32, chunk: usize) -> Result<Self> {
        Self::planned(&Shape { terms, windows, group, chunk, ..Shape::default() })
    }

    /// As [`Plan::with_windows`], with so many levels (up to 6) in which pairs of points are added
    /// in affine coordinates, with one inversion for thousands of pairs, before the rest of a
    /// bucket is added up. Pays for millions of terms. Queries over a density go without.
    ///
    /// # Errors
    ///
    /// As [`Plan::with_windows`], and for a number of levels that is not possible.
    pub fn with_affine_levels(terms: usize, windows: u32, group: u32, levels: u32) -> Result<Self> {
        Self::planned(&Shape { terms, windows, group, affine_levels: levels, ..Shape::default() })
    }

    /// A plan for queries of [`Multiples`](super::Multiples), with this many windows of a scalar (0
    /// is the tuned number), and so many levels of [affine additions](Self::with_affine_levels). All
    /// windows share one set of buckets, so there are fewer and longer windows, and the sum needs no
    /// doublings. For up to some millions of terms.
    ///
    /// # Errors
    ///
    /// As [`Plan::with_windows`].
    pub fn for_multiples(terms: usize, windows: u32, levels: u32) -> Result<Self> {
        let affine_levels = levels;
        let shape = Shape { terms, windows, affine_levels, multiples: true, ..Shape::default() };
        Self::planned(&shape)
    }

    fn planned(shape: &Shape) -> Result<Self> {
        let shape = Shape { terms: shape.terms.max(1), ..*shape };
        Ok(Self { g1: launch::plan::<G1>(&shape)?, g2: launch::plan::<G2>(&shape)? })
    }

    /// The tuned plan with the largest group of windows whose scratch for `groups` has at most
    /// `bytes`; where a single window is too much, with the largest chunks, and only then with
    /// narrower windows.
    ///
    /// # Errors
    ///
    /// [`Error::InsufficientVram`] if that is too little for any plan, and as [`Plan::new`].
    pub fn within(terms: usize, groups: Groups, bytes: usize) -> Result<Self> {
        let plan = Self::nearest(terms, groups, bytes)?;
        if plan.scratch_bytes(groups) > bytes {
            let (needed, available) = (plan.scratch_bytes(groups) as u64, bytes as u64);
            return Err(Error::InsufficientVram { needed, available });
        }
        Ok(plan)
    }

    /// As [`Plan::within`], or the smallest plan where none is small enough.
    pub(crate) fn nearest(terms: usize, groups: Groups, bytes: usize) -> Result<Self> {
        let mut plan = Self::new(terms)?;
        while plan.scratch_bytes(groups) > bytes && plan.group() > 1 {
            plan = Self::with_windows(terms, plan.windows(), plan.group() - 1)?;
        }
        let mut smallest = plan;
        for windows in plan.windows()..=WINDOWS_MAX {
            let mut chunks = 1;
            loop {
                let chunk = plan.terms().div_ceil(chunks);
                let next = Self::with_chunk(terms, windows, 1, chunk)?;
                if smallest.scratch_bytes(groups) <= bytes {
                    return Ok(smallest);
                }
                if next.scratch_bytes(groups) < smallest.scratch_bytes(groups) {
                    smallest = next;
                }
                let buckets = 1_usize << next.g1.bucket_bits;
                if chunk <= CHUNK_MIN.max(buckets / CHUNK_BUCKETS) {
                    break;
                }
                chunks += 1 + chunks / 4;
            }
        }
        Ok(smallest)
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

    /// Terms that are sorted at a time.
    pub fn chunk(&self) -> usize {
        self.g1.chunk as usize
    }

    /// Whether the points are [`Multiples`](super::Multiples).
    pub fn has_multiples(&self) -> bool {
        self.g1.multiples != 0
    }

    /// Levels of affine additions before the mixed ones.
    pub fn affine_levels(&self) -> u32 {
        self.g1.affine_levels
    }

    /// Bytes of scratch that [`Workspace::enqueue`](super::Workspace::enqueue) needs for queries of
    /// these groups.
    pub fn scratch_bytes(&self, groups: Groups) -> usize {
        match groups {
            Groups::G1 => self.scratch_bytes_of::<G1>(),
            Groups::G2 => self.scratch_bytes_of::<G2>(),
            Groups::Both => self.scratch_bytes_of::<G1>().max(self.scratch_bytes_of::<G2>()),
        }
    }

    pub(super) fn scratch_bytes_of<G: CurveGroup>(&self) -> usize {
        let plan = self.of::<G>();
        let (sort, partials) = (to_usize(plan.sort_bytes), to_usize(plan.partial_bytes));
        to_usize(plan.sorted_bytes) + sort.max(self.partials_at().saturating_add(partials))
    }

    /// Where sums start in the scratch behind the lists: with chunks they stay while the next one
    /// is sorted.
    pub(super) fn partials_at(&self) -> usize {
        if self.chunk() < self.terms() { to_usize(self.g1.sort_bytes) } else { 0 }
    }

    /// Bytes of scratch that [`enqueue_side_by_side`] needs for this many queries in each group.
    pub(crate) fn side_by_side_bytes(&self, g1: usize, g2: usize) -> usize {
        let g1 = g1.saturating_mul(self.partial_stride::<G1>());
        let partials = g1.saturating_add(g2.saturating_mul(self.partial_stride::<G2>()));
        let partials = partials.saturating_add(self.partials_at());
        to_usize(self.g1.sorted_bytes).saturating_add(partials.max(to_usize(self.g1.sort_bytes)))
    }

    /// Bytes of the result of this many queries in each group.
    pub fn result_bytes(&self, g1: usize, g2: usize) -> usize {
        let g1 = g1.saturating_mul(self.result_stride::<G1>());
        g1.saturating_add(g2.saturating_mul(self.result_stride::<G2>()))
    }

    /// The sums, in the queries' order, out of the downloaded result of
    /// [`Workspace::enqueue`](super::Workspace::enqueue).
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

    /// A thread each, and none of rayon's: a prover calls this while it holds what they may wait
    /// for.
    pub(super) fn finish_all<G: CurveGroup>(&self, results: &[u8]) -> Result<Vec<G::Point>> {
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

    pub(super) fn of<G: CurveGroup>(&self) -> &MsmPlan {
        if G::BYTES == G1::BYTES { &self.g1 } else { &self.g2 }
    }

    pub(super) fn partial_stride<G: CurveGroup>(&self) -> usize {
        to_usize(self.of::<G>().partial_bytes).next_multiple_of(ALIGNMENT)
    }

    pub(super) fn result_stride<G: CurveGroup>(&self) -> usize {
        to_usize(self.of::<G>().result_bytes).next_multiple_of(ALIGNMENT)
    }
}
