//! A constraint system by columns.

use bls12_381::Scalar;

use super::{Matrix, R1cs};
use crate::setup::{Column, Columns};
use crate::{Result, parallel};

/// One matrix: each variable's terms one behind the other.
#[derive(Clone, Debug)]
struct Transposed {
    /// Where each variable's terms end.
    ends: Vec<usize>,
    /// Row and coefficient.
    terms: Vec<(u32, Scalar)>,
}

impl Transposed {
    /// Sorts a matrix's terms by variable; within one the rows ascend.
    fn new(matrix: &Matrix, variables: usize) -> Result<Self> {
        let mut ends = parallel::with_room("columns", variables)?;
        ends.resize(variables, 0);
        for (variable, _) in &matrix.terms {
            ends[*variable as usize] += 1;
        }
        let mut total = 0;
        for end in &mut ends {
            // Where the variable's terms start; each term moves it on, to where they end.
            (*end, total) = (total, total + *end);
        }
        let mut terms = parallel::with_room("columns", total)?;
        terms.resize(total, (0, Scalar::zero()));
        for row in 0..matrix.ends.len() {
            for (variable, coefficient) in matrix.row(row) {
                let next = &mut ends[*variable as usize];
                terms[*next] = (row as u32, *coefficient);
                *next += 1;
            }
        }
        Ok(Self { ends, terms })
    }

    fn evaluate(&self, variable: usize, weights: &[Scalar]) -> Scalar {
        let start = variable.checked_sub(1).map_or(0, |before| self.ends[before]);
        let terms = &self.terms[start..self.ends[variable]];
        terms.iter().map(|(row, coefficient)| weights[*row as usize] * coefficient).sum()
    }
}

/// An [`R1cs`] by columns.
#[derive(Clone, Debug)]
pub struct R1csColumns {
    inputs: usize,
    aux: usize,
    constraints: usize,
    a: Transposed,
    b: Transposed,
    c: Transposed,
}

impl R1csColumns {
    pub(super) fn new(system: &R1cs) -> Result<Self> {
        let variables = system.inputs + system.aux;
        let [a, b, c] = [&system.a, &system.b, &system.c].map(|m| Transposed::new(m, variables));
        let (inputs, aux) = (system.inputs, system.aux);
        Ok(Self { inputs, aux, constraints: system.constraints, a: a?, b: b?, c: c? })
    }
}

impl Columns for R1csColumns {
    fn inputs(&self) -> usize {
        self.inputs
    }

    fn aux(&self) -> usize {
        self.aux
    }

    fn constraints(&self) -> usize {
        self.constraints
    }

    fn column(&self, variable: usize, weights: &[Scalar]) -> Column {
        let [a, b, c] = [&self.a, &self.b, &self.c].map(|m| m.evaluate(variable, weights));
        Column { a, b, c }
    }
}
