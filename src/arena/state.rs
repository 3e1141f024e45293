//! What the admission queue's mutex guards.

use std::collections::VecDeque;

use super::buddy::Buddy;
use super::keys::Keys;
use super::spans::Spans;
use super::{Blocks, KeyClaim, Lost, Region};
use crate::error::{Error, Result};

/// Where the parts of the arena lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Grows with each change of the layout.
    pub(crate) generation: u64,
    /// The heap for proofs' blocks.
    pub(crate) heap: Region,
    /// The compute scratch.
    pub(crate) scratch: Region,
}

/// The arena's books.
pub(super) struct State<T> {
    pub(super) capacity: u64,
    pub(super) granule: u64,
    pub(super) generation: u64,
    pub(super) keys: Keys,
    /// A key went while the layout could not change.
    pub(super) stale: bool,
    heap_start: u64,
    heap: Buddy,
    pub(super) scratch: Region,
    pub(super) scratch_leased: bool,
    pub(super) after: Spans<T>,
    /// Tickets of reservations that lack blocks, and of waiting or granted exclusives.
    pub(super) unfilled: VecDeque<u64>,
    /// Filled reservations that have not been dropped.
    pub(super) filled: usize,
    next_ticket: u64,
    pub(super) lost: Option<Lost>,
}

impl<T: Clone> State<T> {
    pub(super) fn new(capacity: u64, granule: u64) -> Self {
        let granule = granule.clamp(1, 1 << 62).next_power_of_two();
        let capacity = capacity - capacity % granule;
        State {
            capacity,
            granule,
            generation: 0,
            keys: Keys::default(),
            stale: false,
            heap_start: 0,
            heap: Buddy::new(capacity, granule),
            scratch: Region { offset: capacity, bytes: 0 },
            scratch_leased: false,
            after: Spans::new(),
            unfilled: VecDeque::new(),
            filled: 0,
            next_ticket: 0,
            lost: None,
        }
    }

    pub(super) fn layout(&self) -> Layout {
        let heap = Region { offset: self.heap_start, bytes: self.heap.bytes() };
        Layout { generation: self.generation, heap, scratch: self.scratch }
    }

    /// An error once the device is lost.
    pub(super) fn alive(&self) -> Result<()> {
        self.lost.clone().map_or(Ok(()), |lost| Err(lost.into()))
    }

    pub(super) fn is_idle(&self) -> bool {
        self.heap.is_whole() && self.filled == 0 && !self.scratch_leased
    }

    /// Takes the last place in the queue.
    pub(super) fn join(&mut self) -> u64 {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        self.unfilled.push_back(ticket);
        ticket
    }

    /// Gives up a place in the queue.
    pub(super) fn withdraw(&mut self, ticket: u64) {
        self.unfilled.retain(|&t| t != ticket);
    }

    /// The blocks in which three buffers are granted, largest first; saturated beyond all sizes.
    pub(super) fn block_sizes(&self, bytes: Blocks) -> Blocks {
        let mut sizes = bytes.map(|b| Buddy::block_bytes(b, self.granule).unwrap_or(u64::MAX));
        sizes.sort_unstable_by(|x, y| y.cmp(x));
        sizes
    }

    /// Whether the empty heap holds blocks of these sizes (`buddy.rs` says why a sum decides).
    pub(super) fn fits(&self, sizes: Blocks) -> Result<()> {
        self.within(self.capacity - self.heap.bytes(), sizes)
    }

    /// A block of the heap, if one is free.
    pub(super) fn allocate(&mut self, size: u64) -> Option<Region> {
        let block = self.heap.allocate(size)?;
        Some(Region { offset: self.heap_start + block.offset, bytes: size })
    }

    pub(super) fn release(&mut self, block: Region) {
        let offset = block.offset - self.heap_start;
        self.heap.release(Region { offset, bytes: block.bytes });
        self.settle();
    }

    /// The claim in whole granules and blocks.
    pub(super) fn round(&self, claim: KeyClaim) -> KeyClaim {
        let up = |bytes: u64| bytes.checked_next_multiple_of(self.granule).unwrap_or(u64::MAX);
        KeyClaim {
            resident_bytes: up(claim.resident_bytes),
            scratch_bytes: up(claim.scratch_bytes),
            blocks: self.block_sizes(claim.blocks),
        }
    }

    /// Makes `keys` the loaded ones, if beside them and the scratch the heap holds the blocks of
    /// one largest proof of each. The heap must be whole and the scratch not in use.
    pub(super) fn place(&mut self, keys: Keys) -> Result<()> {
        let fixed = keys.top().saturating_add(keys.scratch_bytes());
        keys.claims().try_for_each(|claim| self.within(fixed, claim.blocks))?;
        self.heap_start = keys.top();
        self.heap = Buddy::new(self.capacity - fixed, self.granule);
        let bytes = keys.scratch_bytes();
        self.scratch = Region { offset: self.capacity - bytes, bytes };
        self.keys = keys;
        self.stale = false;
        self.generation += 1;
        Ok(())
    }

    /// Gives the room of keys that went to the heap, as soon as nobody uses it.
    pub(super) fn settle(&mut self) {
        if self.stale && self.is_idle() {
            let keys = std::mem::take(&mut self.keys);
            // Fewer keys than before fit where more did.
            let placed = self.place(keys);
            debug_assert!(placed.is_ok());
        }
    }

    fn within(&self, fixed: u64, sizes: Blocks) -> Result<()> {
        let needed = sizes.iter().fold(fixed, |sum, &size| sum.saturating_add(size));
        if needed > self.capacity {
            return Err(Error::InsufficientVram { needed, available: self.capacity });
        }
        Ok(())
    }
}
