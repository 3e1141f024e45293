//! The constraint system of a bellman circuit.

use bellman::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use bls12_381::Scalar;

use super::{Matrix, R1cs};
use crate::{Error, Result};

impl R1cs {
    /// Runs the circuit and keeps its constraints. Values are not asked for: a circuit without a
    /// witness will do.
    ///
    /// # Errors
    ///
    /// [`Error::Synthesis`] passes the circuit's error on. A term with a variable that was not
    /// allocated is `Unsatisfiable`. [`Error::TooMany`] beyond 2^32 variables or constraints.
    pub fn synthesize<C: Circuit<Scalar>>(circuit: C) -> Result<Self> {
        let mut system = System { inputs: 1, ..System::default() };
        circuit.synthesize(&mut system)?;
        let limit = u32::MAX as usize;
        let variables = system.inputs.saturating_add(system.aux);
        for (what, got) in [("variables", variables), ("constraints", system.rows[0].len())] {
            if got > limit {
                return Err(Error::TooMany { what, got, limit });
            }
        }
        let [a, b, c] = system.rows.map(|rows| flat(&rows, system.inputs, system.aux));
        Self::new(system.inputs, system.aux, [a?, b?, c?])
    }
}

/// A matrix with the variables numbered as in [`R1cs`], once it is known how many inputs there are.
fn flat(rows: &[LinearCombination<Scalar>], inputs: usize, aux: usize) -> Result<Matrix> {
    let mut matrix = Matrix::default();
    for row in rows {
        for (variable, coefficient) in row.as_ref() {
            let number = match variable.get_unchecked() {
                Index::Input(i) if i < inputs => i,
                Index::Aux(i) if i < aux => inputs + i,
                _ => return Err(SynthesisError::Unsatisfiable.into()),
            };
            matrix.terms.push((number as u32, *coefficient));
        }
        matrix.ends.push(matrix.terms.len());
    }
    Ok(matrix)
}

/// Constraints as the circuit writes them.
#[derive(Default)]
struct System {
    inputs: usize,
    aux: usize,
    /// The rows of A, B and C.
    rows: [Vec<LinearCombination<Scalar>>; 3],
}

impl ConstraintSystem<Scalar> for System {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.aux += 1;
        Ok(Variable::new_unchecked(Index::Aux(self.aux - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.inputs += 1;
        Ok(Variable::new_unchecked(Index::Input(self.inputs - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        let zero = LinearCombination::zero;
        for (rows, row) in self.rows.iter_mut().zip([a(zero()), b(zero()), c(zero())]) {
            rows.push(row);
        }
    }

    fn push_namespace<NR, N>(&mut self, _: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self::Root {
        self
    }
}
