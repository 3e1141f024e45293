//! The kernel families, and how often each was launched.

use std::sync::atomic::{AtomicU64, Ordering};

/// A family of kernels: one folder of `cuda/`, one operation of this crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Family {
    /// Element-wise field and curve operations, for tests.
    Probe,
    /// Transforms over Fr.
    Ntt,
    /// Pointwise steps of the quotient.
    Quotient,
    /// Classification of the witness.
    Witness,
    /// Sums of the points whose scalar is one.
    BatchAdd,
    /// Multi-scalar multiplication in G1.
    MsmG1,
    /// Multi-scalar multiplication in G2.
    MsmG2,
    /// Decoding, checking and encoding of points.
    Points,
    /// Multiples of one point.
    FixedBase,
}

impl Family {
    /// Every family.
    pub const ALL: [Self; 9] = [
        Self::Probe,
        Self::Ntt,
        Self::Quotient,
        Self::Witness,
        Self::BatchAdd,
        Self::MsmG1,
        Self::MsmG2,
        Self::Points,
        Self::FixedBase,
    ];

    /// The family's name, as in `cuda/`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Probe => "probe",
            Self::Ntt => "ntt",
            Self::Quotient => "quotient",
            Self::Witness => "witness",
            Self::BatchAdd => "batch_add",
            Self::MsmG1 => "msm_g1",
            Self::MsmG2 => "msm_g2",
            Self::Points => "points",
            Self::FixedBase => "fixed_base",
        }
    }
}

/// Launches of each family. A launcher counts once, however many kernels it enqueues.
#[derive(Debug, Default)]
pub struct LaunchCounts {
    counts: [AtomicU64; Family::ALL.len()],
}

impl LaunchCounts {
    /// The count of one family.
    pub fn get(&self, family: Family) -> u64 {
        self.counts[family as usize].load(Ordering::Relaxed)
    }

    /// The counts now, in the order of [`Family::ALL`].
    pub fn snapshot(&self) -> [u64; Family::ALL.len()] {
        std::array::from_fn(|i| self.counts[i].load(Ordering::Relaxed))
    }

    pub(super) fn add(&self, family: Family) {
        self.counts[family as usize].fetch_add(1, Ordering::Relaxed);
    }
}
