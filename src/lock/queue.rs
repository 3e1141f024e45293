//! One FIFO queue of proofs. The proof at its front has the turn until it leaves.

use std::collections::VecDeque;

use super::ProofId;
use crate::sync::{Condvar, Mutex};

/// Proofs in the order in which they joined.
#[derive(Debug)]
pub(super) struct Queue {
    proofs: Mutex<VecDeque<ProofId>>,
    moved: Condvar,
}

impl Queue {
    pub(super) fn new() -> Self {
        Queue { proofs: Mutex::new(VecDeque::new()), moved: Condvar::new() }
    }

    /// Takes the last place, without waiting. A proof that has a place keeps it.
    pub(super) fn join(&self, proof: ProofId) {
        let mut proofs = self.proofs.lock();
        if !proofs.contains(&proof) {
            proofs.push_back(proof);
        }
    }

    /// Waits until `proof` is at the front. Returns also when it has no place in the queue (any
    /// more): there is no turn to wait for.
    pub(super) fn wait(&self, proof: ProofId) {
        let mut proofs = self.proofs.lock();
        while proofs.front() != Some(&proof) && proofs.contains(&proof) {
            proofs = self.moved.wait(proofs);
        }
    }

    /// Gives up `proof`'s place, wherever it is; nothing happens if it has none.
    pub(super) fn leave(&self, proof: ProofId) {
        let mut proofs = self.proofs.lock();
        if let Some(place) = proofs.iter().position(|&p| p == proof) {
            proofs.remove(place);
            self.moved.notify_all();
        }
    }
}
