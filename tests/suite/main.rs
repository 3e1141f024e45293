//! The crate's tests, in one executable; they climb: field, curve, operation, proof, pipeline.
#![allow(missing_docs)]
#[allow(dead_code)] // helpers
mod data;
mod repr;

mod device;
