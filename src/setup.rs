//! Key generation on a device, **for development and tests only**.
//!
//! **Whoever knows the [`Trapdoor`] of a key can prove anything with it.** A key made here has
//! passed through one process that knew its trapdoor: use it to develop, to test and to measure,
//! never where a proof must convince somebody. Real keys come from a ceremony of many parties, and
//! are read with [`ProvingKey::read`].
//!
//! A key's points are multiples of two fixed points by numbers that follow from the constraint
//! system and the trapdoor. The numbers are computed on the host, in parallel; the multiplications
//! run on the device. For the same trapdoor the key is the one that groth16's generator makes, byte
//! for byte.
//!
//! ```
//! use groth16_cuda::device::{Device, HostConfig};
//! use groth16_cuda::setup::{self, Trapdoor};
//! use groth16_cuda::synthetic::Shape;
//! use groth16_cuda::{Error, Prover, ProverConfig};
//!
//! # fn main() -> Result<(), Error> {
//! let mut rng = rand::rng();
//! let device = Device::host(HostConfig { memory_bytes: 64 << 20, ..HostConfig::default() })?;
//! let config = ProverConfig { vram_budget: Some(32 << 20), ..ProverConfig::default() };
//! let prover = Prover::new(&device, config)?;
//!
//! let circuit = Shape::porep(6).synthetic(1)?;
//! let key = prover.setup(&circuit, &Trapdoor::random(&mut rng), setup::SILENT)?;
//! prover.prove(&key, &circuit.assignment()?, &mut rng)?;
//! # Ok(())
//! # }
//! ```
//!
//! Any constraint system can be given by its [`Columns`]: a [`Synthetic`](crate::synthetic) one as
//! it is, a bellman circuit or a file through [`R1cs::columns`](crate::R1cs::columns).

use std::fmt;
use std::io::Write;

use bls12_381::Scalar;

use crate::device::Device;
use crate::key::{KeyPart, KeyShape, LoadedKey, ProvingKey, VerifyingKey};
use crate::plan::Plan;
use crate::prover::Prover;
use crate::{Error, Result};

mod exponents;
mod points;
mod trapdoor;

pub(crate) use exponents::Exponents;
pub(crate) use points::Generator;
pub use trapdoor::Trapdoor;

/// What key generation is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// The rows' Lagrange polynomials at τ, in rows.
    Rows,
    /// The variables' polynomials at τ, in variables.
    Columns,
    /// A part's points, in points.
    Points(KeyPart),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rows => f.write_str("rows"),
            Self::Columns => f.write_str("columns"),
            Self::Points(part) => part.fmt(f),
        }
    }
}

/// Told of progress: the step, how much of it is done, and how much there is in all. Steps follow
/// one another; calls within one may come from several threads at once, and out of order.
pub type Progress<'a> = &'a (dyn Fn(Step, usize, usize) + Sync);

/// Tells nobody.
pub const SILENT: Progress<'static> = &|_, _, _| ();

/// A variable's polynomials of A, B and C at one place: Σ coefficient · weight over the rows in
/// which it occurs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// In A.
    pub a: Scalar,
    /// In B.
    pub b: Scalar,
    /// In C.
    pub c: Scalar,
}

/// A constraint system by columns: what a key is made from.
pub trait Columns: Sync {
    /// How many inputs there are, with the constant 1, which is the first variable.
    fn inputs(&self) -> usize;
    /// How many other variables there are.
    fn aux(&self) -> usize;
    /// How many constraints there are, without the inputs' own rows.
    fn constraints(&self) -> usize;
    /// The polynomials of a variable, inputs counted first, without the inputs' own rows.
    /// `weights` has a number for each row: the constraints, then the inputs' own.
    fn column(&self, variable: usize, weights: &[Scalar]) -> Column;
}

/// Makes a key in host memory.
///
/// Host memory holds the key and about 100 bytes for each row; the device works in less than
/// 512 MiB.
///
/// # Errors
///
/// [`Error::Trapdoor`] for a trapdoor that makes no key, [`Error::Unconstrained`] for an aux
/// variable that occurs in no row, [`Error::NoConstantOne`] without an input, [`Error::TooMany`]
/// beyond the largest domain; [`Error::InsufficientVram`], [`Error::Device`].
pub fn generate(
    device: &Device,
    system: &impl Columns,
    trapdoor: &Trapdoor,
    progress: Progress<'_>,
) -> Result<ProvingKey> {
    let exponents = Exponents::new(system, trapdoor, progress)?;
    let stream = device.stream()?;
    let mut generator = Generator::new(&stream, trapdoor, &exponents, progress)?;
    let vk = generator.verifying_key()?;
    let query = |part| -> Result<_> {
        let mut bytes = Vec::new();
        generator.encoded(part, &mut |piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        })?;
        Ok(bytes)
    };
    let queries = [KeyPart::H, KeyPart::L, KeyPart::A, KeyPart::BG1, KeyPart::BG2];
    let [h, l, a, b_g1, b_g2] = queries.map(query);
    Ok(ProvingKey::from_encodings(vk, [h?, l?, a?, b_g1?, b_g2?]))
}

/// Makes a key and writes it in bellman's format, without holding its points.
///
/// # Errors
///
/// As [`generate`], and [`Error::Io`] with the writer's error.
pub fn write(
    device: &Device,
    system: &impl Columns,
    trapdoor: &Trapdoor,
    mut writer: impl Write,
    progress: Progress<'_>,
) -> Result<VerifyingKey> {
    let io = |source| Error::Io { what: "proving key", source };
    let exponents = Exponents::new(system, trapdoor, progress)?;
    let stream = device.stream()?;
    let mut generator = Generator::new(&stream, trapdoor, &exponents, progress)?;
    let vk = generator.verifying_key()?;
    vk.write(&mut writer)?;
    for part in [KeyPart::H, KeyPart::L, KeyPart::A, KeyPart::BG1, KeyPart::BG2] {
        let got = exponents.len(part);
        let count = u32::try_from(got).map_err(|_| Error::TooMany {
            what: "query",
            got,
            limit: u32::MAX as usize,
        })?;
        writer.write_all(&count.to_be_bytes()).map_err(io)?;
        generator.encoded(part, &mut |piece| writer.write_all(piece).map_err(io))?;
    }
    writer.flush().map_err(io)?;
    Ok(vk)
}

impl Prover {
    /// Makes a key straight into the prover's memory; see [`setup`](crate::setup). Waits until
    /// proofs that run now are done; proofs that come later wait for it. While it runs it takes
    /// up to 512 MiB of device memory beside the arena, less for small keys.
    ///
    /// # Errors
    /// As [`generate`] and [`Prover::load`].
    pub fn setup(
        &self,
        system: &impl Columns,
        trapdoor: &Trapdoor,
        progress: Progress<'_>,
    ) -> Result<LoadedKey> {
        let exponents = Exponents::new(system, trapdoor, progress)?;
        let plan = Plan::new(&exponents.shape(), self.arena().bytes() as u64, self.device())?;
        LoadedKey::generate(self.device(), self.arena(), plan, trapdoor, &exponents, progress)
    }
}

impl Exponents {
    /// The key's lengths.
    fn shape(&self) -> KeyShape {
        KeyShape {
            domain_log2: self.domain_log2(),
            inputs: self.len(KeyPart::Ic),
            aux: self.len(KeyPart::L),
            a: self.len(KeyPart::A),
            b: self.len(KeyPart::BG1),
        }
    }
}
