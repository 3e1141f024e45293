//! The whole heap and the scratch at once: the turn to load or evict keys.

use std::sync::Arc;

use super::keys::KeySlot;
use super::{KeyClaim, Layout, Region, Shared};
use crate::error::Result;

/// No proof has memory while this lives, and those behind it in the queue wait.
pub(crate) struct Exclusive<T: Clone> {
    shared: Arc<Shared<T>>,
    ticket: u64,
}

impl<T: Clone> Exclusive<T> {
    pub(super) fn wait(shared: &Arc<Shared<T>>) -> Result<Self> {
        let mut state = shared.state.lock();
        state.alive()?;
        let ticket = state.join();
        while state.unfilled.front() != Some(&ticket) || !state.is_idle() {
            state = shared.changed.wait(state);
            if let Err(lost) = state.alive() {
                state.withdraw(ticket);
                return Err(lost);
            }
        }
        state.scratch_leased = true;
        drop(state);
        Ok(Exclusive { shared: Arc::clone(shared), ticket })
    }

    /// Takes the tokens of all earlier work in the arena. Before anything touches heap, scratch or
    /// a key's new region, it must wait for them.
    pub(crate) fn take_after(&mut self) -> Vec<T> {
        let mut state = self.shared.state.lock();
        let all = Region { offset: 0, bytes: state.capacity };
        state.after.take(all).into_iter().map(|span| span.after).collect()
    }

    /// Where the heap and the scratch lie, all of which is the caller's to use.
    pub(crate) fn layout(&self) -> Layout {
        self.shared.state.lock().layout()
    }

    /// Makes room for a key: its region, and scratch and heap as its plan asks.
    ///
    /// # Errors
    /// [`InsufficientVram`](crate::Error::InsufficientVram) when beside it the heap could not hold
    /// one largest proof of every loaded key. Nothing has changed then.
    pub(crate) fn load(&mut self, claim: KeyClaim) -> Result<KeyRegion<T>> {
        let mut state = self.shared.state.lock();
        let mut keys = state.keys.clone();
        let (slot, region) = keys.insert(state.round(claim));
        state.place(keys)?;
        drop(state);
        Ok(KeyRegion { shared: Arc::clone(&self.shared), slot, region })
    }

    /// Gives a key's region to the heap, at once.
    pub(crate) fn evict(&mut self, key: KeyRegion<T>) {
        drop(key);
        let mut state = self.shared.state.lock();
        state.scratch_leased = false;
        state.settle();
        state.scratch_leased = true;
    }
}

impl<T: Clone> Drop for Exclusive<T> {
    fn drop(&mut self) {
        let mut state = self.shared.state.lock();
        state.scratch_leased = false;
        state.withdraw(self.ticket);
        state.settle();
        drop(state);
        self.shared.changed.notify_all();
    }
}

/// The resident part of a loaded key. Once dropped, its room goes to the heap when next no proof
/// has memory; by then nothing enqueued may read it.
pub(crate) struct KeyRegion<T: Clone> {
    shared: Arc<Shared<T>>,
    slot: KeySlot,
    region: Region,
}

impl<T: Clone> KeyRegion<T> {
    /// Where it lies.
    pub(crate) fn region(&self) -> Region {
        self.region
    }
}

impl<T: Clone> Drop for KeyRegion<T> {
    fn drop(&mut self) {
        let mut state = self.shared.state.lock();
        state.keys.remove(self.slot);
        state.stale = true;
        state.settle();
        drop(state);
        self.shared.changed.notify_all();
    }
}
