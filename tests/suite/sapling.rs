//! The recorded proofs of Zcash's Sapling circuits, stage by stage.
//!
//! Output's parameters come from a crate, Spend's from the folder that `G16_PARAMS` names.

use std::path::Path;

use bls12_381::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
use groth16_cuda::assignment::scalars_from_bytes;
use groth16_cuda::device::Family;
use groth16_cuda::key::{Checks, ProvingKey};
use groth16_cuda::prover::{Proved, Prover, ProverConfig};
use groth16_cuda::{Assignment, Proof, R1cs, ntt, quotient};
use sha2::{Digest, Sha256};

use crate::data;
use crate::device::device;

/// Enough for Spend with its key.
const BUDGET_BYTES: u64 = 1 << 30;

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

/// r and s of the recorded proof.
fn randomness(circuit: &str) -> [Scalar; 2] {
    let stages = data::stages(circuit);
    ["r", "s"].map(|name| {
        let bytes = hex::decode(&stages[name]).expect("hex");
        scalars_from_bytes("randomness", &bytes).expect("a scalar")[0]
    })
}

fn g1(stages: &std::collections::HashMap<String, String>, name: &str) -> G1Projective {
    let bytes = hex::decode(&stages[&format!("msm {name}")]).expect("hex");
    let bytes: [u8; 48] = bytes.try_into().expect("48 bytes");
    Option::<G1Affine>::from(G1Affine::from_compressed(&bytes)).expect("a point").into()
}

fn g2(stages: &std::collections::HashMap<String, String>, name: &str) -> G2Projective {
    let bytes = hex::decode(&stages[&format!("msm {name}")]).expect("hex");
    let bytes: [u8; 96] = bytes.try_into().expect("96 bytes");
    Option::<G2Affine>::from(G2Affine::from_compressed(&bytes)).expect("a point").into()
}

/// Every sum, the proof's bytes, and that every family of kernels took part.
fn check_proof(circuit: &str, proved: &Proved) {
    let stages = data::stages(circuit);
    let sums = &proved.sums;
    assert_eq!(sums.h, g1(&stages, "h"));
    assert_eq!(sums.l, g1(&stages, "l"));
    assert_eq!(sums.a, g1(&stages, "a_inputs") + g1(&stages, "a_aux"));
    assert_eq!(sums.b_g1, g1(&stages, "b_g1_inputs") + g1(&stages, "b_g1_aux"));
    assert_eq!(sums.b_g2, g2(&stages, "b_g2_inputs") + g2(&stages, "b_g2_aux"));
    assert_eq!(hex::encode(proved.proof.to_bytes()), stages["proof"]);
    if let Some(recorded) = data::file(&format!("sapling/{circuit}.proof.bin")) {
        assert_eq!(proved.proof, Proof::read(recorded.as_slice()).expect("a proof"));
    }
    let families = [
        Family::Ntt,
        Family::Quotient,
        Family::Witness,
        Family::BatchAdd,
        Family::MsmG1,
        Family::MsmG2,
    ];
    for family in families {
        assert!(proved.timeline.launches(family) > 0, "{} was not launched", family.name());
    }
}

fn prove(circuit: &str, params: &[u8]) {
    let Some(assignment) = assignment(circuit) else { return };
    let key = ProvingKey::read(params, Checks::SkipSubgroup).expect("the ceremony's key");
    let config = ProverConfig { vram_budget: Some(BUDGET_BYTES), ..ProverConfig::default() };
    let prover = Prover::new(&device(), config).expect("a prover");
    let loaded = prover.load(&key).expect("room for the key");
    let [r, s] = randomness(circuit);
    let proved = prover.prove_with_randomness(&loaded, &assignment, &r, &s).expect("a proof");
    check_proof(circuit, &proved);
}

#[test]
fn outputs_proof_is_as_recorded() {
    prove("output", &wagyu_zcash_parameters_6::load_partial_parameters());
}

#[test]
fn spends_proof_is_as_recorded() {
    let Some(folder) = std::env::var_os("G16_PARAMS") else {
        eprintln!("skipped: G16_PARAMS names no folder with sapling-spend.params");
        return;
    };
    let path = Path::new(&folder).join("sapling-spend.params");
    let params = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    prove("spend", &params);
}
