//! Groth16 proofs over BLS12-381 on NVIDIA GPUs, with kernels that also run on the host.

#[allow(dead_code, unused_imports)] // until the prover is its user
mod arena;
pub mod density;
pub mod device;
mod error;
#[allow(unsafe_code)] // the C ABI
mod ffi;
pub mod lock;
#[allow(unsafe_code)] // the layouts
pub mod repr;
mod sync;

pub use error::{Error, Result};
