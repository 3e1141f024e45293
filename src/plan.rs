//! What a key and its proofs need of a device, before anything runs.
//!
//! Everything here is arithmetic on shapes: no device is asked, nothing is allocated.

use std::marker::PhantomData;

use bls12_381::Scalar;

use crate::arena::GRANULE_BYTES;
use crate::density::DensityMap;
use crate::device::{Device, ViewMut};
use crate::error::{Error, Result};
use crate::key::KeyShape;
use crate::msm::Groups;
use crate::repr::{G1, G1AffineRepr, G1XyzzRepr, G2, G2AffineRepr, G2XyzzRepr, Plain};
use crate::{batch_add, msm, ntt, witness};

/// What parts of a region are aligned to, in bytes: enough for every type and for full-speed
/// copies.
pub(crate) const ALIGNMENT: usize = 256;

/// Queries of the witness: L, A and B in G1, and B in G2.
pub(crate) const WITNESS_QUERIES: usize = 4;

/// The most scratch that is set aside so that a proof's queries run side by side, in bytes. What
/// needs more fills a device by itself.
const SIDE_BY_SIDE_BYTES: usize = 1 << 30;

/// Of scratch that they could do without, multiplications take at most one part in so many of the
/// budget, or what side by side needs: more saves them little, and other keys have a use for it.
const WORK_SHARE: u64 = 8;

/// `len` elements of `T` somewhere in a region of bytes.
#[derive(Debug)]
pub(crate) struct Part<T> {
    offset: usize,
    len: usize,
    marker: PhantomData<T>,
}

impl<T> Clone for Part<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Part<T> {}

impl<T: Plain> Part<T> {
    /// Where it ends, in bytes.
    fn end(&self) -> usize {
        self.offset.saturating_add(self.len.saturating_mul(size_of::<T>()))
    }

    /// The part as a view of its region.
    pub(crate) fn of<'a>(&self, region: ViewMut<'a, u8>) -> Result<ViewMut<'a, T>> {
        region.slice(self.offset..self.end())?.cast()
    }
}

/// Lays parts into a region one after another.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Layout {
    bytes: usize,
}

impl Layout {
    /// The next part.
    pub(crate) fn part<T: Plain>(&mut self, len: usize) -> Part<T> {
        let offset = self.bytes;
        let bytes = len.saturating_mul(size_of::<T>());
        self.bytes = offset.saturating_add(bytes).saturating_add(ALIGNMENT - 1) & !(ALIGNMENT - 1);
        Part { offset, len, marker: PhantomData }
    }

    /// Bytes of the region so far.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// How a key and its proofs use a device's memory. Pure: it answers before anything is allocated.
#[derive(Debug, Clone)]
pub struct Plan {
    shape: KeyShape,
    key_bytes: usize,
    witness_msm: msm::Plan,
    h_msm: msm::Plan,
    scratch: Scratch,
}

/// The compute scratch of a plan, part by part.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scratch {
    /// The density of A and B over inputs and other variables: bitmap and ranks of each.
    pub(crate) maps: [[Part<u32>; 2]; 2],
    /// The ones and the rest of the witness, and how many of each.
    pub(crate) lists: [Part<u32>; 2],
    pub(crate) counts: Part<u32>,
    /// The sums of ones: L, A and B in G1, B in G2.
    pub(crate) ones_g1: [Part<G1XyzzRepr>; 3],
    pub(crate) ones_g2: Part<G2XyzzRepr>,
    /// What the multiplications leave.
    pub(crate) witness_result: Part<u8>,
    pub(crate) h_result: Part<u8>,
    /// Working memory: one operation after another has it, or several share it ([`Shares`]).
    pub(crate) work: Part<u8>,
    /// Workspace of a sum of ones in each group.
    ones_work: [usize; 2],
    bytes: usize,
}

/// How one proof's operations share the working memory. The parts lie within it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shares {
    /// Whether the witness's queries run on streams of their own, beside each other and beside the
    /// quotient.
    pub(crate) side_by_side: bool,
    /// Whether the multiplication over H has memory of its own, and need not wait for them.
    pub(crate) h_apart: bool,
    /// The sums of ones.
    pub(crate) ones: [Part<u8>; WITNESS_QUERIES],
    /// The multiplication of the witness's rest.
    pub(crate) witness: Part<u8>,
    /// The multiplication over H.
    pub(crate) h: Part<u8>,
}

impl Plan {
    /// Plans a key of this shape, and its proofs, into an arena of `budget` bytes on `device`,
    /// which is only asked how much workspace its kernels take.
    ///
    /// # Errors
    /// [`Error::InsufficientVram`] with what the smallest plan needs; [`Error::TooMany`] for a
    /// domain beyond 2^27 points.
    pub fn new(shape: &KeyShape, budget: u64, device: &Device) -> Result<Self> {
        if shape.domain_log2 > ntt::MAX_LOG_SIZE {
            let limit = 1 << ntt::MAX_LOG_SIZE;
            return Err(Error::TooMany { what: "domain", got: shape.domain(), limit });
        }
        if shape.inputs.checked_add(shape.aux).is_none_or(|v| v > DensityMap::MAX_LEN) {
            let (got, limit) = (shape.inputs.saturating_add(shape.aux), DensityMap::MAX_LEN);
            return Err(Error::TooMany { what: "variables", got, limit });
        }
        let key_bytes = KeyParts::new(shape).bytes;
        let blocks: u64 =
            blocks(shape).iter().map(|bytes| granules(bytes.next_power_of_two())).sum();
        let fixed = granules(key_bytes as u64) + blocks;
        let room = usize::try_from(budget.saturating_sub(fixed)).unwrap_or(usize::MAX);
        let smallest = Self::with_work(shape, key_bytes, device, 0)?;
        if granules(smallest.scratch.bytes as u64) + fixed > budget {
            let needed = fixed + granules(smallest.scratch.bytes as u64);
            return Err(Error::InsufficientVram { needed, available: budget });
        }
        let beside_work = smallest.scratch.bytes - smallest.scratch.work.len;
        let room = room.saturating_sub(beside_work + GRANULE_BYTES as usize);
        let share = usize::try_from(budget / WORK_SHARE).unwrap_or(usize::MAX);
        let share = share.max(SIDE_BY_SIDE_BYTES);
        Self::with_work(shape, key_bytes, device, room.min(share))
    }

    /// The plan whose multiplications work in `room` bytes, or in as few as they can.
    fn with_work(shape: &KeyShape, key_bytes: usize, device: &Device, room: usize) -> Result<Self> {
        let variables = shape.inputs + shape.aux;
        let witness_msm = msm::Plan::nearest(variables, Groups::Both, room)?;
        let h_msm = msm::Plan::nearest(shape.domain() - 1, Groups::G1, room)?;
        let scratch = Scratch::new(device, variables, &witness_msm, &h_msm, room)?;
        Ok(Self { shape: *shape, key_bytes, witness_msm, h_msm, scratch })
    }

    /// The shape that was planned for.
    pub fn shape(&self) -> &KeyShape {
        &self.shape
    }

    /// Points of the domain.
    pub fn domain(&self) -> usize {
        self.shape.domain()
    }

    /// Bytes of a proof's three blocks, which it holds while it is staged and computed: w, a, b.
    pub fn blocks(&self) -> [u64; 3] {
        blocks(&self.shape)
    }

    /// Bytes of the key on the device.
    pub fn key_bytes(&self) -> u64 {
        self.key_bytes as u64
    }

    /// Bytes of compute scratch, which one proof has at a time.
    pub fn scratch_bytes(&self) -> u64 {
        self.scratch.bytes as u64
    }

    pub(crate) fn scratch(&self) -> &Scratch {
        &self.scratch
    }

    pub(crate) fn h_msm(&self) -> &msm::Plan {
        &self.h_msm
    }

    /// How a proof whose rest is multiplied with this plan shares the working memory.
    pub(crate) fn shares(&self, witness: &msm::Plan) -> Shares {
        let work = self.scratch.work.len;
        let shares = self.scratch.side_by_side(witness, &self.h_msm);
        let all = shares.witness.end().max(shares.h.end());
        if all <= work {
            return shares;
        }
        let mut whole = Layout::default();
        let whole = whole.part(work);
        if shares.witness.end() <= work {
            return Shares { h: whole, h_apart: false, ..shares };
        }
        Shares {
            side_by_side: false,
            h_apart: false,
            ones: [whole; WITNESS_QUERIES],
            witness: whole,
            h: whole,
        }
    }

    /// The multiplication of the `rest` scalars of a witness that are neither 0 nor 1: fewer terms
    /// than planned for want narrower windows, where the scratch holds them.
    pub(crate) fn witness_msm(&self, rest: usize) -> Result<msm::Plan> {
        let most = self.witness_msm.terms();
        let terms = rest.max(1).next_power_of_two().min(most);
        let fits = |plan: &msm::Plan| {
            plan.scratch_bytes(Groups::Both) <= self.scratch.work.len
                && plan.result_bytes(3, 1) <= self.scratch.witness_result.len
        };
        let tuned = msm::Plan::nearest(terms, Groups::Both, self.scratch.work.len)?;
        Ok(if fits(&tuned) { tuned } else { self.witness_msm })
    }
}

impl Scratch {
    fn new(
        device: &Device,
        variables: usize,
        witness_msm: &msm::Plan,
        h_msm: &msm::Plan,
        room: usize,
    ) -> Result<Self> {
        let mut layout = Layout::default();
        let words = variables.div_ceil(u32::BITS as usize);
        let maps = [(); 2].map(|()| [layout.part(words), layout.part(words)]);
        let lists = [layout.part(variables), layout.part(variables)];
        let counts = layout.part(2);
        let g1 = batch_add::partials::<G1>(device, variables)?;
        let g2 = batch_add::partials::<G2>(device, variables)?;
        let ones_g1 = [(); 3].map(|()| layout.part(g1));
        let ones_g2 = layout.part(g2);
        let mut result_bytes = witness_msm.result_bytes(3, 1);
        for log2 in 0..usize::BITS - variables.leading_zeros() {
            result_bytes = result_bytes.max(msm::Plan::new(1 << log2)?.result_bytes(3, 1));
        }
        let witness_result = layout.part(result_bytes);
        let h_result = layout.part(h_msm.result_bytes(1, 0));
        let ones_work = [
            batch_add::workspace::<G1>(device, variables)?,
            batch_add::workspace::<G2>(device, variables)?,
        ];
        let work = [
            witness::workspace(device, variables)?,
            ones_work[0],
            ones_work[1],
            witness_msm.scratch_bytes(Groups::Both),
            h_msm.scratch_bytes(Groups::G1),
        ];
        let work = layout.part(work.into_iter().max().unwrap_or(0));
        let bytes = layout.bytes();
        let mut scratch = Self {
            maps,
            lists,
            counts,
            ones_g1,
            ones_g2,
            witness_result,
            h_result,
            work,
            ones_work,
            bytes,
        };
        let shares = scratch.side_by_side(witness_msm, h_msm);
        let wanted = shares.h.end().min(SIDE_BY_SIDE_BYTES).min(room);
        if wanted > work.len {
            scratch.work.len = wanted;
            scratch.bytes = work.offset + wanted.next_multiple_of(ALIGNMENT);
        }
        Ok(scratch)
    }

    /// The working memory of everything side by side, however much that is.
    fn side_by_side(&self, witness: &msm::Plan, h: &msm::Plan) -> Shares {
        let [g1, g2] = self.ones_work;
        let mut layout = Layout::default();
        let ones = [g1, g1, g1, g2].map(|bytes| layout.part(bytes));
        let witness = layout.part(witness.side_by_side_bytes(3, 1));
        let h = layout.part(h.scratch_bytes(Groups::G1));
        Shares { side_by_side: true, h_apart: true, ones, witness, h }
    }
}

/// Where a key's queries lie in its region.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyParts {
    pub(crate) h: Part<G1AffineRepr>,
    pub(crate) l: Part<G1AffineRepr>,
    pub(crate) a: Part<G1AffineRepr>,
    pub(crate) b_g1: Part<G1AffineRepr>,
    pub(crate) b_g2: Part<G2AffineRepr>,
    pub(crate) bytes: usize,
}

impl KeyParts {
    pub(crate) fn new(shape: &KeyShape) -> Self {
        let mut layout = Layout::default();
        let h = layout.part(shape.domain() - 1);
        let [l, a, b_g1] = [shape.aux, shape.a, shape.b].map(|len| layout.part(len));
        let b_g2 = layout.part(shape.b);
        Self { h, l, a, b_g1, b_g2, bytes: layout.bytes() }
    }
}

/// Bytes of the blocks w, a and b. A circuit may have more variables than its domain has points,
/// and w's place is the quotient's third block later.
fn blocks(shape: &KeyShape) -> [u64; 3] {
    let scalar = size_of::<Scalar>() as u64;
    let n = shape.domain() as u64;
    [n.max((shape.inputs + shape.aux) as u64) * scalar, n * scalar, n * scalar]
}

fn granules(bytes: u64) -> u64 {
    bytes.next_multiple_of(GRANULE_BYTES)
}
