//! The secret behind a key.

use std::fmt;

use bls12_381::{G1Affine, G2Affine, Scalar};
use ff::Field;
use rand_core::CryptoRng;
use zeroize::Zeroize;

use super::exponents::power;
use crate::{Error, Result};

/// The secret behind a key, also called toxic waste: **whoever knows it can forge proofs.** It is
/// overwritten when it is dropped; what a key generation derives from it is not.
#[derive(Clone)]
pub struct Trapdoor {
    /// α.
    pub alpha: Scalar,
    /// β.
    pub beta: Scalar,
    /// γ.
    pub gamma: Scalar,
    /// δ.
    pub delta: Scalar,
    /// τ, where the polynomials are evaluated.
    pub tau: Scalar,
    /// The point of G1 whose multiples the key consists of.
    pub g1: G1Affine,
    /// The point of G2 whose multiples the key consists of.
    pub g2: G2Affine,
}

impl Trapdoor {
    /// A random one, with the groups' standard generators. **For development only**; see
    /// [`setup`](crate::setup).
    pub fn random<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
        let mut draw = || Scalar::random(rng);
        Self {
            alpha: draw(),
            beta: draw(),
            gamma: draw(),
            delta: draw(),
            tau: draw(),
            g1: G1Affine::generator(),
            g2: G2Affine::generator(),
        }
    }

    /// Refuses a trapdoor that makes no key over a domain of `n` points.
    pub(super) fn check(&self, n: usize) -> Result<()> {
        let zero = |x: &Scalar| x.is_zero_vartime();
        let rules = [
            (zero(&self.alpha), "alpha is zero"),
            (zero(&self.beta), "beta is zero"),
            (zero(&self.gamma), "gamma is zero"),
            (zero(&self.delta), "delta is zero"),
            (zero(&self.tau), "tau is zero"),
            (power(self.tau, n) == Scalar::ONE, "tau is a point of the domain"),
            (self.g1.is_identity().into(), "g1 is at infinity"),
            (self.g2.is_identity().into(), "g2 is at infinity"),
            ((!self.g1.is_torsion_free() | !self.g1.is_on_curve()).into(), "g1 is not in G1"),
            ((!self.g2.is_torsion_free() | !self.g2.is_on_curve()).into(), "g2 is not in G2"),
        ];
        match rules.into_iter().find(|(broken, _)| *broken) {
            Some((_, what)) => Err(Error::Trapdoor { what }),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Trapdoor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trapdoor").finish_non_exhaustive()
    }
}

impl Drop for Trapdoor {
    fn drop(&mut self) {
        for secret in
            [&mut self.alpha, &mut self.beta, &mut self.gamma, &mut self.delta, &mut self.tau]
        {
            secret.zeroize();
        }
    }
}
