//! Groth16 proofs over BLS12-381 on NVIDIA GPUs, with kernels that also run on the host.

pub mod density;
pub mod device;
mod error;
#[allow(unsafe_code)] // the C ABI
mod ffi;
#[allow(unsafe_code)] // the layouts
pub mod repr;

pub use error::{Error, Result};
