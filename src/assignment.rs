//! The prover's input: a circuit's evaluations for one witness.
//!
//! A constraint says ⟨A, z⟩ · ⟨B, z⟩ = ⟨C, z⟩ for the variables z, inputs first. An assignment
//! holds the three products of every row, the variables, and which variables occur in A and B, for
//! a key holds points for those alone. As in bellman the circuit's rows are followed by one row
//! x · 0 = 0 for each input x, which keeps the inputs' polynomials independent.

use bls12_381::Scalar;
use rayon::prelude::*;

use crate::density::DensityMap;
use crate::key::MAX_DOMAIN_LOG2;
use crate::{Error, Result};

#[cfg(feature = "bellman")]
mod synthesis;

/// Bytes of a scalar's canonical encoding.
pub const SCALAR_BYTES: usize = 32;

/// The rows' products with the variables: as many of each as there are rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evaluations {
    /// ⟨A, z⟩ of each row.
    pub a: Vec<Scalar>,
    /// ⟨B, z⟩ of each row.
    pub b: Vec<Scalar>,
    /// ⟨C, z⟩ of each row. Proofs do not need it; with it an unsatisfied row can be named.
    pub c: Option<Vec<Scalar>>,
}

/// Which variables have a point in the key's queries. All inputs have one in a.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Densities {
    /// The variables, inputs left out, that occur in A.
    pub a_aux: DensityMap,
    /// The inputs that occur in B.
    pub b_inputs: DensityMap,
    /// The other variables that occur in B.
    pub b_aux: DensityMap,
}

/// A circuit's evaluations for one witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    evaluations: Evaluations,
    inputs: Vec<Scalar>,
    aux: Vec<Scalar>,
    densities: Densities,
    domain_log2: u32,
}

impl Assignment {
    /// An assignment out of its parts, after a check of their lengths against each other.
    ///
    /// The rows include the inputs' own, which come last. The first input is the constant 1.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] names the part of the wrong length, [`Error::NoConstantOne`] says that
    /// the first input is not 1, [`Error::TooMany`] that the rows exceed the largest domain.
    pub fn new(
        evaluations: Evaluations,
        inputs: Vec<Scalar>,
        aux: Vec<Scalar>,
        densities: Densities,
    ) -> Result<Self> {
        if inputs.first() != Some(&Scalar::one()) {
            return Err(Error::NoConstantOne);
        }
        let rows = evaluations.a.len();
        let c = evaluations.c.as_ref().map_or(rows, Vec::len);
        length("b", evaluations.b.len(), rows)?;
        length("c", c, rows)?;
        length("density of a over aux", densities.a_aux.len(), aux.len())?;
        length("density of b over inputs", densities.b_inputs.len(), inputs.len())?;
        length("density of b over aux", densities.b_aux.len(), aux.len())?;
        if rows < inputs.len() {
            // The inputs' own rows are missing.
            length("a", rows, inputs.len())?;
        }
        let limit = 1 << MAX_DOMAIN_LOG2;
        if rows > limit {
            return Err(Error::TooMany { what: "constraints", got: rows, limit });
        }
        let domain_log2 = rows.next_power_of_two().trailing_zeros();
        Ok(Self { evaluations, inputs, aux, densities, domain_log2 })
    }

    /// ⟨A, z⟩ of each row.
    pub fn a(&self) -> &[Scalar] {
        &self.evaluations.a
    }

    /// ⟨B, z⟩ of each row.
    pub fn b(&self) -> &[Scalar] {
        &self.evaluations.b
    }

    /// ⟨C, z⟩ of each row, if it was given.
    pub fn c(&self) -> Option<&[Scalar]> {
        self.evaluations.c.as_deref()
    }

    /// The inputs, the constant 1 first.
    pub fn inputs(&self) -> &[Scalar] {
        &self.inputs
    }

    /// What a verifier is given: the inputs without the constant.
    pub fn public_inputs(&self) -> &[Scalar] {
        self.inputs.get(1..).unwrap_or_default()
    }

    /// The other variables.
    pub fn aux(&self) -> &[Scalar] {
        &self.aux
    }

    /// Which variables have points in the key.
    pub fn densities(&self) -> &Densities {
        &self.densities
    }

    /// The size of the domain: the least power of two that holds every row.
    pub fn domain(&self) -> usize {
        1 << self.domain_log2
    }

    /// The power of two that the domain is.
    pub fn domain_log2(&self) -> u32 {
        self.domain_log2
    }

    /// The first row with a · b ≠ c; `None` if all hold or c was not given.
    pub fn first_unsatisfied(&self) -> Option<usize> {
        let c = self.c()?;
        (self.a().par_iter()).zip(self.b()).zip(c).position_first(|((a, b), c)| a * b != *c)
    }
}

fn length(what: &'static str, got: usize, expected: usize) -> Result<()> {
    if got == expected {
        return Ok(());
    }
    Err(Error::Length { operation: "assignment", what, got, expected })
}

/// Scalars from their canonical encodings, 32 bytes each, little-endian.
///
/// # Errors
///
/// [`Error::ScalarNotCanonical`] with `what` and the index of a scalar that is not below r;
/// [`Error::Length`] if the bytes are no whole number of scalars.
pub fn scalars_from_bytes(what: &'static str, bytes: &[u8]) -> Result<Vec<Scalar>> {
    let (chunks, rest) = bytes.as_chunks::<SCALAR_BYTES>();
    if !rest.is_empty() {
        let expected = chunks.len() * SCALAR_BYTES;
        return Err(Error::Length { operation: "scalars", what, got: bytes.len(), expected });
    }
    let scalar = |(element, bytes): (usize, &[u8; SCALAR_BYTES])| {
        Option::<Scalar>::from(Scalar::from_bytes(bytes))
            .ok_or(Error::ScalarNotCanonical { what, element })
    };
    // The first bad one in order, whichever thread meets its own first.
    match chunks.par_iter().enumerate().map(scalar).collect::<Result<Vec<_>>>() {
        Ok(scalars) => Ok(scalars),
        Err(any) => Err(chunks.iter().enumerate().find_map(|s| scalar(s).err()).unwrap_or(any)),
    }
}
