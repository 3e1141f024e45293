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
//! for byte; trapdoors that make a useless key, which that accepts, are refused here.
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
//! it is; a bellman circuit through `R1cs::synthesize`, or a file through
//! [`R1cs::read`](crate::R1cs::read), and then [`R1cs::columns`](crate::R1cs::columns).

use std::fmt;
use std::io::Write;
use std::sync::Arc;

use bls12_381::Scalar;

use crate::device::Device;
use crate::key::{KeyPart, KeyShape, LoadedKey, ProvingKey, VerifyingKey};
use crate::memory::Memory;
use crate::plan::Plan;
use crate::repr::{G1_BYTES, G2_BYTES};
use crate::{Error, Result, parallel};

mod exponents;
mod points;
#[cfg(test)]
mod tests;
mod trapdoor;

pub(crate) use exponents::{Exponents, Lengths, Sizes};
use points::Generator;
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

/// Told of progress: the step, how much of it is done, or enqueued on the device, and how much
/// there is in all; a step without work is not told of. Steps follow one another; calls within one
/// may come from several threads at once, and out of order. In
/// [`Prover::setup`](crate::Prover::setup) points are told of while the prover's memory is taken:
/// whoever uses that prover here waits for ever.
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
///
/// The lengths are asked for once, and [`column`](Self::column) once for each variable, by rayon's
/// threads; a panic there unwinds out of the key generation and leaves a prover as it was.
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
/// Beside the key, host memory holds 32 bytes for each row and up to 96 for each variable; the
/// device works in less than 512 MiB.
///
/// # Errors
///
/// [`Error::Trapdoor`] for a trapdoor that makes no key, [`Error::Unconstrained`] for an aux
/// variable that contributes to no row, [`Error::NoConstantOne`] without an input,
/// [`Error::TooMany`] beyond the largest domain; [`Error::OutOfMemory`],
/// [`Error::InsufficientVram`], [`Error::Device`].
pub fn generate(
    device: &Device,
    system: &impl Columns,
    trapdoor: &Trapdoor,
    progress: Progress<'_>,
) -> Result<ProvingKey> {
    generate_by(Sizes::default(), device, system, trapdoor, progress)
}

/// As [`generate`], in tasks and chunks of these sizes.
fn generate_by(
    sizes: Sizes,
    device: &Device,
    system: &impl Columns,
    trapdoor: &Trapdoor,
    progress: Progress<'_>,
) -> Result<ProvingKey> {
    let exponents = Exponents::new(system, trapdoor, sizes, progress)?;
    let stream = device.stream()?;
    let mut generator = Generator::new(&stream, trapdoor, &exponents, progress)?;
    let vk = generator.verifying_key()?;
    let query = |part| -> Result<_> {
        let size = if part == KeyPart::BG2 { G2_BYTES } else { G1_BYTES };
        let mut bytes = parallel::with_room("proving key", exponents.len(part) * size)?;
        generator.encoded(part, &mut |piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        })?;
        Ok(bytes)
    };
    let [h, l, a, b_g1, b_g2] = QUERIES.map(query);
    Ok(ProvingKey::from_encodings(vk, [h?, l?, a?, b_g1?, b_g2?]))
}

/// The queries in the order of a key file.
const QUERIES: [KeyPart; 5] = [KeyPart::H, KeyPart::L, KeyPart::A, KeyPart::BG1, KeyPart::BG2];

/// Makes a key and writes it in bellman's format, without holding its points. Where this fails,
/// `writer` has got part of a key: write to a temporary file and rename it.
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
    let exponents = Exponents::new(system, trapdoor, Sizes::default(), progress)?;
    let stream = device.stream()?;
    let mut generator = Generator::new(&stream, trapdoor, &exponents, progress)?;
    let vk = generator.verifying_key()?;
    vk.write(&mut writer)?;
    for part in QUERIES {
        let (got, limit) = (exponents.len(part), u32::MAX as usize);
        let too_many = Error::TooMany { what: "query", got, limit };
        let count = u32::try_from(got).map_err(|_| too_many)?;
        writer.write_all(&count.to_be_bytes()).map_err(io)?;
        generator.encoded(part, &mut |piece| writer.write_all(piece).map_err(io))?;
    }
    writer.flush().map_err(io)?;
    Ok(vk)
}

/// Makes a key where it belongs in an arena.
pub(crate) fn into_arena(
    device: &Device,
    memory: &Arc<Memory>,
    plan: Plan,
    trapdoor: &Trapdoor,
    exponents: &Exponents,
    progress: Progress<'_>,
) -> Result<LoadedKey> {
    LoadedKey::place(device, memory, plan, |stream, region, parts| {
        let mut generator = Generator::new(stream, trapdoor, exponents, progress)?;
        let view = || memory.view(region);
        generator.g1_into(KeyPart::H, parts.h.of(view()?)?)?;
        generator.g1_into(KeyPart::L, parts.l.of(view()?)?)?;
        generator.g1_into(KeyPart::A, parts.a.of(view()?)?)?;
        generator.g1_into(KeyPart::BG1, parts.b_g1.of(view()?)?)?;
        generator.g2_into(KeyPart::BG2, parts.b_g2.of(view()?)?)?;
        generator.verifying_key()
    })
}

/// What any key for this system is at least: without points for variables that need not be in a
/// query.
pub(crate) fn least_shape(system: &impl Columns) -> Result<KeyShape> {
    let Lengths { inputs, aux, domain_log2, .. } = Lengths::of(system)?;
    Ok(KeyShape { domain_log2, inputs, aux, a: inputs, b: 0 })
}
