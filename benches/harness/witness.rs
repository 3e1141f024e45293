//! Witnesses as circuits for proofs of replication have them.

use bls12_381::Scalar;
use ff::Field;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

use super::scalars::TASK;

/// Of the domain's points, how many variables there are.
pub const VARIABLES: f64 = 0.97;
/// Of the variables, how many are one, and as many are zero.
pub const ONES: f64 = 0.485;
/// Of the variables, how many have a point in the query A.
pub const DENSITY_A: f64 = 0.997;
/// Likewise in B.
pub const DENSITY_B: f64 = 0.254;

/// A witness of `n` variables, the same for the same seed, made in parallel.
pub fn witness(n: usize, seed: u64) -> Vec<Scalar> {
    let share = (ONES * f64::from(u32::MAX)) as u32;
    let mut values = vec![Scalar::ZERO; n];
    values.par_chunks_mut(TASK).enumerate().for_each(|(task, values)| {
        let mut rng = ChaCha20Rng::seed_from_u64(seed << 32 | task as u64);
        values.fill_with(|| match rng.next_u32() / share {
            0 => Scalar::ZERO,
            1 => Scalar::ONE,
            _ => Scalar::random(&mut rng),
        });
    });
    values
}
