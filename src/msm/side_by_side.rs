//! Several queries side by side, each on a stream of its own.

use crate::device::{DeviceBuffer, Event, Stream};
use crate::error::{Error, Result};
use crate::repr::{G1, G2};

use super::{Plan, Query, Scalars, Sums, enqueue_side_by_side};

/// Multiplications of the same scalars over several queries, each on a stream of its own: its
/// *lane*. Small queries do not fill a device one by one, as [`Workspace`](super::Workspace) takes
/// them, and here one query's chains of few additions hide behind another's work. Scratch grows
/// with the number of queries.
///
/// The stream sorts, and the lanes wait for it: what was enqueued on the stream before, such as
/// copies of points and scalars, has run when a lane reads its result. The stream does not wait for
/// the lanes: points and maps must stay as they are until the lanes are done, which
/// [`SideBySide::finish`] waits for.
///
/// The kernels follow indices that earlier kernels left in the scratch, so the scratch and the
/// order of its uses belong to this value.
#[derive(Debug)]
pub struct SideBySide<'s> {
    stream: &'s Stream,
    lanes: Vec<Stream>,
    /// For each lane, behind the latest sums.
    done: Vec<Event>,
    /// Whether the events are behind all that has been enqueued on the scratch.
    in_order: bool,
    plan: Plan,
    queries: (usize, usize),
    scratch: DeviceBuffer<u8>,
    result: DeviceBuffer<u8>,
}

impl<'s> SideBySide<'s> {
    /// For multiplications with this plan over `g1` queries in G1 and `g2` in G2.
    ///
    /// # Errors
    ///
    /// [`Error::InsufficientVram`], [`Error::Device`].
    pub fn new(stream: &'s Stream, plan: &Plan, g1: usize, g2: usize) -> Result<Self> {
        let device = stream.device();
        let scratch = device.alloc(plan.side_by_side_bytes(g1, g2))?;
        let mut result = device.alloc(plan.result_bytes(g1, g2))?;
        stream.fill(0, result.view_mut())?; // sums of nothing
        let filled = stream.record()?;
        let lane = |_| {
            let lane = device.stream()?;
            lane.wait(&filled)?;
            Ok(lane)
        };
        let lanes = (0..g1.saturating_add(g2)).map(lane).collect::<Result<Vec<_>>>()?;
        let done = lanes.iter().map(Stream::record).collect::<Result<Vec<_>>>()?;
        let (plan, queries) = (*plan, (g1, g2));
        Ok(Self { stream, lanes, done, in_order: true, plan, queries, scratch, result })
    }

    /// The queries' streams, those of G1 first. What a caller enqueues on a lane runs beside the
    /// other lanes: before the query's sums if it is enqueued before them.
    pub fn lanes(&self) -> &[Stream] {
        &self.lanes
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
        if self.in_order {
            // The scratch's lists are still read.
            self.done.iter().try_for_each(|done| self.stream.wait(done))?;
        } else {
            // An earlier call failed half-way.
            self.lanes.iter().try_for_each(Stream::synchronize)?;
        }
        self.in_order = false;
        let (scratch, result) = (self.scratch.view_mut(), self.result.view_mut());
        let (stream, lanes, plan) = (self.stream, &self.lanes, &self.plan);
        enqueue_side_by_side(stream, lanes, plan, scalars, g1, g2, scratch, result)?;
        self.done.iter().zip(lanes).try_for_each(|(done, lane)| done.record(lane))?;
        self.in_order = true;
        Ok(())
    }

    /// Waits for the latest sums, not for what the stream has been given since, and adds up on the
    /// host what the kernels leave.
    ///
    /// # Errors
    ///
    /// [`Error::Device`].
    pub fn finish(&self) -> Result<Sums> {
        self.done.iter().try_for_each(Event::synchronize)?;
        let mut bytes = vec![0; self.result.len()];
        if let Some(lane) = self.lanes.first() {
            lane.download(self.result.view(), &mut bytes)?;
        }
        self.plan.finish(self.queries.0, self.queries.1, &bytes)
    }
}
