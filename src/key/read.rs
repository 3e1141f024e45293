//! bellman's parameters format: the verifying key, then h, l, a, b_g1 and b_g2, each behind a
//! 32-bit big-endian count; points are uncompressed, big-endian.

use std::io::Read;

use bls12_381::{G1Affine, G2Affine};

use super::check::{self, Point};
use super::{Checks, KeyFault, KeyPart, Progress, ProvingKey, Query, VerifyingKey};
use crate::{Error, Result};

/// Memory that a count alone may claim; beyond it a query's memory grows with the bytes that have
/// in fact arrived, at most to twice of them.
const FIRST_CLAIM_BYTES: usize = 1 << 24;

const COUNT_BYTES: usize = 4;

/// A reader that knows which part of the key it is in.
pub(super) struct Source<R> {
    reader: R,
}

impl<R: Read> Source<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader }
    }

    /// Exactly `bytes` bytes of `part`, with memory claimed as they arrive.
    fn take(&mut self, part: KeyPart, bytes: u64) -> Result<Vec<u8>> {
        let mut data = Vec::new();
        while (data.len() as u64) < bytes {
            let left = bytes - data.len() as u64;
            let step = left.min(data.len().max(FIRST_CLAIM_BYTES) as u64);
            let room = usize::try_from(step).unwrap_or(usize::MAX);
            data.try_reserve_exact(room).map_err(|_| fault(part, KeyFault::OutOfMemory))?;
            let read = Read::by_ref(&mut self.reader)
                .take(step)
                .read_to_end(&mut data)
                .map_err(|source| Error::Io { what: "key", source })?;
            if (read as u64) < step {
                let got = data.len() as u64;
                return Err(fault(part, KeyFault::Truncated { needed: bytes, got }));
            }
        }
        Ok(data)
    }

    fn count(&mut self, part: KeyPart) -> Result<usize> {
        let bytes = self.take(part, COUNT_BYTES as u64)?;
        Ok(bytes.iter().fold(0, |count, byte| count << 8 | usize::from(*byte)))
    }

    /// One point of the verifying key.
    fn point<P: Point>(&mut self, part: KeyPart, checks: Checks) -> Result<P> {
        let bytes = self.take(part, P::BYTES as u64)?;
        check::uncompressed(&bytes, checks).map_err(|f| fault(part, KeyFault::Point(f)))
    }

    fn query<P: Point>(
        &mut self,
        part: KeyPart,
        count: usize,
        checks: Checks,
        progress: Progress<'_>,
    ) -> Result<Query> {
        let bytes = self.take(part, count as u64 * P::BYTES as u64)?;
        let check = |bytes: &[u8]| check::uncompressed::<P>(bytes, checks).map(|_| ());
        check::query::<P>(part, &bytes, check, progress)?;
        Ok(Query { bytes, count })
    }

    /// How many bytes there are to the end.
    fn drain(&mut self) -> Result<u64> {
        std::io::copy(&mut self.reader, &mut std::io::sink())
            .map_err(|source| Error::Io { what: "key", source })
    }
}

fn fault(part: KeyPart, fault: KeyFault) -> Error {
    Error::BadKey { part, element: None, fault }
}

pub(super) fn verifying_key<R: Read>(
    source: &mut Source<R>,
    checks: Checks,
) -> Result<VerifyingKey> {
    let alpha_g1 = source.point(KeyPart::AlphaG1, checks)?;
    let beta_g1 = source.point(KeyPart::BetaG1, checks)?;
    let beta_g2 = source.point(KeyPart::BetaG2, checks)?;
    let gamma_g2 = source.point(KeyPart::GammaG2, checks)?;
    let delta_g1 = source.point(KeyPart::DeltaG1, checks)?;
    let delta_g2 = source.point(KeyPart::DeltaG2, checks)?;
    let part = KeyPart::Ic;
    let count = source.count(part)?;
    rules::ic(count).map_err(|rule| fault(part, KeyFault::Count { got: count, rule }))?;
    let query = source.query::<G1Affine>(part, count, checks, &|_, _, _| ())?;
    let ic =
        query.bytes.chunks_exact(G1Affine::BYTES).filter_map(G1Affine::decode).collect::<Vec<_>>();
    Ok(VerifyingKey { alpha_g1, beta_g1, beta_g2, gamma_g2, delta_g1, delta_g2, ic })
}

pub(super) fn proving_key<R: Read>(
    reader: R,
    checks: Checks,
    progress: Progress<'_>,
) -> Result<ProvingKey> {
    let mut source = Source::new(reader);
    let vk = verifying_key(&mut source, Checks::Full)?;
    let inputs = vk.ic.len();
    let mut read = |part, rule: &dyn Fn(usize) -> Result<(), &'static str>| {
        let count = source.count(part)?;
        rule(count).map_err(|rule| fault(part, KeyFault::Count { got: count, rule }))?;
        match part {
            KeyPart::BG2 => source.query::<G2Affine>(part, count, checks, progress),
            _ => source.query::<G1Affine>(part, count, checks, progress),
        }
    };
    let h = read(KeyPart::H, &|count| rules::h(count, inputs))?;
    let l = read(KeyPart::L, &|_| Ok(()))?;
    let a = read(KeyPart::A, &|count| rules::a(count, inputs, l.count))?;
    let b_g1 = read(KeyPart::BG1, &|count| rules::b_g1(count, inputs, l.count))?;
    let b_g2 = read(KeyPart::BG2, &|count| rules::b_g2(count, b_g1.count))?;
    let trailing_bytes = source.drain()?;
    Ok(ProvingKey { vk, h, l, a, b_g1, b_g2, trailing_bytes })
}

/// What the counts owe one another.
pub(super) mod rules {
    use crate::key::MAX_DOMAIN_LOG2;

    /// ic holds a point for each input, the constant's among them.
    pub fn ic(count: usize) -> Result<(), &'static str> {
        if count == 0 { Err("at least the constant's") } else { Ok(()) }
    }

    /// h holds one point less than the domain, which is a power of two and holds a constraint of
    /// every input.
    pub fn h(count: usize, inputs: usize) -> Result<(), &'static str> {
        let domain = count as u64 + 1;
        if !domain.is_power_of_two() {
            return Err("one less than a power of two");
        }
        if domain > 1 << MAX_DOMAIN_LOG2 {
            return Err("less than the largest domain, 2^31");
        }
        if domain < inputs as u64 {
            return Err("a domain that holds every input's constraint");
        }
        Ok(())
    }

    /// a holds every input's point and those of some other variables.
    pub fn a(count: usize, inputs: usize, aux: usize) -> Result<(), &'static str> {
        if count < inputs {
            return Err("at least one for each input");
        }
        if count > inputs + aux {
            return Err("at most one for each variable");
        }
        Ok(())
    }

    /// b_g1 holds the points of some variables.
    pub fn b_g1(count: usize, inputs: usize, aux: usize) -> Result<(), &'static str> {
        if count > inputs + aux { Err("at most one for each variable") } else { Ok(()) }
    }

    /// b_g2 holds the same variables' points as b_g1.
    pub fn b_g2(count: usize, b_g1: usize) -> Result<(), &'static str> {
        if count != b_g1 { Err("as many as b_g1") } else { Ok(()) }
    }
}
