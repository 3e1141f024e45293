//! A heap of power-of-two blocks over offsets: a free block merges with its buddy, so the heap is
//! whole again once all blocks are back.
//!
//! The heap need not be a power of two. It is cut into root blocks, one for each bit of its size,
//! the largest first. A block of 2^k granules lies at a multiple of 2^k granules, and its buddy at
//! the offset with bit k flipped. A root's buddy would lie behind it, where only smaller blocks
//! start, so roots never merge.
//!
//! Blocks taken largest first fit an empty heap exactly when their sizes add up to no more than
//! its size: laid end to end each starts at a multiple of its size, and none spans two roots, for
//! a multiple of more than a root's size does not occur between that root's start and the heap's
//! end. And where they fit they fit from any free list of blocks as large or larger: taken blocks
//! of at least s granules leave the same number of places for s, wherever they lie.

use std::collections::BTreeSet;

use super::Region;

/// The free blocks of a heap, by size.
#[derive(Clone, Debug)]
pub(super) struct Buddy {
    granule: u64,
    bytes: u64,
    free_bytes: u64,
    /// `free[k]`: offsets of free blocks of `granule << k` bytes.
    free: Vec<BTreeSet<u64>>,
}

impl Buddy {
    /// An empty heap of whole granules; `granule` is a power of two.
    pub(super) fn new(bytes: u64, granule: u64) -> Self {
        debug_assert!(granule.is_power_of_two());
        let bytes = bytes - bytes % granule;
        let mut heap = Buddy { granule, bytes, free_bytes: bytes, free: Vec::new() };
        let mut offset = 0;
        for order in (0..u64::BITS - granule.trailing_zeros()).rev() {
            let size = granule << order;
            if bytes & size != 0 {
                heap.level(order as usize).insert(offset);
                offset += size;
            }
        }
        heap
    }

    /// The size of the block that holds `bytes`; `None` beyond all sizes.
    pub(super) fn block_bytes(bytes: u64, granule: u64) -> Option<u64> {
        bytes.max(granule).checked_next_power_of_two()
    }

    /// Bytes of the whole heap.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether no block is out.
    pub(super) fn is_whole(&self) -> bool {
        self.free_bytes == self.bytes
    }

    /// Takes a block of `size` bytes, a power of two of at least a granule, from the smallest free
    /// block that holds it.
    pub(super) fn allocate(&mut self, size: u64) -> Option<Region> {
        let order = self.order(size);
        let from = (order..self.free.len()).find(|&k| !self.free[k].is_empty())?;
        let offset = self.free[from].pop_first()?;
        for k in (order..from).rev() {
            let upper_half = offset + (self.granule << k);
            self.level(k).insert(upper_half);
        }
        self.free_bytes -= size;
        Some(Region { offset, bytes: size })
    }

    /// Takes back a block that `allocate` gave, and merges it with its buddy while that is free.
    pub(super) fn release(&mut self, block: Region) {
        self.free_bytes += block.bytes;
        let mut order = self.order(block.bytes);
        let mut offset = block.offset;
        loop {
            let size = self.granule << order;
            if !self.level(order).remove(&(offset ^ size)) {
                break;
            }
            offset &= !size;
            order += 1;
        }
        self.level(order).insert(offset);
    }

    /// The free blocks, as regions.
    #[cfg(test)]
    pub(super) fn free_regions(&self) -> Vec<Region> {
        let sizes = self.free.iter().enumerate();
        let regions = sizes.flat_map(|(k, offsets)| {
            offsets.iter().map(move |&offset| Region { offset, bytes: self.granule << k })
        });
        regions.collect()
    }

    fn order(&self, size: u64) -> usize {
        debug_assert!(size.is_power_of_two() && size >= self.granule);
        (size.trailing_zeros() - self.granule.trailing_zeros()) as usize
    }

    /// The free blocks of `granule << order` bytes.
    fn level(&mut self, order: usize) -> &mut BTreeSet<u64> {
        if self.free.len() <= order {
            self.free.resize_with(order + 1, BTreeSet::new);
        }
        &mut self.free[order]
    }
}
