//! Turns for the page-locked staging ring.

use std::collections::VecDeque;
use std::sync::Arc;

use super::Lost;
use crate::error::Result;
use crate::sync::{Condvar, Mutex};

/// The queue for the ring: one stager at a time, in order of arrival.
pub(crate) struct RingGate {
    state: Mutex<Turns>,
    moved: Condvar,
}

struct Turns {
    waiting: VecDeque<u64>,
    next_ticket: u64,
    lost: Option<Lost>,
}

impl RingGate {
    /// The gate of a ring that nobody uses.
    pub(crate) fn new() -> Self {
        let turns = Turns { waiting: VecDeque::new(), next_ticket: 0, lost: None };
        RingGate { state: Mutex::new(turns), moved: Condvar::new() }
    }

    /// Waits for the ring.
    ///
    /// # Errors
    /// [`DeviceLost`](crate::Error::DeviceLost).
    pub(crate) fn lease(self: &Arc<Self>) -> Result<RingLease> {
        let mut turns = self.state.lock();
        let ticket = turns.next_ticket;
        turns.next_ticket += 1;
        turns.waiting.push_back(ticket);
        // From here on a return gives the place up.
        let lease = RingLease { gate: Arc::clone(self), ticket };
        loop {
            let lost = turns.lost.clone();
            let turn = turns.waiting.front() == Some(&ticket);
            if lost.is_some() || turn {
                drop(turns);
                return lost.map_or(Ok(lease), |lost| Err(lost.into()));
            }
            turns = self.moved.wait(turns);
        }
    }

    /// Ends all waiting, now and later, with [`DeviceLost`](crate::Error::DeviceLost).
    pub(crate) fn poison(&self, device: &str, text: &str) {
        let lost = Lost { device: device.to_owned(), text: text.to_owned() };
        self.state.lock().lost.get_or_insert(lost);
        self.moved.notify_all();
    }
}

/// The ring is the holder's alone until this is dropped.
pub(crate) struct RingLease {
    gate: Arc<RingGate>,
    ticket: u64,
}

impl Drop for RingLease {
    fn drop(&mut self) {
        let mut turns = self.gate.state.lock();
        turns.waiting.retain(|&t| t != self.ticket);
        drop(turns);
        self.gate.moved.notify_all();
    }
}
