//! Groth16 proofs over BLS12-381 on NVIDIA GPUs, with kernels that also run on the host.

#[allow(dead_code, unused_imports)] // until the prover is its user
mod arena;
pub mod assignment;
pub mod batch_add;
pub mod density;
pub mod device;
mod error;
#[allow(unsafe_code)] // the C ABI
mod ffi;
pub mod key;
pub mod lock;
pub mod ntt;
pub mod points;
#[doc(hidden)]
pub mod probe;
pub mod proof;
pub mod quotient;
pub mod r1cs;
#[allow(unsafe_code)] // the layouts
pub mod repr;
mod sync;
pub mod verify;
pub mod witness;

pub use assignment::Assignment;
pub use error::{Error, Result};
pub use key::{ProvingKey, VerifyingKey};
pub use proof::Proof;
pub use r1cs::R1cs;
pub use verify::{PreparedVerifyingKey, verify};
