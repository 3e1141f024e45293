//! One proof at a time.

use super::queue::Queue;
use super::{GpuLock, ProofId};

/// One queue: a proof stages and computes while it is at the front, and no other does either.
#[derive(Debug)]
pub struct SingleLock {
    proofs: Queue,
}

impl SingleLock {
    /// A lock that nobody holds.
    pub fn new() -> Self {
        SingleLock { proofs: Queue::new() }
    }
}

impl Default for SingleLock {
    fn default() -> Self {
        Self::new()
    }
}

impl GpuLock for SingleLock {
    fn enter_stage(&self, proof: ProofId) {
        self.proofs.join(proof);
        self.proofs.wait(proof);
    }

    /// It is at the front since it staged.
    fn enter_compute(&self, _proof: ProofId) {}

    fn leave(&self, proof: ProofId) {
        self.proofs.leave(proof);
    }
}
