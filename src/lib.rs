//! Groth16 proofs over BLS12-381 on NVIDIA GPUs, with kernels that also run on the host.
//!
//! A [`Prover`] owns a device's memory, loads proving keys into it, and makes the proofs that
//! bellman's prover would make, byte for byte, for any number of threads at a time.
//! [`Device::host`] runs the same kernels on this machine's threads; `Device::cuda` needs the
//! feature `cuda`.
//!
//! ```
//! use bellman::{Circuit, ConstraintSystem, SynthesisError};
//! use bls12_381::{Bls12, Scalar};
//! use groth16_cuda::device::{Device, HostConfig};
//! use groth16_cuda::{Assignment, Error, Prover, ProverConfig, ProvingKey};
//!
//! /// Knowledge of x with x³ + x + 5 = y.
//! struct Cubic(Option<Scalar>);
//!
//! impl Circuit<Scalar> for Cubic {
//!     fn synthesize<CS>(self, cs: &mut CS) -> Result<(), SynthesisError>
//!     where
//!         CS: ConstraintSystem<Scalar>,
//!     {
//!         let value = |f: fn(Scalar) -> Scalar| {
//!             move || self.0.map(f).ok_or(SynthesisError::AssignmentMissing)
//!         };
//!         let x = cs.alloc(|| "x", value(|x| x))?;
//!         let square = cs.alloc(|| "x²", value(|x| x.square()))?;
//!         let cube = cs.alloc(|| "x³", value(|x| x.square() * x))?;
//!         let y = cs.alloc_input(|| "y", value(|x| x.square() * x + x + Scalar::from(5)))?;
//!         cs.enforce(|| "square", |lc| lc + x, |lc| lc + x, |lc| lc + square);
//!         cs.enforce(|| "cube", |lc| lc + square, |lc| lc + x, |lc| lc + cube);
//!         cs.enforce(
//!             || "sum",
//!             |lc| lc + cube + x + (Scalar::from(5), CS::one()),
//!             |lc| lc + CS::one(),
//!             |lc| lc + y,
//!         );
//!         Ok(())
//!     }
//! }
//!
//! # fn main() -> Result<(), Error> {
//! let mut rng = rand::rng();
//! let params = groth16::generate_random_parameters::<Bls12, _, _>(Cubic(None), &mut rng)?;
//! let key = ProvingKey::from_bellman(&params)?;
//!
//! let device = Device::host(HostConfig { memory_bytes: 64 << 20, ..HostConfig::default() })?;
//! let config = ProverConfig { vram_budget: Some(32 << 20), ..ProverConfig::default() };
//! let prover = Prover::new(&device, config)?;
//! let key = prover.load(&key)?;
//! let assignment = Assignment::synthesize(Cubic(Some(Scalar::from(3))))?;
//! let proof = prover.prove(&key, &assignment, &mut rng)?;
//!
//! let vk = groth16::prepare_verifying_key(&params.vk);
//! let proof = groth16::Proof::from(proof);
//! assert!(groth16::verify_proof(&vk, &proof, &[Scalar::from(35)]).is_ok());
//! # Ok(())
//! # }
//! ```
//!
//! Keys for development are made on the device, for any circuit: see [`setup`], and [`synthetic`]
//! for circuits of any size.
//!
//! The operations are useful without the prover: [`ntt`], [`quotient`], [`msm`], [`batch_add`],
//! [`fixed_base`], [`witness`] and [`points`]. `docs/architecture.md` in the repository tells how
//! all of it fits together.

#[cfg(test)]
extern crate self as groth16_cuda; // as the suite's modules call it that unit tests share

#[allow(dead_code, unused_imports)] // eviction and the staging ring have no user yet
mod arena;
pub mod assignment;
pub mod batch_add;
pub mod density;
pub mod device;
mod error;
#[allow(unsafe_code)] // the C ABI
mod ffi;
pub mod fixed_base;
pub mod key;
pub mod lock;
mod memory;
pub mod msm;
pub mod ntt;
mod parallel;
pub mod plan;
pub mod points;
#[doc(hidden)]
pub mod probe;
pub mod proof;
pub mod prover;
pub mod quotient;
pub mod r1cs;
#[allow(unsafe_code)] // the layouts
pub mod repr;
pub mod setup;
mod sync;
pub mod synthetic;
#[cfg(test)]
mod testing;
pub mod timeline;
pub mod verify;
pub mod witness;

pub use assignment::Assignment;
pub use device::Device;
pub use error::{Error, Result};
pub use key::{LoadedKey, ProvingKey, VerifyingKey};
pub use proof::Proof;
pub use prover::{Prover, ProverConfig};
pub use r1cs::R1cs;
pub use verify::{PreparedVerifyingKey, verify};
