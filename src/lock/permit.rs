//! Permission to be in a phase, as a value: dropping it calls the lock's `leave`, once.

use std::sync::Arc;

use super::{GpuLock, ProofId};

/// `proof` may stage.
pub(crate) struct StagePermit(Entered);

/// `proof` may compute.
pub(crate) struct ComputePermit(Entered);

impl StagePermit {
    /// Waits for the stage phase.
    pub(crate) fn enter(lock: &Arc<dyn GpuLock>, proof: ProofId) -> Self {
        // The value comes first, so that a lock that panics is left too.
        let entered = Entered { lock: Arc::clone(lock), proof };
        entered.lock.enter_stage(proof);
        StagePermit(entered)
    }

    /// Ends the stage phase and waits for the compute phase.
    pub(crate) fn enter_compute(self) -> ComputePermit {
        let StagePermit(entered) = self;
        entered.lock.enter_compute(entered.proof);
        ComputePermit(entered)
    }

    /// The proof that holds the permit.
    pub(crate) fn proof(&self) -> ProofId {
        self.0.proof
    }
}

impl ComputePermit {
    /// The proof that holds the permit.
    pub(crate) fn proof(&self) -> ProofId {
        self.0.proof
    }
}

/// A proof that has called `enter_stage` and not yet `leave`.
struct Entered {
    lock: Arc<dyn GpuLock>,
    proof: ProofId,
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.lock.leave(self.proof);
    }
}
