//! The recorded proofs of Zcash's Sapling circuits, stage by stage.

use bls12_381::Scalar;
use groth16_cuda::assignment::scalars_from_bytes;
use groth16_cuda::{Assignment, R1cs, ntt, quotient};
use sha2::{Digest, Sha256};

use crate::data;
use crate::device::device;

fn assignment(circuit: &str) -> Option<Assignment> {
    let file = |suffix| data::file(&format!("sapling/{circuit}.{suffix}"));
    let scalars = |suffix| Some(scalars_from_bytes(suffix, &file(suffix)?).expect("scalars"));
    let r1cs = R1cs::read(file("r1cs.bin")?.as_slice()).expect("a constraint system");
    Some(r1cs.assign(scalars("inputs.bin")?, scalars("aux.bin")?).expect("an assignment"))
}

fn digest(scalars: &[Scalar]) -> String {
    let mut hasher = Sha256::new();
    scalars.iter().for_each(|scalar| hasher.update(scalar.to_bytes()));
    hex::encode(hasher.finalize())
}

fn padded(rows: &[Scalar], domain: usize) -> Vec<Scalar> {
    let mut rows = rows.to_vec();
    rows.resize(domain, Scalar::zero());
    rows
}

/// A's coefficients, A on the coset of 7, and h, through the public operations.
fn check_polynomials(circuit: &str) {
    let Some(assignment) = assignment(circuit) else { return };
    let stages = data::stages(circuit);
    let device = device();
    let n = assignment.domain();
    let mut a = padded(assignment.a(), n);
    let b = padded(assignment.b(), n);
    let h = quotient::quotient(&device, &a, &b).expect("h");
    assert_eq!(digest(&h[..n - 1]), stages["h coefficients (domain-1) sha256"]);
    assert_eq!(h[n - 1], Scalar::zero());
    ntt::inverse(&device, &mut a).expect("coefficients");
    assert_eq!(digest(&a), stages["A coefficients after ifft sha256"]);
    ntt::coset_forward(&device, &mut a, Scalar::from(7)).expect("values on the coset");
    assert_eq!(digest(&a), stages["A on coset sha256"]);
}

#[test]
fn outputs_polynomials_are_as_recorded() {
    check_polynomials("output");
}

#[test]
fn spends_polynomials_are_as_recorded() {
    check_polynomials("spend");
}
