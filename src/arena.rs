//! Who may use which part of a device's memory, and when. Bookkeeping over offsets alone: the
//! memory itself, its streams and its events belong to the device.
//!
//! ```text
//! 0        keys        │            heap of power-of-two blocks            │   scratch   capacity
//! ─────────────────────┴───────────────────────────────────────────────────┴─────────────────────
//!  loaded keys, upward    three blocks for each proof: w, then a and b       one lease at a time
//! ```
//!
//! **Admission.** A proof reserves its three blocks at once, and takes them one after another.
//! Reservations queue in the order in which they were made; only the first unfilled one takes
//! blocks, so at most one is partly filled. All proofs before it have all that they will ever
//! take, and the scratch is set aside for them one after another; so they finish, their blocks
//! return, and the waiting one fills. A reservation that would not fit the empty heap fails at
//! once and never waits.
//!
//! **Keys.** Loading or evicting a key changes the layout. It is a reservation of the whole heap
//! and the scratch, in the same queue: it waits until every proof before it has gone, and proofs
//! behind it wait for it.
//!
//! **Tokens.** Memory may go back while work on it is still enqueued: with it goes a token, the
//! event after which the memory may be used again. Whoever gets the memory next gets the tokens,
//! and makes its stream wait for them.
//!
//! **Order of waiting.** Stage lock, then blocks, then the ring, then the compute lock. Scratch is
//! never waited for: a second lease is [`Error::LockContract`](crate::Error::LockContract).

mod buddy;
mod exclusive;
mod keys;
mod lease;
mod reservation;
mod ring;
mod spans;
mod state;
#[cfg(all(test, not(loom)))]
mod tests;

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::lock::ProofId;
use crate::sync::{Condvar, Mutex};

pub(crate) use exclusive::{Exclusive, KeyRegion};
pub(crate) use keys::KeyClaim;
pub(crate) use lease::Lease;
pub(crate) use reservation::Reservation;
pub(crate) use ring::{RingGate, RingLease};
pub(crate) use state::Layout;
use state::State;

/// The smallest block, and the unit of the layout, in bytes, where the device asks for no other.
pub(crate) const GRANULE_BYTES: u64 = 64 << 10;

/// The bytes of a proof's three blocks: w for the witness, a and b for the evaluations.
pub(crate) type Blocks = [u64; 3];

/// Bytes of the arena, from its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Region {
    /// Where it starts.
    pub(crate) offset: u64,
    /// How long it is.
    pub(crate) bytes: u64,
}

impl Region {
    /// Where it ends.
    pub(crate) fn end(self) -> u64 {
        self.offset + self.bytes
    }
}

/// The queue for a device's memory. Clones are handles to the same queue; `T` is the token that
/// says when returned memory may be used again.
#[derive(Clone)]
pub(crate) struct Admission<T: Clone> {
    shared: Arc<Shared<T>>,
}

/// The state, and the signal that it changed.
struct Shared<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

impl<T: Clone> Admission<T> {
    /// An arena of `capacity` bytes without keys. The smallest block has `granule` bytes, rounded
    /// up to a power of two; bytes beyond the last whole granule stay unused.
    pub(crate) fn new(capacity: u64, granule: u64) -> Self {
        let state = Mutex::new(State::new(capacity, granule));
        Admission { shared: Arc::new(Shared { state, changed: Condvar::new() }) }
    }

    /// Queues `proof` for its three blocks. They are granted largest first, which for blocks no
    /// smaller than those after them is the order given.
    ///
    /// # Errors
    /// [`Error::InsufficientVram`] when the blocks do not fit the empty heap;
    /// [`Error::DeviceLost`].
    pub(crate) fn reserve(&self, proof: ProofId, blocks: Blocks) -> Result<Reservation<T>> {
        Reservation::join(&self.shared, proof, blocks)
    }

    /// Queues for the whole heap and the scratch, and waits until every proof before it has gone.
    /// The caller must hold no reservation.
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    pub(crate) fn exclusive(&self) -> Result<Exclusive<T>> {
        Exclusive::wait(&self.shared)
    }

    /// Ends all waiting, now and later, with [`Error::DeviceLost`].
    pub(crate) fn poison(&self, device: &str, text: &str) {
        let mut state = self.shared.state.lock();
        if state.lost.is_none() {
            state.lost = Some(Lost { device: device.to_owned(), text: text.to_owned() });
        }
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Where keys, heap and scratch lie now.
    pub(crate) fn layout(&self) -> Layout {
        self.shared.state.lock().layout()
    }

    /// Whether no block is out, no reservation alive and the scratch not leased.
    pub(crate) fn is_idle(&self) -> bool {
        self.shared.state.lock().is_idle()
    }
}

/// What [`Admission::poison`] was told.
#[derive(Clone, Debug)]
struct Lost {
    device: String,
    text: String,
}

impl From<Lost> for Error {
    fn from(lost: Lost) -> Self {
        Error::DeviceLost { device: lost.device, text: lost.text }
    }
}
