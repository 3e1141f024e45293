//! Slow and obvious answers, by `bls12_381` alone.

pub mod batch_add;
pub mod bigint;
pub mod groups;
pub mod msm;
pub mod ntt;
pub mod witness;
