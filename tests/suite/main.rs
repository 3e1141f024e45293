//! The crate's tests, in one executable; they climb: field, curve, operation, proof, pipeline.
#![allow(missing_docs)]
mod repr;

mod device;
