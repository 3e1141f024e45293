//! Synthetic circuits: constraint systems of a given shape that their own witness satisfies.
//!
//! A prover's cost depends on how many rows, variables and points there are and on how many scalars
//! are 0 or 1, not on what a circuit means. A [`Shape`] says those numbers, a [`Synthetic`] is such
//! a system with its witness, for measurements and tests of any size: rows are formulas of their
//! number, so nothing but the witness and the evaluations is ever held.
//!
//! **Rows.** Every aux variable z is the output of exactly one row; rows beyond those repeat them.
//!
//! | z is | row |
//! |---|---|
//! | 0 or 1, where z = x ∧ y | x · y = z |
//! | 0 or 1, where z = x ⊕ y | (2x) · y = x + y − z |
//! | uniform | x · y = z + k, with a constant k of the row |
//!
//! x is a variable that A may hold, of z's own kind, so that x = y = 0 never meets z = 1; y is one
//! that B may hold. No row contains its output in A or B, so a witness with one output changed
//! violates that output's row. The constant k lets every variable have a value of its own, occur in
//! A and in B, and be computed without the others; `docs/adr/synthetic-rows.md` compares it with
//! products alone.
//!
//! **Values.** The variables are put into an order by a step that is coprime to their number; its
//! first part are the zeros, then come the ones, then the uniform ones, whose values are hashes of
//! the seed and their place. Rows take x and y by rotating through those variables of a kind that A
//! or B may hold, so all of them occur, equally often.

use std::fmt;

use bls12_381::Scalar;
use ff::Field;
use rayon::prelude::*;

use crate::assignment::{Assignment, Densities, Evaluations};
use crate::density::DensityMap;
use crate::key::MAX_DOMAIN_LOG2;
use crate::setup::{Column, Columns};
use crate::{Error, Result, parallel};

mod order;
mod rotation;
mod rows;
#[cfg(test)]
mod tests;

use order::Order;
use rows::Rows;

/// The constraints of one partition of Filecoin's 32 GiB proof of replication, whose domain is
/// 2^27.
const POREP_CONSTRAINTS: usize = 130_278_869;
const POREP_LOG2: u32 = 27;

/// What does not fit where memory is short.
const MEMORY: &str = "witness and evaluations";

/// Public inputs of the ready-made shapes, with the constant, where the domain has room.
const INPUTS: usize = 16;

/// How large a synthetic circuit is, and what its witness is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// The domain is 2 to this power: the least that holds constraints and inputs.
    pub log2n: u32,
    /// Constraints, without the inputs' own rows; at least `aux`.
    pub constraints: usize,
    /// Public inputs, with the constant 1.
    pub inputs: usize,
    /// The other variables.
    pub aux: usize,
    /// The share of the aux variables that occur in A, from 0 to 1.
    pub a_density: f64,
    /// The share of the aux variables, and of the inputs, that occur in B.
    pub b_density: f64,
    /// The share of the aux variables that are 0.
    pub zeros: f64,
    /// The share of the aux variables that are 1; what is neither is uniform.
    pub ones: f64,
}

impl Shape {
    /// A circuit like one partition of Filecoin's proof of replication, scaled to a domain of
    /// 2^`log2n`: 130,278,869 / 2^(27 − `log2n`) constraints and as many variables, of which 48.5 %
    /// are 0 and 48.5 % are 1; A holds 99.7 % of them, B 25.4 %.
    pub fn porep(log2n: u32) -> Self {
        let constraints = match log2n {
            0..=POREP_LOG2 => POREP_CONSTRAINTS >> (POREP_LOG2 - log2n),
            _ => POREP_CONSTRAINTS.checked_shl(log2n - POREP_LOG2).unwrap_or(usize::MAX),
        };
        let domain = 1_usize.checked_shl(log2n).unwrap_or(usize::MAX);
        let inputs = INPUTS.min(domain.saturating_sub(constraints)).max(1);
        Self {
            log2n,
            constraints,
            inputs,
            aux: constraints,
            a_density: 0.997,
            b_density: 0.254,
            zeros: 0.485,
            ones: 0.485,
        }
    }

    /// As many constraints and variables as a domain of 2^`log2n` holds, all of them uniform and in
    /// every query.
    pub fn dense(log2n: u32) -> Self {
        let domain = 1_usize.checked_shl(log2n).unwrap_or(usize::MAX);
        let inputs = INPUTS.min(domain / 2).max(1);
        let constraints = domain.saturating_sub(inputs);
        Self {
            log2n,
            constraints,
            inputs,
            aux: constraints,
            a_density: 1.0,
            b_density: 1.0,
            zeros: 0.0,
            ones: 0.0,
        }
    }

    /// The circuit of this shape that `seed` chooses.
    ///
    /// # Errors
    ///
    /// [`Error::BadShape`] says which of the numbers cannot be had, or contradict each other.
    pub fn synthetic(self, seed: u64) -> Result<Synthetic> {
        self.check()?;
        let order = Order::new(self.aux, seed);
        let rows = Rows::new(&self, order, seed);
        Ok(Synthetic { shape: self, rows })
    }

    fn check(&self) -> Result<()> {
        let shares = [self.a_density, self.b_density, self.zeros, self.ones];
        let rows = self.constraints.saturating_add(self.inputs);
        let variables = self.aux.saturating_add(self.inputs);
        let share = |x: &f64| (0.0..=1.0).contains(x);
        let rules = [
            (self.log2n <= MAX_DOMAIN_LOG2, "the domain is larger than 2^31"),
            (self.inputs >= 1, "the constant is an input: there is at least one"),
            (self.constraints >= self.aux, "each aux variable needs a constraint of its own"),
            (rows <= 1 << MAX_DOMAIN_LOG2, "there are more rows than the largest domain holds"),
            (
                rows.checked_next_power_of_two() == 1_usize.checked_shl(self.log2n),
                "log2n is not that of the least domain that holds constraints and inputs",
            ),
            (variables <= DensityMap::MAX_LEN, "there are more variables than can be numbered"),
            (shares.iter().all(share), "densities, zeros and ones are shares from 0 to 1"),
            (self.zeros + self.ones <= 1.0 + 1e-9, "zeros and ones are more than all"),
        ];
        match rules.into_iter().find(|(holds, _)| !holds) {
            Some((_, what)) => Err(Error::BadShape { what }),
            None => Ok(()),
        }
    }
}

/// What a [`Synthetic`] really is: its shares as counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    /// The domain is 2 to this power.
    pub log2n: u32,
    /// Constraints, without the inputs' own rows.
    pub constraints: usize,
    /// Public inputs, with the constant.
    pub inputs: usize,
    /// The other variables.
    pub aux: usize,
    /// How many aux variables occur in A.
    pub a_aux: usize,
    /// How many aux variables occur in B.
    pub b_aux: usize,
    /// How many inputs occur in B.
    pub b_inputs: usize,
    /// How many aux variables are 0.
    pub zeros: usize,
    /// How many aux variables are 1.
    pub ones: usize,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |count: usize| 100.0 * count as f64 / (self.aux as f64).max(1.0);
        write!(
            f,
            "2^{}: {} constraints, {} inputs, {} aux ({:.2} % zeros, {:.2} % ones), \
             in A {:.2} %, in B {:.2} % and {} inputs",
            self.log2n,
            self.constraints,
            self.inputs,
            self.aux,
            share(self.zeros),
            share(self.ones),
            share(self.a_aux),
            share(self.b_aux),
            self.b_inputs,
        )
    }
}

/// A synthetic constraint system and its witness; see the [module](self).
#[derive(Clone, Debug)]
pub struct Synthetic {
    shape: Shape,
    rows: Rows,
}

impl Synthetic {
    /// The shape that was asked for.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The figures of what was made: shares of small circuits cannot be met exactly.
    pub fn figures(&self) -> Figures {
        let rows = &self.rows;
        Figures {
            log2n: self.shape.log2n,
            constraints: self.shape.constraints,
            inputs: self.shape.inputs,
            aux: self.shape.aux,
            a_aux: rows.a_count(),
            b_aux: rows.b_count(),
            b_inputs: (0..self.shape.inputs).filter(|i| rows.input_in_b(*i)).count(),
            zeros: rows.zeros(),
            ones: rows.ones(),
        }
    }

    /// The inputs of the satisfying witness, the constant 1 first.
    pub fn input_values(&self) -> Vec<Scalar> {
        (0..self.shape.inputs).map(|i| self.rows.input(i)).collect()
    }

    /// The other variables of the satisfying witness.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`].
    pub fn aux_values(&self) -> Result<Vec<Scalar>> {
        parallel::collect(MEMORY, (0..self.shape.aux).into_par_iter().map(|i| self.rows.aux(i)))
    }

    /// Which variables have points in a key for this system.
    ///
    /// # Errors
    ///
    /// None for a shape that was checked; the type is that of [`DensityMap`]'s.
    pub fn densities(&self) -> Result<Densities> {
        let map = |len: usize, holds: &(dyn Fn(usize) -> bool + Sync)| {
            let word = |word: usize| {
                let bits = (32 * word..len.min(32 * word + 32)).enumerate();
                bits.fold(0, |all, (bit, i)| all | u32::from(holds(i)) << bit)
            };
            let words = (0..len.div_ceil(32)).into_par_iter().map(word).collect();
            DensityMap::from_words(words, len)
        };
        Ok(Densities {
            a_aux: map(self.shape.aux, &|i| self.rows.aux_in_a(i))?,
            b_inputs: map(self.shape.inputs, &|i| self.rows.input_in_b(i))?,
            b_aux: map(self.shape.aux, &|i| self.rows.aux_in_b(i))?,
        })
    }

    /// The satisfying witness with its evaluations, c among them.
    ///
    /// # Errors
    ///
    /// As [`assign`](Self::assign).
    pub fn assignment(&self) -> Result<Assignment> {
        self.assign(self.input_values(), self.aux_values()?)
    }

    /// Evaluates every row for a witness, in parallel. Whether the rows hold is not asked here.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if the witness has other lengths than the system,
    /// [`Error::NoConstantOne`] if the first input is not 1, [`Error::OutOfMemory`].
    pub fn assign(&self, inputs: Vec<Scalar>, aux: Vec<Scalar>) -> Result<Assignment> {
        self.evaluate(inputs, aux, true)
    }

    /// As [`assign`](Self::assign), without c, which no proof needs: a quarter less memory, but an
    /// unsatisfied row cannot be named.
    ///
    /// # Errors
    ///
    /// As [`assign`](Self::assign).
    pub fn assign_without_c(&self, inputs: Vec<Scalar>, aux: Vec<Scalar>) -> Result<Assignment> {
        self.evaluate(inputs, aux, false)
    }

    fn evaluate(&self, inputs: Vec<Scalar>, aux: Vec<Scalar>, with_c: bool) -> Result<Assignment> {
        for (what, got, expected) in
            [("inputs", inputs.len(), self.shape.inputs), ("aux", aux.len(), self.shape.aux)]
        {
            if got != expected {
                return Err(Error::Length { operation: "witness", what, got, expected });
            }
        }
        let constraints = self.shape.constraints;
        let side = |evaluate: fn(&Rows, usize, &[Scalar], &[Scalar]) -> Scalar, is_a: bool| {
            let value = |row: usize| match row.checked_sub(constraints) {
                None => evaluate(&self.rows, row, &inputs, &aux),
                Some(input) if is_a => inputs[input],
                Some(_) => Scalar::ZERO,
            };
            let all = (0..constraints + inputs.len()).into_par_iter();
            parallel::collect(MEMORY, all.map(value))
        };
        let a = side(Rows::evaluate_a, true)?;
        let b = side(Rows::evaluate_b, false)?;
        let c = with_c.then(|| side(Rows::evaluate_c, false)).transpose()?;
        Assignment::new(Evaluations { a, b, c }, inputs, aux, self.densities()?)
    }
}

impl Columns for Synthetic {
    fn inputs(&self) -> usize {
        self.shape.inputs
    }

    fn aux(&self) -> usize {
        self.shape.aux
    }

    fn constraints(&self) -> usize {
        self.shape.constraints
    }

    fn column(&self, variable: usize, weights: &[Scalar]) -> Column {
        match variable.checked_sub(self.shape.inputs) {
            Some(aux) => self.rows.aux_column(aux, weights),
            None => self.rows.input_column(variable, weights),
        }
    }
}
