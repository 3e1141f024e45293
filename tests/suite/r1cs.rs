//! Constraint systems as data.

use bls12_381::Scalar;
use ff::Field;
use groth16_cuda::assignment::scalars_from_bytes;
use groth16_cuda::{Error, R1cs};
use sha2::{Digest, Sha256};

use crate::circuits::{sample, samples};
use crate::data;

#[test]
fn systems_evaluate_as_synthesis_does() {
    for sample in samples() {
        let r1cs = sample.r1cs();
        let assignment = r1cs.assign(sample.inputs.clone(), sample.aux.clone()).expect("lengths");
        assert_eq!(assignment, sample.assignment(), "{}", sample.name);
        let unsatisfied = r1cs.first_unsatisfied(&sample.inputs, &sample.aux).expect("lengths");
        assert_eq!(unsatisfied, None, "{}", sample.name);
    }
}

#[test]
fn the_first_unsatisfied_constraint_is_found() {
    let mut sample = sample();
    sample.rows[7][2].push((0, Scalar::ONE));
    sample.rows[12][2].push((0, Scalar::ONE));
    let found = sample.r1cs().first_unsatisfied(&sample.inputs, &sample.aux).expect("lengths");
    assert_eq!(found, Some(7));
    let assignment = sample.r1cs().assign(sample.inputs.clone(), sample.aux.clone());
    assert_eq!(assignment.expect("lengths").first_unsatisfied(), Some(7));
}

fn digest(scalars: &[Scalar]) -> String {
    let mut hasher = Sha256::new();
    scalars.iter().for_each(|scalar| hasher.update(scalar.to_bytes()));
    hex::encode(hasher.finalize())
}

fn sapling_evaluations(circuit: &str) {
    let file = |suffix| data::file(&format!("sapling/{circuit}.{suffix}"));
    let (Some(r1cs), Some(inputs), Some(aux)) =
        (file("r1cs.bin"), file("inputs.bin"), file("aux.bin"))
    else {
        return;
    };
    let stages = data::stages(circuit);
    let r1cs = R1cs::read(r1cs.as_slice()).expect("a constraint system");
    let inputs = scalars_from_bytes("inputs", &inputs).expect("scalars");
    let aux = scalars_from_bytes("aux", &aux).expect("scalars");
    assert_eq!(r1cs.constraints().to_string(), stages["constraints"]);
    assert_eq!(r1cs.inputs().to_string(), stages["inputs_with_one"]);
    assert_eq!(r1cs.aux().to_string(), stages["aux"]);
    assert_eq!(digest(&inputs), stages["inputs.bin sha256"]);
    assert_eq!(digest(&aux), stages["aux.bin sha256"]);
    assert_eq!(r1cs.first_unsatisfied(&inputs, &aux).expect("lengths"), None);
    let assignment = r1cs.assign(inputs, aux).expect("an assignment");
    assert_eq!(assignment.domain().to_string(), stages["domain"]);
    assert_eq!(assignment.first_unsatisfied(), None);
    assert_eq!(digest(assignment.a()), stages["A eval (rows, LE 32) sha256"]);
    assert_eq!(digest(assignment.b()), stages["B eval sha256"]);
    assert_eq!(digest(assignment.c().expect("c")), stages["C eval sha256"]);
}

#[test]
fn saplings_output_evaluates_as_recorded() {
    sapling_evaluations("output");
}

#[test]
fn saplings_spend_evaluates_as_recorded() {
    sapling_evaluations("spend");
}

#[test]
fn witnesses_of_other_lengths_are_refused() {
    let sample = sample();
    let (inputs, aux) = (sample.inputs.clone(), sample.aux.clone());
    let error = sample.r1cs().assign(inputs[1..].to_vec(), aux.clone()).expect_err("refused");
    assert!(matches!(error, Error::Length { what: "inputs", got: 2, expected: 3, .. }), "{error}");
    let error = sample.r1cs().first_unsatisfied(&inputs, &aux[1..]).expect_err("refused");
    assert!(matches!(error, Error::Length { what: "aux", got: 24, expected: 25, .. }), "{error}");
    let mut two = inputs;
    two[0] = Scalar::from(2);
    let error = sample.r1cs().assign(two, aux).expect_err("refused");
    assert!(matches!(error, Error::NoConstantOne), "{error}");
}

#[test]
fn damaged_files_are_refused() {
    let bytes = sample().r1cs_bytes();
    for cut in 0..bytes.len() {
        let error = R1cs::read(&bytes[..cut]).expect_err("truncated");
        assert!(matches!(error, Error::BadR1cs { .. }), "{cut}: {error}");
    }
    let refuse = |offset: usize, with: &[u8]| {
        let mut bytes = bytes.clone();
        bytes[offset..offset + with.len()].copy_from_slice(with);
        R1cs::read(bytes.as_slice()).expect_err("damaged")
    };
    let refuses = |offset, with: &[u8]| matches!(refuse(offset, with), Error::BadR1cs { .. });
    assert!(refuses(0, &0_u32.to_le_bytes()), "no inputs");
    assert!(refuses(4, &0_u32.to_le_bytes()), "variables that do not exist");
    assert!(refuses(8, &19_u32.to_le_bytes()), "bytes after the last constraint");
    assert!(refuses(8, &u32::MAX.to_le_bytes()), "constraints that do not exist");
    assert!(refuses(12, &u32::MAX.to_le_bytes()), "terms that do not exist");
    // The last term of the file: its coefficient is the last 32 bytes.
    let terms: usize = sample().rows.iter().flatten().map(Vec::len).sum();
    let error = refuse(bytes.len() - 32, &[0xff; 32]);
    assert!(
        matches!(error, Error::ScalarNotCanonical { element, .. } if element == terms - 1),
        "{error}"
    );
}
