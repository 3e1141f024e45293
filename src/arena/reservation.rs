//! A proof's place in the queue for memory, and what it may take.

use std::sync::Arc;

use super::lease::Use;
use super::{Blocks, Lease, Shared};
use crate::error::{Error, Result};
use crate::lock::ProofId;

/// Three blocks for one proof. Dropping it gives up what has not been taken; blocks that were
/// taken go back by themselves.
pub(crate) struct Reservation<T: Clone> {
    shared: Arc<Shared<T>>,
    proof: ProofId,
    ticket: u64,
    sizes: Blocks,
    taken: usize,
    /// The layout for which the sizes were last checked.
    generation: u64,
}

impl<T: Clone> Reservation<T> {
    pub(super) fn join(shared: &Arc<Shared<T>>, proof: ProofId, blocks: Blocks) -> Result<Self> {
        let mut state = shared.state.lock();
        state.alive()?;
        let sizes = state.block_sizes(blocks);
        state.fits(sizes)?;
        let (ticket, generation) = (state.join(), state.generation);
        drop(state);
        Ok(Reservation { shared: Arc::clone(shared), proof, ticket, sizes, taken: 0, generation })
    }

    /// Takes the next block: waits until every reservation before this one is filled and a block
    /// of the size is free.
    ///
    /// # Errors
    /// [`Error::InsufficientVram`] when a key loaded meanwhile left too small a heap;
    /// [`Error::LockContract`] for a fourth block; [`Error::DeviceLost`].
    pub(crate) fn take(&mut self) -> Result<Lease<T>> {
        let Some(&size) = self.sizes.get(self.taken) else {
            return Err(self.contract("takes memory beyond its reservation"));
        };
        let mut state = self.shared.state.lock();
        let block = loop {
            state.alive()?;
            if self.generation != state.generation {
                state.fits(self.sizes)?;
                self.generation = state.generation;
            }
            if state.unfilled.front() == Some(&self.ticket)
                && let Some(block) = state.allocate(size)
            {
                break block;
            }
            state = self.shared.changed.wait(state);
        };
        let after = state.after.take(block);
        self.taken += 1;
        if self.taken == self.sizes.len() {
            state.withdraw(self.ticket);
            state.filled += 1;
            self.shared.changed.notify_all();
        }
        drop(state);
        Ok(Lease::new(&self.shared, Use::Block, block, after))
    }

    /// Leases the scratch. The proof must have all its blocks.
    ///
    /// # Errors
    /// [`Error::LockContract`] while another proof has the scratch, or before this one has its
    /// blocks; [`Error::DeviceLost`].
    pub(crate) fn lease_scratch(&self) -> Result<Lease<T>> {
        if !self.is_filled() {
            return Err(self.contract("computes before it is staged"));
        }
        let mut state = self.shared.state.lock();
        state.alive()?;
        if state.scratch_leased {
            return Err(self.contract("computes while another proof does"));
        }
        state.scratch_leased = true;
        let scratch = state.scratch;
        let after = state.after.take(scratch);
        drop(state);
        Ok(Lease::new(&self.shared, Use::Scratch, scratch, after))
    }

    /// Whether all blocks have been taken.
    pub(crate) fn is_filled(&self) -> bool {
        self.taken == self.sizes.len()
    }

    fn contract(&self, what: &'static str) -> Error {
        Error::LockContract { proof: self.proof.get(), what }
    }
}

impl<T: Clone> Drop for Reservation<T> {
    fn drop(&mut self) {
        let mut state = self.shared.state.lock();
        if self.taken == self.sizes.len() {
            state.filled -= 1;
            state.settle();
        } else {
            state.withdraw(self.ticket);
        }
        drop(state);
        self.shared.changed.notify_all();
    }
}
