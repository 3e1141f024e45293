//! Where keys lie: from the bottom of the arena upwards, each in the first gap that holds it.

use std::collections::BTreeMap;

use super::{Blocks, Region};

/// What a loaded key asks of the arena.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct KeyClaim {
    /// Bytes that stay in the arena while the key is loaded; 0 for a key that is all streamed.
    pub(crate) resident_bytes: u64,
    /// Compute scratch of the key's plan.
    pub(crate) scratch_bytes: u64,
    /// The blocks of the key's largest proof.
    pub(crate) blocks: Blocks,
}

/// The loaded keys, by the start of their regions. A key without resident bytes has an empty one.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys {
    loaded: BTreeMap<(u64, u64), (Region, KeyClaim)>,
    next_number: u64,
}

/// A key in [`Keys`]: the start of its region and its number.
pub(super) type KeySlot = (u64, u64);

impl Keys {
    /// Gives the key the first gap that holds `claim.resident_bytes`, a multiple of the granule.
    pub(super) fn insert(&mut self, claim: KeyClaim) -> (KeySlot, Region) {
        let mut offset = 0;
        for (region, _) in self.loaded.values() {
            if region.offset.saturating_sub(offset) >= claim.resident_bytes {
                break;
            }
            offset = offset.max(region.end());
        }
        let region = Region { offset, bytes: claim.resident_bytes };
        let slot = (offset, self.next_number);
        self.next_number += 1;
        self.loaded.insert(slot, (region, claim));
        (slot, region)
    }

    pub(super) fn remove(&mut self, slot: KeySlot) {
        self.loaded.remove(&slot);
    }

    /// The end of the highest key's region.
    pub(super) fn top(&self) -> u64 {
        self.loaded.values().map(|(region, _)| region.end()).max().unwrap_or(0)
    }

    /// The scratch that the greediest key's plan asks for.
    pub(super) fn scratch_bytes(&self) -> u64 {
        self.loaded.values().map(|(_, claim)| claim.scratch_bytes).max().unwrap_or(0)
    }

    /// The loaded keys' claims.
    pub(super) fn claims(&self) -> impl Iterator<Item = &KeyClaim> {
        self.loaded.values().map(|(_, claim)| claim)
    }
}
