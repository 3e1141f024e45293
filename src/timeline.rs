//! When each phase of each proof ran, and what it launched.
//!
//! A [`Timeline`] comes back with its proof. [`write_chrome_trace`] draws several of them on one
//! clock, and [`busy_share`] says how much of the time the device computed.

mod busy;
#[cfg(test)]
mod tests;
mod trace;

use std::time::{Duration, Instant};

use crate::device::Family;

pub use busy::busy_share;
pub use trace::write_chrome_trace;

/// A phase of a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// Waiting for the lock's stage phase.
    WaitStage,
    /// Taking blocks and enqueueing the copies of the inputs.
    Stage,
    /// Waiting for the lock's compute phase.
    WaitCompute,
    /// The kernels, from the first to the sums' download; starts with what is left of the copies.
    Compute,
    /// Assembling the proof on the host.
    Finish,
    /// Verifying the proof on the host.
    SelfCheck,
}

impl Phase {
    /// The phase's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::WaitStage => "wait stage",
            Self::Stage => "stage",
            Self::WaitCompute => "wait compute",
            Self::Compute => "compute",
            Self::Finish => "finish",
            Self::SelfCheck => "self-check",
        }
    }
}

/// A stretch of time of one phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The phase.
    pub phase: Phase,
    /// When it began.
    pub start: Instant,
    /// When it ended.
    pub end: Instant,
}

impl Span {
    /// How long it took.
    pub fn duration(&self) -> Duration {
        self.end.saturating_duration_since(self.start)
    }
}

/// A stretch of time in which the device ran kernels of one family, as its events measured it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelSpan {
    /// The family.
    pub family: Family,
    /// When the first kernel began, on the host's clock.
    pub start: Instant,
    /// When the last one ended.
    pub end: Instant,
}

/// One of a proof's three blocks of device memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Block {
    /// The witness; later the quotient's u.
    W,
    /// ⟨A, z⟩ of the rows.
    A,
    /// ⟨B, z⟩ of the rows; later the quotient.
    B,
}

impl Block {
    /// The blocks in the order in which they are taken.
    pub const ALL: [Self; 3] = [Self::W, Self::A, Self::B];

    /// The block's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::W => "w",
            Self::A => "a",
            Self::B => "b",
        }
    }
}

/// How long a proof waited for a block, and had it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockSpan {
    /// Which block.
    pub block: Block,
    /// When it was asked for.
    pub asked: Instant,
    /// When it was there.
    pub taken: Instant,
    /// When it went back, to be used behind the work that was enqueued then.
    pub returned: Instant,
}

/// What one proof did, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeline {
    proof: u64,
    spans: Vec<Span>,
    kernels: Vec<KernelSpan>,
    blocks: Vec<BlockSpan>,
    launches: [u64; Family::ALL.len()],
}

impl Timeline {
    /// The proof's number on its prover.
    pub fn proof(&self) -> u64 {
        self.proof
    }

    /// The phases in the order in which they ran.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// How long the phase took in all.
    pub fn time(&self, phase: Phase) -> Duration {
        self.spans.iter().filter(|span| span.phase == phase).map(Span::duration).sum()
    }

    /// When the device ran the proof's kernels, in the order in which they ran.
    pub fn kernels(&self) -> &[KernelSpan] {
        &self.kernels
    }

    /// When the proof waited for and had its blocks, in the order in which they went back.
    pub fn blocks(&self) -> &[BlockSpan] {
        &self.blocks
    }

    /// Launches of a kernel family.
    pub fn launches(&self, family: Family) -> u64 {
        self.launches[family as usize]
    }
}

/// Takes down a proof's timeline while it runs: each phase ends where the next begins.
#[derive(Debug)]
pub(crate) struct Recorder {
    timeline: Timeline,
    current: Option<(Phase, Instant)>,
}

impl Recorder {
    pub(crate) fn new(proof: u64) -> Self {
        let timeline = Timeline {
            proof,
            spans: Vec::new(),
            kernels: Vec::new(),
            blocks: Vec::new(),
            launches: Default::default(),
        };
        Self { timeline, current: None }
    }

    /// Begins a phase, and ends the one before.
    pub(crate) fn enter(&mut self, phase: Phase) {
        let now = Instant::now();
        self.end(now);
        self.current = Some((phase, now));
    }

    /// Adds launches, in the order of [`Family::ALL`], as counts before and after them.
    pub(crate) fn launches(
        &mut self,
        before: &[u64; Family::ALL.len()],
        after: &[u64; Family::ALL.len()],
    ) {
        for ((sum, before), after) in self.timeline.launches.iter_mut().zip(before).zip(after) {
            *sum += after - before;
        }
    }

    /// Adds kernels that ran from `start_ms` to `end_ms` after an event that happened at `anchor`.
    pub(crate) fn kernels(&mut self, family: Family, anchor: Instant, start_ms: f32, end_ms: f32) {
        let at = |ms: f32| anchor + Duration::try_from_secs_f32(ms / 1000.0).unwrap_or_default();
        let span = KernelSpan { family, start: at(start_ms), end: at(end_ms) };
        self.timeline.kernels.push(span);
    }

    /// Adds a block that goes back now.
    pub(crate) fn returned(&mut self, block: Block, asked: Instant, taken: Instant) {
        let returned = Instant::now();
        self.timeline.blocks.push(BlockSpan { block, asked, taken, returned });
    }

    /// Ends the last phase.
    pub(crate) fn finish(mut self) -> Timeline {
        self.end(Instant::now());
        self.timeline
    }

    fn end(&mut self, now: Instant) {
        if let Some((phase, start)) = self.current.take() {
            self.timeline.spans.push(Span { phase, start, end: now });
        }
    }
}
