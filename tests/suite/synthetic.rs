//! Synthetic circuits: satisfied, of the shape that was asked for, the same by rows and columns.

use bls12_381::Scalar;
use ff::Field;
use groth16_cuda::setup::Columns;
use groth16_cuda::synthetic::{Shape, Synthetic};
use groth16_cuda::{Error, key};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

/// A shape with these counts; the domain follows.
fn shape(constraints: usize, inputs: usize, aux: usize, shares: [f64; 4]) -> Shape {
    let [a_density, b_density, zeros, ones] = shares;
    let log2n = (constraints + inputs).next_power_of_two().trailing_zeros();
    Shape { log2n, constraints, inputs, aux, a_density, b_density, zeros, ones }
}

/// Ready-made shapes, and odd ones: none of a kind, one of a kind, empty queries, repeated rows.
fn shapes() -> Vec<Shape> {
    let mut all = Vec::new();
    for log2n in [0, 1, 2, 3, 4, 5, 7, 10] {
        all.extend([Shape::porep(log2n), Shape::dense(log2n)]);
    }
    for shares in [
        [1.0, 1.0, 0.0, 0.0],
        [1.0, 1.0, 1.0, 0.0],
        [1.0, 1.0, 0.0, 1.0],
        [1.0, 1.0, 0.5, 0.5],
        [0.0, 0.0, 0.4, 0.3],
        [0.0, 1.0, 0.3, 0.3],
        [1.0, 0.0, 0.3, 0.3],
        [0.1, 0.1, 0.1, 0.8],
        [0.5, 0.9, 0.8, 0.1],
        [0.9, 0.9, 0.1, 0.9],
    ] {
        for aux in [0, 1, 2, 3, 4, 5, 6, 7, 20, 61] {
            all.push(shape(aux, 1 + aux % 4, aux, shares));
            all.push(shape(2 * aux + 3, 2, aux, shares));
        }
    }
    all
}

fn circuits() -> impl Iterator<Item = Synthetic> {
    shapes().into_iter().zip(0..).map(|(shape, seed)| {
        shape.synthetic(seed).unwrap_or_else(|error| panic!("{shape:?}: {error}"))
    })
}

fn aux_of(circuit: &Synthetic) -> Vec<Scalar> {
    circuit.aux_values().expect("memory")
}

#[test]
fn witnesses_satisfy_and_have_the_figures() {
    for circuit in circuits() {
        let (shape, figures) = (*circuit.shape(), circuit.figures());
        let assignment = circuit.assignment().expect("an assignment");
        assert_eq!(assignment.first_unsatisfied(), None, "{shape:?}");
        assert_eq!(assignment.domain_log2(), shape.log2n, "{shape:?}");
        assert_eq!(assignment.inputs().len(), shape.inputs);
        assert_eq!(assignment.a().len(), shape.constraints + shape.inputs);
        let count = |x: Scalar| assignment.aux().iter().filter(|y| **y == x).count();
        assert_eq!(count(Scalar::ZERO), figures.zeros, "{shape:?}");
        assert_eq!(count(Scalar::ONE), figures.ones, "{shape:?}");
        let densities = assignment.densities();
        assert_eq!(densities.a_aux.count(), figures.a_aux, "{shape:?}");
        assert_eq!(densities.b_aux.count(), figures.b_aux, "{shape:?}");
        assert_eq!(densities.b_inputs.count(), figures.b_inputs, "{shape:?}");
    }
}

#[test]
fn large_shapes_have_the_shares_that_were_asked_for() {
    for shape in [Shape::porep(12), Shape::dense(12), Shape::porep(14)] {
        let figures = shape.synthetic(1).expect("a circuit").figures();
        let near =
            |count: usize, share: f64| (count as f64 - share * shape.aux as f64).abs() <= 1.0;
        assert!(near(figures.zeros, shape.zeros) && near(figures.ones, shape.ones), "{figures}");
        assert!(near(figures.a_aux, shape.a_density), "{figures}");
        assert!(near(figures.b_aux, shape.b_density), "{figures}");
    }
    let figures = Shape::dense(12).synthetic(1).expect("a circuit").figures();
    assert_eq!(
        (figures.a_aux, figures.b_aux, figures.b_inputs),
        (4080, 4080, 16),
        "all queries full"
    );
    let shape = Shape::porep(27);
    assert_eq!((shape.constraints, shape.aux, shape.log2n), (130_278_869, 130_278_869, 27));
    assert_eq!(Shape::porep(24).constraints, 130_278_869 >> 3);
}

#[test]
fn uniform_values_differ_and_seeds_matter() {
    let circuit = Shape::dense(10).synthetic(5).expect("a circuit");
    let mut values: Vec<_> = aux_of(&circuit).iter().map(Scalar::to_bytes).collect();
    values.extend(circuit.input_values().iter().map(Scalar::to_bytes));
    let all = values.len();
    values.sort_unstable();
    values.dedup();
    assert_eq!(values.len(), all);
    let other = Shape::dense(10).synthetic(6).expect("a circuit");
    let others = aux_of(&other);
    assert!(aux_of(&circuit).iter().all(|x| !others.contains(x)));
    assert_eq!(aux_of(&circuit), aux_of(&Shape::dense(10).synthetic(5).expect("a circuit")));
}

/// Σ weight · ⟨row, z⟩ over the rows is Σ z · column over the variables, for any weights and any z.
#[test]
fn rows_and_columns_are_the_same_system() {
    let mut rng = ChaCha20Rng::seed_from_u64(3);
    let mut random =
        |len: usize| -> Vec<Scalar> { (0..len).map(|_| Scalar::random(&mut rng)).collect() };
    for circuit in circuits() {
        let shape = *circuit.shape();
        let rows = shape.constraints + shape.inputs;
        let (weights, mut inputs, aux) = (random(rows), random(shape.inputs), random(shape.aux));
        inputs[0] = Scalar::ONE;
        let assignment = circuit.assign(inputs.clone(), aux.clone()).expect("an assignment");
        let by_rows = |values: &[Scalar]| -> Scalar {
            values[..shape.constraints].iter().zip(&weights).map(|(x, w)| x * w).sum()
        };
        let z = || inputs.iter().chain(&aux).enumerate();
        let columns: Vec<_> = z().map(|(i, _)| circuit.column(i, &weights)).collect();
        let a: Scalar = z().map(|(i, z)| columns[i].a * z).sum();
        let b: Scalar = z().map(|(i, z)| columns[i].b * z).sum();
        let c: Scalar = z().map(|(i, z)| columns[i].c * z).sum();
        assert_eq!(a, by_rows(assignment.a()), "A of {shape:?}");
        assert_eq!(b, by_rows(assignment.b()), "B of {shape:?}");
        assert_eq!(c, by_rows(assignment.c().expect("c")), "C of {shape:?}");
        let densities = circuit.densities().expect("densities");
        for (i, column) in columns.iter().enumerate() {
            let in_b = match i.checked_sub(shape.inputs) {
                None => densities.b_inputs.position(i),
                Some(aux) => {
                    let in_a = densities.a_aux.position(aux).is_some();
                    assert_eq!(in_a, column.a != Scalar::ZERO, "A, {i} of {shape:?}");
                    assert_ne!(*column, Default::default(), "{i} of {shape:?} is in no row");
                    densities.b_aux.position(aux)
                }
            };
            assert_eq!(in_b.is_some(), column.b != Scalar::ZERO, "B, {i} of {shape:?}");
        }
    }
}

/// Every output that is changed violates a row, and no later than its own.
#[test]
fn no_output_may_change() {
    for circuit in circuits().filter(|circuit| circuit.shape().aux < 100) {
        for i in 0..circuit.shape().aux {
            let mut aux = aux_of(&circuit);
            aux[i] = if aux[i] == Scalar::ZERO { Scalar::ONE } else { Scalar::ZERO };
            let flipped = circuit.assign(circuit.input_values(), aux).expect("an assignment");
            let row = flipped.first_unsatisfied();
            assert!(row.is_some_and(|row| row <= i), "{i} of {:?}: {row:?}", circuit.shape());
        }
    }
}

#[test]
fn c_can_be_left_out() {
    let circuit = Shape::porep(6).synthetic(2).expect("a circuit");
    let with = circuit.assignment().expect("an assignment");
    let without =
        circuit.assign_without_c(circuit.input_values(), aux_of(&circuit)).expect("an assignment");
    assert!(without.c().is_none() && without.first_unsatisfied().is_none());
    assert_eq!((without.a(), without.b()), (with.a(), with.b()));
}

#[test]
fn shapes_that_cannot_be_are_refused() {
    let good = shape(10, 2, 10, [0.9, 0.5, 0.4, 0.4]);
    good.synthetic(0).expect("a good shape");
    let huge = 1_usize << key::MAX_DOMAIN_LOG2;
    for bad in [
        Shape { inputs: 0, ..good },
        Shape { constraints: 9, ..good },
        Shape { log2n: 3, ..good },
        Shape { log2n: 5, ..good },
        Shape { log2n: 40, ..good },
        Shape { log2n: u32::MAX, ..good },
        Shape { constraints: huge, log2n: 32, ..good },
        Shape { constraints: usize::MAX, ..good },
        Shape { inputs: usize::MAX, ..good },
        Shape { aux: usize::MAX, constraints: usize::MAX, ..good },
        Shape { a_density: 1.1, ..good },
        Shape { a_density: f64::NAN, ..good },
        Shape { b_density: -0.1, ..good },
        Shape { zeros: 0.7, ones: 0.4, ..good },
        Shape { ones: f64::INFINITY, ..good },
        Shape::porep(32),
        Shape::porep(u32::MAX),
        Shape::dense(32),
        Shape::dense(u32::MAX),
    ] {
        let error = bad.synthetic(0).expect_err("a bad shape");
        assert!(matches!(error, Error::BadShape { .. }), "{bad:?}: {error}");
    }
    let circuit = good.synthetic(0).expect("a circuit");
    for (inputs, aux) in [(1, 10), (2, 9), (2, 11)] {
        let witness = |len| vec![Scalar::ONE; len];
        let result = circuit.assign(witness(inputs), witness(aux));
        assert!(matches!(result, Err(Error::Length { .. })), "{inputs}, {aux}");
    }
    let result = circuit.assign(vec![Scalar::ZERO; 2], aux_of(&circuit));
    assert!(matches!(result, Err(Error::NoConstantOne)));
}
