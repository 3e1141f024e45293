//! A key's points, out of their exponents.

use bls12_381::{G1Affine, Scalar};
use ff::Field;
use group::Curve;

use super::exponents::Reader;
use super::{Exponents, Progress, Step, Trapdoor};
use crate::device::{DeviceBuffer, Stream, ViewMut};
use crate::fixed_base::FixedBase;
use crate::key::{KeyPart, VerifyingKey};
use crate::points;
use crate::repr::{CurveGroup, FrRepr, G1, G1_BYTES, G2, scalars_as_repr};
use crate::{Error, Result, parallel};

/// Makes the points of one key, part by part.
pub(crate) struct Generator<'a> {
    trapdoor: &'a Trapdoor,
    exponents: &'a Exponents,
    progress: Progress<'a>,
    g1: FixedBase<G1>,
    g2: FixedBase<G2>,
    bench: Workbench<'a>,
}

/// The memory in which a chunk of points is made.
struct Workbench<'a> {
    stream: &'a Stream,
    host: Vec<Scalar>,
    scalars: DeviceBuffer<FrRepr>,
    work: DeviceBuffer<u8>,
}

impl<'a> Generator<'a> {
    /// Builds the tables and takes the device memory that all parts need.
    pub(crate) fn new(
        stream: &'a Stream,
        trapdoor: &'a Trapdoor,
        exponents: &'a Exponents,
        progress: Progress<'a>,
    ) -> Result<Self> {
        let g1_parts = [KeyPart::Ic, KeyPart::H, KeyPart::L, KeyPart::A, KeyPart::BG1];
        let g1_lens = g1_parts.map(|part| exponents.len(part));
        let g2_len = exponents.len(KeyPart::BG2);
        let g1 = FixedBase::new(stream, &trapdoor.g1, g1_lens.iter().sum())?;
        let g2 = FixedBase::new(stream, &trapdoor.g2, g2_len)?;
        let g1_chunk = g1_lens.into_iter().max().unwrap_or(0).min(exponents.sizes().g1);
        let g2_chunk = g2_len.min(exponents.sizes().g2);
        let device = stream.device();
        let work = FixedBase::<G1>::workspace(device, g1_chunk)?
            .max(FixedBase::<G2>::workspace(device, g2_chunk)?);
        let len = g1_chunk.max(g2_chunk);
        let host = vec![Scalar::ZERO; len];
        let (scalars, work) = (device.alloc(len)?, device.alloc(work)?);
        let bench = Workbench { stream, host, scalars, work };
        Ok(Self { trapdoor, exponents, progress, g1, g2, bench })
    }

    /// The verifying key.
    pub(crate) fn verifying_key(&mut self) -> Result<VerifyingKey> {
        let mut ic = Vec::with_capacity(self.exponents.len(KeyPart::Ic));
        self.encoded(KeyPart::Ic, &mut |bytes| {
            for bytes in bytes.as_chunks::<G1_BYTES>().0 {
                let point = Option::from(G1Affine::from_uncompressed_unchecked(bytes));
                let (operation, group) = ("key generation", "G1");
                ic.push(point.ok_or(Error::NoPoint { operation, group })?);
            }
            Ok(())
        })?;
        let g1 = |x: &Scalar| G1Affine::from(self.trapdoor.g1 * x);
        let g2 = |x: &Scalar| (self.trapdoor.g2 * x).to_affine();
        let Trapdoor { alpha, beta, gamma, delta, .. } = self.trapdoor;
        Ok(VerifyingKey {
            alpha_g1: g1(alpha),
            beta_g1: g1(beta),
            beta_g2: g2(beta),
            gamma_g2: g2(gamma),
            delta_g1: g1(delta),
            delta_g2: g2(delta),
            ic,
        })
    }

    /// Makes a part's points in G1 where they belong on the device.
    pub(crate) fn g1_into(
        &mut self,
        part: KeyPart,
        out: ViewMut<'_, <G1 as CurveGroup>::Affine>,
    ) -> Result<()> {
        let progress = |done, all| (self.progress)(Step::Points(part), done, all);
        self.bench.fill(
            &self.g1,
            self.exponents.read(part),
            self.exponents.sizes().g1,
            out,
            &progress,
        )
    }

    /// Makes a part's points in G2 where they belong on the device.
    pub(crate) fn g2_into(
        &mut self,
        part: KeyPart,
        out: ViewMut<'_, <G2 as CurveGroup>::Affine>,
    ) -> Result<()> {
        let progress = |done, all| (self.progress)(Step::Points(part), done, all);
        self.bench.fill(
            &self.g2,
            self.exponents.read(part),
            self.exponents.sizes().g2,
            out,
            &progress,
        )
    }

    /// Makes a part's points and passes their encodings on, a chunk at a time.
    pub(crate) fn encoded(
        &mut self,
        part: KeyPart,
        pass_on: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let (len, exponents) = (self.exponents.len(part), self.exponents.read(part));
        let progress = |done| (self.progress)(Step::Points(part), done, len);
        match part {
            KeyPart::BG2 => self.bench.encoded(
                &self.g2,
                exponents,
                self.exponents.sizes().g2,
                len,
                pass_on,
                &progress,
            ),
            _ => self.bench.encoded(
                &self.g1,
                exponents,
                self.exponents.sizes().g1,
                len,
                pass_on,
                &progress,
            ),
        }
    }
}

impl Workbench<'_> {
    /// Enqueues the multiples by the next `out.len()` exponents. What is enqueued already runs
    /// while the exponents are gathered.
    fn enqueue<G: CurveGroup>(
        &mut self,
        base: &FixedBase<G>,
        exponents: &mut Reader<'_>,
        out: ViewMut<'_, G::Affine>,
    ) -> Result<()> {
        let host = &mut self.host[..out.len()];
        exponents.fill(host);
        let mut scalars = self.scalars.view_mut().slice(0..host.len())?;
        self.stream.upload(scalars_as_repr(host), scalars.reborrow())?;
        base.multiply(self.stream, scalars.into_view(), out, self.work.view_mut())
    }

    fn fill<G: CurveGroup>(
        &mut self,
        base: &FixedBase<G>,
        mut exponents: Reader<'_>,
        chunk: usize,
        mut out: ViewMut<'_, G::Affine>,
        progress: &dyn Fn(usize, usize),
    ) -> Result<()> {
        let all = out.len();
        for first in (0..all).step_by(chunk) {
            let next = all.min(first + chunk);
            self.enqueue(base, &mut exponents, out.reborrow().slice(first..next)?)?;
            progress(next, all);
        }
        self.stream.synchronize()
    }

    fn encoded<G: CurveGroup>(
        &mut self,
        base: &FixedBase<G>,
        mut exponents: Reader<'_>,
        chunk: usize,
        all: usize,
        pass_on: &mut dyn FnMut(&[u8]) -> Result<()>,
        progress: &dyn Fn(usize),
    ) -> Result<()> {
        let chunk = chunk.min(all);
        let mut made = self.stream.device().alloc::<G::Affine>(chunk)?;
        let mut bytes = parallel::with_room("points", chunk * G::BYTES)?;
        bytes.resize(chunk * G::BYTES, 0);
        for first in (0..all).step_by(chunk.max(1)) {
            let len = chunk.min(all - first);
            self.enqueue(base, &mut exponents, made.view_mut().slice(0..len)?)?;
            points::encode::<G>(self.stream, made.view_mut().slice(0..len)?)?;
            let bytes = &mut bytes[..len * G::BYTES];
            self.stream.download(made.view().slice(0..len)?.cast()?, bytes)?;
            pass_on(bytes)?;
            progress(first + len);
        }
        Ok(())
    }
}
