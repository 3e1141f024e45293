//! Assignments: synthesis by bellman's rules, and lengths.

use bellman::{Circuit, ConstraintSystem, SynthesisError};
use bls12_381::Scalar;
use ff::Field;
use groth16_cuda::assignment::{Densities, Evaluations, scalars_from_bytes};
use groth16_cuda::density::DensityMap;
use groth16_cuda::{Assignment, Error, ProvingKey};

use crate::circuits::{Foreign, Sample, sample, samples};

/// Which of `count` variables from `first` on have a term that is not zero, by looking.
fn occurs(sample: &Sample, matrix: usize, first: usize, count: usize) -> DensityMap {
    let occurs = |variable| {
        let mut terms = sample.rows.iter().flat_map(|row| &row[matrix]);
        terms.any(|(v, coefficient)| *v == variable && *coefficient != Scalar::ZERO)
    };
    DensityMap::from_bits((first..first + count).map(occurs)).expect("few variables")
}

#[test]
fn synthesis_evaluates_rows_and_counts_densities() {
    for sample in samples() {
        let assignment = sample.assignment();
        let (inputs, aux) = (sample.inputs.len(), sample.aux.len());
        let column = |matrix: usize| {
            let rows = sample.rows.iter().map(|row| sample.evaluate(&row[matrix]));
            let own = sample.inputs.iter().map(|x| if matrix == 0 { *x } else { Scalar::ZERO });
            rows.chain(own).collect::<Vec<_>>()
        };
        assert_eq!(assignment.a(), column(0), "{}", sample.name);
        assert_eq!(assignment.b(), column(1), "{}", sample.name);
        assert_eq!(assignment.c(), Some(column(2).as_slice()), "{}", sample.name);
        assert_eq!(assignment.inputs(), sample.inputs);
        assert_eq!(assignment.aux(), sample.aux);
        assert_eq!(assignment.public_inputs(), &sample.inputs[1..]);
        let densities = Densities {
            a_aux: occurs(&sample, 0, inputs, aux),
            b_inputs: occurs(&sample, 1, 0, inputs),
            b_aux: occurs(&sample, 1, inputs, aux),
        };
        assert_eq!(*assignment.densities(), densities, "{}", sample.name);
        assert_eq!(assignment.first_unsatisfied(), None, "{}", sample.name);
    }
}

#[test]
fn generated_keys_have_the_lengths_that_assignments_need() {
    for sample in samples() {
        let key = ProvingKey::from_bellman(&sample.params()).expect("a key");
        let shape = key.shape();
        shape.check(&sample.assignment()).unwrap_or_else(|e| panic!("{}: {e}", sample.name));
        assert_eq!(shape.domain(), sample.assignment().domain());
    }
}

/// b − b in B: bellman's generator drops the variable, its prover counts it.
struct Cancelling;

impl Circuit<Scalar> for Cancelling {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let x = cs.alloc(|| "x", || Ok(Scalar::from(3)))?;
        let y = cs.alloc(|| "y", || Ok(Scalar::from(5)))?;
        cs.enforce(
            || "x (y + x − x) = 5 x",
            |lc| lc + x,
            |lc| lc + y + x - x,
            |lc| lc + (5.into(), x),
        );
        Ok(())
    }
}

#[test]
fn a_cancelling_term_is_reported_as_a_key_that_is_too_short() {
    let mut rng = <rand_chacha::ChaCha20Rng as rand_core::SeedableRng>::seed_from_u64(1);
    let params =
        groth16::generate_random_parameters::<bls12_381::Bls12, _, _>(Cancelling, &mut rng)
            .expect("a key");
    let key = ProvingKey::from_bellman(&params).expect("a key");
    let assignment = Assignment::synthesize(Cancelling).expect("synthesis");
    assert!(matches!(
        key.shape().check(&assignment),
        Err(Error::WrongKey { what: "b", key: 1, needed: 2 })
    ));
}

#[test]
fn a_variable_that_was_not_allocated_is_an_error() {
    let error = Assignment::synthesize(Foreign).expect_err("refused");
    assert!(matches!(error, Error::Synthesis(SynthesisError::Unsatisfiable)), "{error}");
}

struct Missing;

impl Circuit<Scalar> for Missing {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        cs.alloc(|| "x", || Err(SynthesisError::AssignmentMissing)).map(|_| ())
    }
}

#[test]
fn a_circuits_own_error_is_passed_on() {
    let error = Assignment::synthesize(Missing).expect_err("refused");
    assert!(matches!(error, Error::Synthesis(SynthesisError::AssignmentMissing)), "{error}");
}

/// A sample's assignment in parts.
fn parts() -> (Evaluations, Vec<Scalar>, Vec<Scalar>, Densities) {
    let whole = sample().assignment();
    let evaluations = Evaluations {
        a: whole.a().to_vec(),
        b: whole.b().to_vec(),
        c: whole.c().map(<[Scalar]>::to_vec),
    };
    (evaluations, whole.inputs().to_vec(), whole.aux().to_vec(), whole.densities().clone())
}

#[test]
fn parts_make_the_same_assignment() {
    let (evaluations, inputs, aux, densities) = parts();
    let again = Assignment::new(evaluations, inputs, aux, densities).expect("the same");
    assert_eq!(again, sample().assignment());
}

#[test]
fn lengths_that_disagree_are_named() {
    type Damage = fn(&mut Evaluations, &mut Vec<Scalar>, &mut Vec<Scalar>, &mut Densities);
    let cases: [(&str, Damage); 8] = [
        ("b", |e, _, _, _| e.a.truncate(7)),
        ("b", |e, _, _, _| e.b.push(Scalar::ZERO)),
        ("c", |e, _, _, _| e.c = Some(Vec::new())),
        ("density of b over inputs", |_, inputs, _, _| inputs.push(Scalar::ONE)),
        ("density of a over aux", |_, _, aux, _| aux.truncate(3)),
        ("density of a over aux", |_, _, _, d| d.a_aux = DensityMap::default()),
        ("density of b over inputs", |_, _, _, d| d.b_inputs = DensityMap::default()),
        ("density of b over aux", |_, _, _, d| d.b_aux = DensityMap::default()),
    ];
    for (name, damage) in cases {
        let (mut evaluations, mut inputs, mut aux, mut densities) = parts();
        damage(&mut evaluations, &mut inputs, &mut aux, &mut densities);
        let error = Assignment::new(evaluations, inputs, aux, densities).expect_err("refused");
        assert!(matches!(error, Error::Length { what, .. } if what == name), "{name}: {error}");
    }
    let (mut evaluations, inputs, aux, densities) = parts();
    evaluations.a.truncate(1);
    evaluations.b.truncate(1);
    evaluations.c = None;
    let error = Assignment::new(evaluations, inputs, aux, densities).expect_err("refused");
    assert!(matches!(error, Error::Length { what: "a", got: 1, expected: 3, .. }), "{error}");
}

#[test]
fn the_first_input_is_one() {
    for first in [None, Some(Scalar::ZERO), Some(Scalar::from(2))] {
        let (evaluations, _, aux, densities) = parts();
        let inputs = first.into_iter().collect();
        let error = Assignment::new(evaluations, inputs, aux, densities).expect_err("refused");
        assert!(matches!(error, Error::NoConstantOne), "{error}");
    }
}

#[test]
fn the_first_row_that_fails_is_found() {
    for row in [0, 7, 19] {
        let (mut evaluations, inputs, aux, densities) = parts();
        evaluations.c.as_mut().expect("c")[row] += Scalar::ONE;
        evaluations.c.as_mut().expect("c")[19] += Scalar::ONE;
        let assignment = Assignment::new(evaluations, inputs, aux, densities).expect("lengths");
        assert_eq!(assignment.first_unsatisfied(), Some(row));
    }
    let (mut evaluations, inputs, aux, densities) = parts();
    evaluations.a[3] += Scalar::ONE;
    evaluations.c = None;
    let assignment = Assignment::new(evaluations, inputs, aux, densities).expect("lengths");
    assert_eq!(assignment.first_unsatisfied(), None, "nothing to compare with");
}

#[test]
fn another_circuits_key_is_named() {
    let assignment = sample().assignment();
    let shape = ProvingKey::from_bellman(&sample().params()).expect("a key").shape();
    shape.check(&assignment).expect("its own key");
    type Damage = fn(&mut groth16_cuda::key::KeyShape);
    let cases: [(&str, Damage); 5] = [
        ("ic", |s| s.inputs += 1),
        ("l", |s| s.aux -= 1),
        ("h", |s| s.domain_log2 += 1),
        ("a", |s| s.a -= 1),
        ("b", |s| s.b += 1),
    ];
    for (name, damage) in cases {
        let mut other = shape;
        damage(&mut other);
        let error = other.check(&assignment).expect_err("refused");
        assert!(matches!(error, Error::WrongKey { what, .. } if what == name), "{name}: {error}");
    }
}

#[test]
fn raw_scalars_are_below_r() {
    let mut bytes = vec![0; 32 * 2000];
    assert_eq!(scalars_from_bytes("witness", &bytes).expect("zeros").len(), 2000);
    bytes[32..64].copy_from_slice(&(-Scalar::ONE).to_bytes());
    assert_eq!(scalars_from_bytes("witness", &bytes).expect("r − 1")[1], -Scalar::ONE);
    for element in [1999, 700, 1] {
        let scalar = &mut bytes[32 * element..][..32];
        scalar.copy_from_slice(&(-Scalar::ONE).to_bytes());
        scalar[0] += 1; // r, whose lowest byte is 1
        let error = scalars_from_bytes("witness", &bytes).expect_err("r");
        assert!(
            matches!(error, Error::ScalarNotCanonical { what: "witness", element: e }
                if e == element),
            "{error}"
        );
    }
    let error = scalars_from_bytes("witness", &bytes[..33]).expect_err("a byte too many");
    assert!(matches!(error, Error::Length { got: 33, expected: 32, .. }), "{error}");
}
