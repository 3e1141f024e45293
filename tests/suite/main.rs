//! The crate's tests, in one executable; they climb: field, curve, operation, proof, pipeline.
#![allow(missing_docs)]
mod batch_add;
mod chains;
mod curve;
#[allow(dead_code)] // helpers
mod data;
mod device;
mod eip2537;
mod field;
mod fixed_base;
mod guard;
mod msm;
mod msm_multiples;
mod msm_side_by_side;
mod msm_streaming;
#[allow(dead_code)] // unit tests use the rest
mod oracle;
mod points;
mod repr;
#[allow(dead_code)] // as above
mod target;
#[allow(dead_code)] // as above
mod tuning;
mod witness;

#[cfg(feature = "bellman")]
mod assignment;
#[cfg(feature = "bellman")]
#[allow(dead_code)] // helpers
mod circuits;
mod density;
#[cfg(feature = "bellman")]
mod key;
#[cfg(feature = "bellman")]
mod key_cache;
mod ntt;
mod proof;
#[cfg(feature = "bellman")]
mod prover;
mod quotient;
#[cfg(feature = "bellman")]
mod r1cs;
mod sapling;
#[cfg(feature = "bellman")]
mod setup;
mod simt;
mod synthetic;
mod verify;
