//! The crate's tests, in one executable; they climb: field, curve, operation, proof, pipeline.
#![allow(missing_docs)]
mod batch_add;
#[allow(dead_code)] // helpers
mod data;
mod oracle;
mod points;
mod repr;
mod witness;

mod density;
mod device;

#[cfg(feature = "bellman")]
mod assignment;
#[cfg(feature = "bellman")]
#[allow(dead_code)] // helpers
mod circuits;
#[cfg(feature = "bellman")]
mod key;
mod ntt;
mod proof;
mod quotient;
#[cfg(feature = "bellman")]
mod r1cs;
mod verify;
