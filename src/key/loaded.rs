//! A key on a device.

use std::sync::Arc;

use crate::arena::{KeyClaim, KeyRegion, Region};
use crate::assignment::Assignment;
use crate::device::{Device, Stream, View};
use crate::error::{Error, Result};
use crate::key::{ProvingKey, Query, VerifyingKey};
use crate::memory::{Memory, Token};
use crate::ntt::Domain;
use crate::plan::{KeyParts, Part, Plan};
use crate::points::{self, Checks};
use crate::repr::{CurveGroup, G1, G1AffineRepr, G2, G2AffineRepr};
use crate::verify::PreparedVerifyingKey;

/// A proving key on a device, ready to prove. Its memory goes back when it is dropped.
pub struct LoadedKey {
    vk: VerifyingKey,
    prepared_vk: PreparedVerifyingKey,
    plan: Plan,
    parts: KeyParts,
    domain: Domain,
    region: KeyRegion<Token>,
    memory: Arc<Memory>,
}

impl LoadedKey {
    pub(crate) fn load(
        device: &Device,
        memory: &Arc<Memory>,
        key: &ProvingKey,
        plan: Plan,
    ) -> Result<Self> {
        Self::place(device, memory, plan, |stream, region, parts| {
            let copy = Upload { memory, stream, region };
            copy.query::<G1>(key.h(), parts.h)?;
            copy.query::<G1>(key.l(), parts.l)?;
            copy.query::<G1>(key.a(), parts.a)?;
            copy.query::<G1>(key.b_g1(), parts.b_g1)?;
            copy.query::<G2>(key.b_g2(), parts.b_g2)?;
            Ok(key.vk().clone())
        })
    }

    /// Takes a key's region in a turn of its own, lets `fill` write the key into it, and waits for
    /// that. `fill` waits for no lock and for none of rayon's threads: proofs that wait for the
    /// turn may hold all of them.
    pub(crate) fn place(
        device: &Device,
        memory: &Arc<Memory>,
        plan: Plan,
        fill: impl FnOnce(&Stream, Region, &KeyParts) -> Result<VerifyingKey>,
    ) -> Result<Self> {
        let parts = KeyParts::new(plan.shape());
        let mut turn = memory.admission.exclusive()?;
        let stream = device.stream()?;
        for event in turn.take_after() {
            stream.wait(&event)?;
        }
        let claim = KeyClaim {
            resident_bytes: plan.key_bytes(),
            scratch_bytes: plan.scratch_bytes(),
            blocks: plan.blocks(),
        };
        let region = turn.load(claim)?;
        // Drained on every path: the region goes back when `fill` fails.
        let vk = stream.scope(|_| fill(&stream, region.region(), &parts))?;
        let domain = Domain::new(device, plan.shape().domain_log2)?;
        drop(turn);
        let prepared_vk = PreparedVerifyingKey::new(&vk);
        let memory = Arc::clone(memory);
        Ok(Self { vk, prepared_vk, plan, parts, domain, region, memory })
    }

    /// The verifying key.
    pub fn vk(&self) -> &VerifyingKey {
        &self.vk
    }

    /// The verifying key, with what its checks share.
    pub fn prepared_vk(&self) -> &PreparedVerifyingKey {
        &self.prepared_vk
    }

    /// How the key and its proofs use the device's memory.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    pub(crate) fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The key's queries for kernels: h, l, a, b_g1, b_g2.
    pub(crate) fn queries(&self) -> Result<Queries<'_>> {
        let region = || self.memory.view(self.region.region());
        Ok(Queries {
            h: self.parts.h.of(region()?)?.into_view(),
            l: self.parts.l.of(region()?)?.into_view(),
            a: self.parts.a.of(region()?)?.into_view(),
            b_g1: self.parts.b_g1.of(region()?)?.into_view(),
            b_g2: self.parts.b_g2.of(region()?)?.into_view(),
        })
    }

    /// Whether this key can prove this assignment with that arena.
    pub(crate) fn check(&self, memory: &Arc<Memory>, assignment: &Assignment) -> Result<()> {
        if !Arc::ptr_eq(memory, &self.memory) {
            return Err(Error::OtherProver);
        }
        self.plan.shape().check(assignment)
    }
}

impl std::fmt::Debug for LoadedKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoadedKey").field("shape", self.plan.shape()).finish_non_exhaustive()
    }
}

/// A key's points on the device.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Queries<'a> {
    pub(crate) h: View<'a, G1AffineRepr>,
    pub(crate) l: View<'a, G1AffineRepr>,
    pub(crate) a: View<'a, G1AffineRepr>,
    pub(crate) b_g1: View<'a, G1AffineRepr>,
    pub(crate) b_g2: View<'a, G2AffineRepr>,
}

/// Copies queries into a key's region and decodes them there.
struct Upload<'a> {
    memory: &'a Memory,
    stream: &'a Stream,
    region: Region,
}

impl Upload<'_> {
    /// Encoding and kernel layout are equally long: a query is decoded in place. Points were
    /// checked when the key was read, so only their coordinates are looked at again.
    fn query<G: CurveGroup>(&self, query: &Query, part: Part<G::Affine>) -> Result<()> {
        let device = self.stream.device();
        let mut fault = device.alloc::<u32>(1)?;
        self.stream.fill(0xff, fault.view_mut())?;
        let mut points = part.of(self.memory.view(self.region)?)?;
        self.stream.upload(query.bytes(), points.reborrow().cast()?)?;
        points::decode::<G>(self.stream, points, 0, Checks::NONE, fault.view_mut())?;
        let mut word = [0];
        self.stream.download(fault.view(), &mut word)?;
        points::check_fault::<G>(word[0])
    }
}
