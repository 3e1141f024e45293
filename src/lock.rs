//! Which phases of concurrent proofs may overlap on one GPU.
//!
//! A proof has three phases. It *stages*: takes its blocks of device memory and uploads its
//! inputs. It *computes*: runs its kernels. It *finishes* on the host. A [`GpuLock`] says which
//! proof may stage and which may compute; [`SingleLock`] lets one proof at a time do either,
//! [`SplitLock`] lets the next proof stage while one computes. Both are made of one FIFO queue.
//!
//! A lock is policy alone: the arena's admission queue keeps the memory right under any lock, and
//! a lock that lets two proofs compute at once gets [`Error::LockContract`](crate::Error).

#[allow(dead_code)] // until the prover is its user
mod permit;
mod queue;
mod single;
mod split;
#[cfg(all(test, not(loom)))]
mod tests;

#[allow(unused_imports)] // until the prover is their user
pub(crate) use permit::{ComputePermit, StagePermit};
pub use single::SingleLock;
pub use split::SplitLock;

/// A proof's number on its device. Numbers grow in order of arrival and are never used twice: a
/// retry is a new proof, with a new number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProofId(u64);

impl ProofId {
    /// The proof with this number.
    pub const fn new(number: u64) -> Self {
        ProofId(number)
    }

    /// The number.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl std::fmt::Display for ProofId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// Decides which phases of concurrent proofs may overlap on one GPU. Policy only: memory safety
/// and admission never depend on it.
///
/// # Contract
///
/// * A proof never waits for one that staged later.
/// * At most one proof is in its compute phase.
/// * Each proof enters its phases in order, from one thread, and calls `leave` once at the end,
///   whichever phase it reached. `leave` also withdraws a proof that still queues.
/// * No method panics, and none keeps waiting once the proofs before its own have left.
///
/// The library calls these methods through permits of its own, which call `leave` when they are
/// dropped, after the proof's streams are drained and its memory has gone back.
///
/// # Example
///
/// A lock that counts the proofs it let through, over one of the library's:
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// use groth16_cuda::lock::{GpuLock, ProofId, SplitLock};
///
/// #[derive(Default)]
/// struct Counting {
///     lock: SplitLock,
///     computed: AtomicUsize,
/// }
///
/// impl GpuLock for Counting {
///     fn enter_stage(&self, proof: ProofId) {
///         self.lock.enter_stage(proof);
///     }
///     fn enter_compute(&self, proof: ProofId) {
///         self.lock.enter_compute(proof);
///         self.computed.fetch_add(1, Ordering::Relaxed);
///     }
///     fn leave(&self, proof: ProofId) {
///         self.lock.leave(proof);
///     }
/// }
///
/// let lock = Counting::default();
/// lock.enter_stage(ProofId::new(0));
/// lock.enter_compute(ProofId::new(0));
/// lock.leave(ProofId::new(0));
/// assert_eq!(lock.computed.into_inner(), 1);
/// ```
pub trait GpuLock: Send + Sync {
    /// Waits until `proof` may take VRAM and upload. Ids grow in order of arrival.
    fn enter_stage(&self, proof: ProofId);
    /// Waits until `proof` may run kernels; ends its stage phase.
    fn enter_compute(&self, proof: ProofId);
    /// Called once, from any phase, also after an error or a panic.
    fn leave(&self, proof: ProofId);
}
