//! A block, or the scratch, while a proof has it.

use std::sync::Arc;

use super::spans::Span;
use super::{Region, Shared};

/// What a lease is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Block,
    Scratch,
}

/// A part of the arena that is the holder's alone until it goes back.
///
/// Before anything touches it, it must wait for the events in [`Lease::after`]. Dropping it gives
/// it back as it was taken: right where nothing was enqueued on it, or all that was has ended.
pub(crate) struct Lease<T: Clone> {
    shared: Arc<Shared<T>>,
    of: Use,
    region: Region,
    after: Vec<Span<T>>,
}

impl<T: Clone> Lease<T> {
    pub(super) fn new(
        shared: &Arc<Shared<T>>,
        of: Use,
        region: Region,
        after: Vec<Span<T>>,
    ) -> Self {
        Lease { shared: Arc::clone(shared), of, region, after }
    }

    /// Where it lies. A block's size is the power of two that holds what was reserved.
    pub(crate) fn region(&self) -> Region {
        self.region
    }

    /// The tokens of earlier work on it.
    pub(crate) fn after(&self) -> impl Iterator<Item = &T> {
        self.after.iter().map(|span| &span.after)
    }

    /// Gives it back; it may be used again after `token`. The holder's work waited for the tokens
    /// in [`Lease::after`], so the one token stands for them too.
    pub(crate) fn give_back(mut self, token: T) {
        self.after = vec![Span { region: self.region, after: token }];
    }
}

impl<T: Clone> Drop for Lease<T> {
    fn drop(&mut self) {
        let mut state = self.shared.state.lock();
        for span in self.after.drain(..) {
            state.after.put(span);
        }
        match self.of {
            Use::Block => state.release(self.region),
            Use::Scratch => {
                state.scratch_leased = false;
                state.settle();
            }
        }
        drop(state);
        self.shared.changed.notify_all();
    }
}
