//! The head of a key's cache, and what it may say.

use super::{CacheFault, check_sum};
use crate::key::read::rules;
use crate::key::{Checks, KeyFault, KeyPart, ProvingKey};
use crate::{Error, Result};

/// How every cache begins. A byte above 127 and a line's end show a file that was copied as text.
pub(super) const MAGIC: [u8; 8] = *b"\x8bG16key\n";

/// This build's version of the format.
pub(super) const VERSION: u32 = 1;

/// Bytes of the head: magic, version, checks, six counts, trailing bytes, checksum.
pub(super) const HEAD_BYTES: usize = 8 + 4 + 4 + 6 * 4 + 8 + 4;

/// The head of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// What the key's points have passed.
    pub(super) checks: Checks,
    pub(super) counts: Counts,
    /// As [`ProvingKey::trailing_bytes`].
    pub(super) trailing_bytes: u64,
}

/// Points of the key's parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) ic: u32,
    pub(super) h: u32,
    pub(super) l: u32,
    pub(super) a: u32,
    pub(super) b_g1: u32,
    pub(super) b_g2: u32,
}

impl Counts {
    pub(super) fn of(key: &ProvingKey) -> Result<Self> {
        let count = |what, got| {
            let limit = u32::MAX as usize;
            u32::try_from(got).map_err(|_| Error::TooMany { what, got, limit })
        };
        Ok(Self {
            ic: count("ic", key.vk.ic.len())?,
            h: count("h", key.h.count)?,
            l: count("l", key.l.count)?,
            a: count("a", key.a.count)?,
            b_g1: count("b_g1", key.b_g1.count)?,
            b_g2: count("b_g2", key.b_g2.count)?,
        })
    }

    /// What the counts owe one another, as in bellman's format.
    pub(super) fn check(&self) -> Result<(), CacheFault> {
        let [ic, h, l] = [self.ic, self.h, self.l].map(|count| count as usize);
        let [a, b_g1, b_g2] = [self.a, self.b_g1, self.b_g2].map(|count| count as usize);
        let rules = [
            (KeyPart::Ic, ic, rules::ic(ic)),
            (KeyPart::H, h, rules::h(h, ic)),
            (KeyPart::A, a, rules::a(a, ic, l)),
            (KeyPart::BG1, b_g1, rules::b_g1(b_g1, ic, l)),
            (KeyPart::BG2, b_g2, rules::b_g2(b_g2, b_g1)),
        ];
        for (part, got, rule) in rules {
            let fault = |rule| CacheFault::Part { part, fault: KeyFault::Count { got, rule } };
            rule.map_err(fault)?;
        }
        Ok(())
    }
}

impl Head {
    pub(super) fn encode(&self) -> [u8; HEAD_BYTES] {
        let mut bytes = [0; HEAD_BYTES];
        let mut out = Fields(&mut bytes);
        out.put(MAGIC);
        out.put(VERSION.to_le_bytes());
        let checks: u32 = match self.checks {
            Checks::SkipSubgroup => 0,
            Checks::Full => 1,
        };
        out.put(checks.to_le_bytes());
        let Counts { ic, h, l, a, b_g1, b_g2 } = self.counts;
        [ic, h, l, a, b_g1, b_g2].iter().for_each(|count| out.put(count.to_le_bytes()));
        out.put(self.trailing_bytes.to_le_bytes());
        let crc = crc32fast::hash(&bytes[..HEAD_BYTES - 4]);
        bytes[HEAD_BYTES - 4..].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// What is wrong is looked for in this order: magic, version, checksum, the fields.
    pub(super) fn decode(bytes: &[u8; HEAD_BYTES]) -> Result<Self, CacheFault> {
        let (sum, mut fields) = (&bytes[..HEAD_BYTES - 4], Taken(bytes));
        let found = fields.take();
        if found != MAGIC {
            return Err(CacheFault::Magic { expected: MAGIC, found });
        }
        let found = fields.u32();
        if found != VERSION {
            return Err(CacheFault::Version { expected: VERSION, found });
        }
        let checks = fields.u32();
        let [ic, h, l, a, b_g1, b_g2] = std::array::from_fn(|_| fields.u32());
        let trailing_bytes = u64::from_le_bytes(fields.take());
        check_sum(sum, 0, fields.u32())?;
        let checks = match checks {
            0 => Checks::SkipSubgroup,
            1 => Checks::Full,
            other => return Err(CacheFault::Field { field: "checks", found: other.into() }),
        };
        let counts = Counts { ic, h, l, a, b_g1, b_g2 };
        Ok(Self { checks, counts, trailing_bytes })
    }
}

/// Room for fields that follow one another; it was made for all of them.
struct Fields<'a>(&'a mut [u8]);

impl Fields<'_> {
    fn put<const N: usize>(&mut self, field: [u8; N]) {
        if let Some((room, rest)) = std::mem::take(&mut self.0).split_first_chunk_mut() {
            *room = field;
            self.0 = rest;
        }
    }
}

/// Fields that follow one another; zeros behind the last.
struct Taken<'a>(&'a [u8]);

impl Taken<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let Some((field, rest)) = self.0.split_first_chunk() else { return [0; N] };
        self.0 = rest;
        *field
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }
}
