//! From the sums to a proof, on the host.

use bls12_381::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};

use crate::{Proof, VerifyingKey};

/// What a proof's kernels leave: the sums of the five queries over the witness and over h.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sums {
    /// Σ hᵢ · Hᵢ over the quotient's coefficients.
    pub h: G1Projective,
    /// Σ wᵢ · Lᵢ over the variables that are no inputs.
    pub l: G1Projective,
    /// Σ wᵢ · Aᵢ.
    pub a: G1Projective,
    /// Σ wᵢ · Bᵢ in G1.
    pub b_g1: G1Projective,
    /// Σ wᵢ · Bᵢ in G2.
    pub b_g2: G2Projective,
}

/// Assembles the proof (Groth16, section 3.2):
///
/// A = α + Σ wᵢAᵢ + rδ, B = β + Σ wᵢBᵢ + sδ, C = Σ wᵢLᵢ + Σ hᵢHᵢ + sA + rB − rsδ,
///
/// where B stands in G2 in the proof and in G1 within C.
pub(super) fn assemble(vk: &VerifyingKey, sums: &Sums, r: &Scalar, s: &Scalar) -> Proof {
    let a = vk.delta_g1 * r + vk.alpha_g1 + sums.a;
    let b_g2 = vk.delta_g2 * s + vk.beta_g2 + sums.b_g2;
    let b_g1 = vk.delta_g1 * s + vk.beta_g1 + sums.b_g1;
    let c = sums.l + sums.h + a * s + b_g1 * r - vk.delta_g1 * (r * s);
    Proof { a: G1Affine::from(a), b: G2Affine::from(b_g2), c: G1Affine::from(c) }
}
