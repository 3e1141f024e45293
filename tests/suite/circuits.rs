//! Small circuits of odd shapes with satisfying witnesses, and keys for them.

use bellman::{Circuit, ConstraintSystem, Index, SynthesisError, Variable};
use bls12_381::{Bls12, Scalar};
use ff::Field;
use groth16_cuda::{Assignment, R1cs};
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

/// A linear combination over variables numbered as in [`R1cs`]: inputs first, the constant is 0.
pub type Terms = Vec<(usize, Scalar)>;

/// What the variables' values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    Random,
    Zeros,
    Ones,
    MinusOnes,
    Equal,
    Short,
    Mixed,
}

const VALUES: [Values; 7] = [
    Values::Random,
    Values::Zeros,
    Values::Ones,
    Values::MinusOnes,
    Values::Equal,
    Values::Short,
    Values::Mixed,
];

/// A circuit as data, with its witness.
#[derive(Clone, Debug)]
pub struct Sample {
    pub name: String,
    /// The constant 1 first.
    pub inputs: Vec<Scalar>,
    pub aux: Vec<Scalar>,
    pub rows: Vec<[Terms; 3]>,
}

/// The numbers that choose a sample.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub constraints: usize,
    /// With the constant.
    pub inputs: usize,
    pub aux: usize,
    pub values: Values,
    pub empty_b: bool,
}

impl Sample {
    /// A random circuit that its witness satisfies. Every variable that is no input occurs, some
    /// rows repeat a variable, and some terms have the coefficient zero.
    pub fn new(shape: Shape, seed: u64) -> Self {
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        let rng = &mut rng;
        let equal = Scalar::random(&mut *rng);
        let mut value = |values: Values| match values {
            Values::Random => Scalar::random(&mut *rng),
            Values::Zeros => Scalar::ZERO,
            Values::Ones => Scalar::ONE,
            Values::MinusOnes => -Scalar::ONE,
            Values::Equal => equal,
            Values::Short => Scalar::from(rng.next_u64() >> 40),
            Values::Mixed => match rng.next_u32() % 4 {
                0 => Scalar::ZERO,
                1 => Scalar::ONE,
                2 => Scalar::from(u64::from(rng.next_u32())),
                _ => Scalar::random(&mut *rng),
            },
        };
        let mut inputs = vec![Scalar::ONE];
        inputs.resize_with(shape.inputs, || value(shape.values));
        let aux = (0..shape.aux).map(|_| value(shape.values)).collect();
        let name = format!("{shape:?}, seed {seed}");
        let mut sample = Self { name, inputs, aux, rows: Vec::new() };
        for row in 0..shape.constraints {
            let a = sample.terms(rng);
            let b = if shape.empty_b { Vec::new() } else { sample.terms(rng) };
            // Whatever the row lacks, the constant brings; each other variable occurs somewhere.
            let mut c: Terms = (row..shape.aux)
                .step_by(shape.constraints)
                .map(|aux| (shape.inputs + aux, coefficient(rng)))
                .collect();
            let rest = sample.evaluate(&a) * sample.evaluate(&b) - sample.evaluate(&c);
            c.push((0, rest));
            sample.rows.push([a, b, c]);
        }
        sample
    }

    fn terms(&self, rng: &mut ChaCha20Rng) -> Terms {
        let variables = self.inputs.len() + self.aux.len();
        let mut terms = Terms::new();
        for _ in 0..rng.next_u32() % 5 {
            let variable = rng.next_u32() as usize % variables;
            terms.push((variable, coefficient(rng)));
            if rng.next_u32().is_multiple_of(4) {
                terms.push((variable, coefficient(rng)));
            }
            if rng.next_u32().is_multiple_of(4) {
                terms.push((rng.next_u32() as usize % variables, Scalar::ZERO));
            }
        }
        terms
    }

    pub fn value(&self, variable: usize) -> Scalar {
        if variable < self.inputs.len() {
            self.inputs[variable]
        } else {
            self.aux[variable - self.inputs.len()]
        }
    }

    pub fn evaluate(&self, terms: &Terms) -> Scalar {
        terms.iter().map(|(variable, coefficient)| self.value(*variable) * coefficient).sum()
    }

    /// A key from groth16's generator.
    pub fn params(&self) -> groth16::Parameters<Bls12> {
        let mut rng = ChaCha20Rng::seed_from_u64(77);
        groth16::generate_random_parameters(self, &mut rng)
            .unwrap_or_else(|e| panic!("{}: {e}", self.name))
    }

    pub fn assignment(&self) -> Assignment {
        Assignment::synthesize(self).expect("synthesis")
    }

    /// The crate's file format, written by hand.
    pub fn r1cs_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let number = |bytes: &mut Vec<u8>, n: usize| {
            bytes.extend(u32::try_from(n).expect("small").to_le_bytes());
        };
        for count in [self.inputs.len(), self.aux.len(), self.rows.len()] {
            number(&mut bytes, count);
        }
        for terms in self.rows.iter().flatten() {
            number(&mut bytes, terms.len());
            for (variable, coefficient) in terms {
                number(&mut bytes, *variable);
                bytes.extend(coefficient.to_bytes());
            }
        }
        bytes
    }

    pub fn r1cs(&self) -> R1cs {
        R1cs::read(self.r1cs_bytes().as_slice()).expect("a constraint system")
    }
}

fn coefficient(rng: &mut ChaCha20Rng) -> Scalar {
    match rng.next_u32() % 3 {
        0 => Scalar::ONE,
        1 => Scalar::from(u64::from(rng.next_u32() | 1)),
        _ => Scalar::random(rng),
    }
}

impl Circuit<Scalar> for &Sample {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let mut variables = vec![CS::one()];
        for value in &self.inputs[1..] {
            variables.push(cs.alloc_input(|| "input", || Ok(*value))?);
        }
        for value in &self.aux {
            variables.push(cs.alloc(|| "aux", || Ok(*value))?);
        }
        for [a, b, c] in &self.rows {
            let lc = |terms: &Terms| {
                let zero = bellman::LinearCombination::zero();
                terms.iter().fold(zero, |lc, (v, coefficient)| lc + (*coefficient, variables[*v]))
            };
            cs.enforce(|| "row", |_| lc(a), |_| lc(b), |_| lc(c));
        }
        Ok(())
    }
}

/// A variable that no circuit has allocated.
pub struct Foreign;

impl Circuit<Scalar> for Foreign {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let foreign = Variable::new_unchecked(Index::Aux(5));
        cs.enforce(|| "foreign", |lc| lc + foreign, |lc| lc, |lc| lc);
        Ok(())
    }
}

/// The odd shapes: numbers of constraints (c), inputs with the constant (i), other variables (v).
fn shapes() -> Vec<Shape> {
    let shape = |(constraints, inputs, aux)| Shape {
        constraints,
        inputs,
        aux,
        values: Values::Random,
        empty_b: false,
    };
    // No constraints; inputs only; aux only; more inputs than constraints; few of everything.
    let small = [
        (0, 1, 0),
        (0, 2, 0),
        (0, 3, 0),
        (0, 9, 0),
        (1, 1, 0),
        (1, 1, 1),
        (1, 2, 1),
        (2, 1, 1),
        (2, 1, 3),
        (2, 2, 2),
        (3, 1, 2),
        (3, 2, 5),
        (3, 5, 0),
        (5, 4, 0),
        (1, 7, 2),
        (2, 17, 1),
        (3, 33, 40),
        (7, 1, 200),
    ];
    let mut shapes: Vec<Shape> = small.into_iter().map(shape).collect();
    // Rows, with the inputs' own, on either side of a power of two.
    for log2 in 2..=8 {
        for rows in [(1 << log2) - 1, 1 << log2, (1 << log2) + 1] {
            let inputs = 1 + log2 % 3;
            let constraints = rows - inputs;
            // Without a constraint a variable could not occur.
            let aux = if constraints == 0 { 0 } else { rows / 2 + 1 };
            shapes.push(shape((constraints, inputs, aux)));
        }
    }
    for values in VALUES {
        for (constraints, inputs, aux) in [(30, 2, 50), (64, 3, 64)] {
            shapes.push(Shape { constraints, inputs, aux, values, empty_b: false });
        }
    }
    for (constraints, inputs, aux) in
        [(1, 1, 0), (1, 1, 1), (2, 3, 1), (4, 1, 9), (15, 1, 31), (20, 2, 7), (63, 2, 100)]
    {
        shapes.push(Shape { constraints, inputs, aux, values: Values::Mixed, empty_b: true });
    }
    shapes
}

/// Sixty samples.
pub fn samples() -> Vec<Sample> {
    let samples: Vec<Sample> =
        shapes().into_iter().zip(1..).map(|(shape, seed)| Sample::new(shape, seed)).collect();
    assert_eq!(samples.len(), 60);
    samples
}

/// One of middling size, where any will do.
pub fn sample() -> Sample {
    let (constraints, inputs, aux) = (20, 3, 25);
    Sample::new(Shape { constraints, inputs, aux, values: Values::Mixed, empty_b: false }, 2026)
}
