//! The locks and the arena of `groth16-cuda` under a model checker, which runs every interleaving
//! of their threads, up to a number of preemptions.
#![cfg(test)]
#![allow(dead_code, unused_imports)] // not all of the crate's items are used here

mod error;
mod sync;

/// The crate's own files.
#[path = "../../../src"]
mod groth16_cuda {
    pub(crate) mod arena;
    pub mod lock;
}

use groth16_cuda::{arena, lock};

mod models;
