//! One proof computes while the next one stages.

use super::queue::Queue;
use super::{GpuLock, ProofId};

/// Two queues, one for each phase. A proof joins the compute queue before it leaves the stage
/// queue; only the front of the stage queue does so, hence proofs compute in the order in which
/// they staged.
#[derive(Debug)]
pub struct SplitLock {
    stage: Queue,
    compute: Queue,
}

impl SplitLock {
    /// A lock that nobody holds.
    pub fn new() -> Self {
        SplitLock { stage: Queue::new(), compute: Queue::new() }
    }
}

impl Default for SplitLock {
    fn default() -> Self {
        Self::new()
    }
}

impl GpuLock for SplitLock {
    fn enter_stage(&self, proof: ProofId) {
        self.stage.join(proof);
        self.stage.wait(proof);
    }

    fn enter_compute(&self, proof: ProofId) {
        self.compute.join(proof);
        self.stage.leave(proof);
        self.compute.wait(proof);
    }

    fn leave(&self, proof: ProofId) {
        self.stage.leave(proof);
        self.compute.leave(proof);
    }
}
