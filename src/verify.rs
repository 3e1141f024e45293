//! Verification of proofs.
//!
//! With x the public inputs, the constant first, and X = Σ xᵢ · icᵢ, a proof (A, B, C) holds if
//!
//! e(A, B) = e(α, β) · e(X, γ) · e(C, δ),
//!
//! which is checked as e(A, B) · e(X, −γ) · e(C, −δ) = e(α, β): three Miller loops together and
//! one final exponentiation, for e(α, β) belongs to the key.

use bls12_381::{G1Affine, G1Projective, G2Prepared, Gt, Scalar, multi_miller_loop, pairing};

use crate::{Error, Proof, Result, VerifyingKey};

/// A verifying key with all that depends on the key alone.
#[derive(Clone, Debug)]
pub struct PreparedVerifyingKey {
    /// e(α, β).
    alpha_beta: Gt,
    /// −γ.
    neg_gamma: G2Prepared,
    /// −δ.
    neg_delta: G2Prepared,
    ic: Vec<G1Affine>,
}

impl PreparedVerifyingKey {
    /// Prepares a key: one pairing and the Miller loops' lines for γ and δ.
    pub fn new(vk: &VerifyingKey) -> Self {
        Self {
            alpha_beta: pairing(&vk.alpha_g1, &vk.beta_g2),
            neg_gamma: G2Prepared::from(-vk.gamma_g2),
            neg_delta: G2Prepared::from(-vk.delta_g2),
            ic: vk.ic.clone(),
        }
    }
}

/// Whether `proof` proves the statement with these public inputs, given without the constant.
///
/// # Errors
///
/// [`Error::InvalidProof`] if it does not; [`Error::Length`] if the key has another number of
/// inputs.
pub fn verify(pvk: &PreparedVerifyingKey, proof: &Proof, inputs: &[Scalar]) -> Result<()> {
    let wrong_length = |expected| {
        let (operation, what) = ("verification", "public inputs");
        Error::Length { operation, what, got: inputs.len(), expected }
    };
    let (constant, ic) = pvk.ic.split_first().ok_or_else(|| wrong_length(0))?;
    if ic.len() != inputs.len() {
        return Err(wrong_length(ic.len()));
    }
    let start = G1Projective::from(constant);
    let x = ic.iter().zip(inputs).fold(start, |sum, (point, input)| sum + point * input);
    let product = multi_miller_loop(&[
        (&proof.a, &G2Prepared::from(proof.b)),
        (&G1Affine::from(x), &pvk.neg_gamma),
        (&proof.c, &pvk.neg_delta),
    ])
    .final_exponentiation();
    if product == pvk.alpha_beta { Ok(()) } else { Err(Error::InvalidProof) }
}
