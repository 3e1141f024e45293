//! Rank-one constraint systems as data, and assignments from them and a witness.
//!
//! The crate's plain file format, all numbers little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 3 × 4 | the counts of inputs (with the constant), of other variables, of constraints |
//! | then for each constraint, for each of A, B, C: 4 | the count of its terms |
//! | then for each term: 4 + 32 | the variable, inputs first; the coefficient, canonical |
//!
//! Terms stand as a circuit wrote them: coefficients may be zero and variables may repeat. The
//! inputs' own rows (see [`crate::assignment`]) are not in the file.

use std::io::{BufReader, ErrorKind, Read};

use bls12_381::Scalar;
use ff::Field;
use rayon::prelude::*;

use crate::assignment::{Assignment, Densities, Evaluations, SCALAR_BYTES};
use crate::density::DensityMap;
use crate::{Error, Result, parallel};

mod columns;
#[cfg(feature = "bellman")]
mod synthesis;

pub use columns::R1csColumns;

/// The reader's buffer; files are megabytes to gigabytes and terms are 36 bytes.
const BUFFER_BYTES: usize = 1 << 20;

/// One matrix: each row's terms one behind the other.
#[derive(Clone, Debug, Default)]
struct Matrix {
    /// Where each row's terms end.
    ends: Vec<usize>,
    terms: Vec<(u32, Scalar)>,
}

impl Matrix {
    fn row(&self, row: usize) -> &[(u32, Scalar)] {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.terms[start..self.ends[row]]
    }

    /// ⟨row, z⟩; every variable is within z.
    fn evaluate(&self, row: usize, inputs: &[Scalar], aux: &[Scalar]) -> Scalar {
        let value = |variable: u32| {
            let variable = variable as usize;
            variable.checked_sub(inputs.len()).map_or_else(|| inputs[variable], |i| aux[i])
        };
        self.row(row).iter().map(|(variable, coefficient)| value(*variable) * coefficient).sum()
    }

    /// Which of the variables `first..first + count` have a term that is not zero.
    fn density(&self, first: usize, count: usize) -> Result<DensityMap> {
        const BITS: usize = u32::BITS as usize;
        let mut words = parallel::with_room("densities", count.div_ceil(BITS))?;
        words.resize(count.div_ceil(BITS), 0_u32);
        for (variable, coefficient) in &self.terms {
            let bit = (*variable as usize).checked_sub(first).filter(|bit| *bit < count);
            if let (Some(bit), false) = (bit, coefficient.is_zero_vartime()) {
                words[bit / BITS] |= 1 << (bit % BITS);
            }
        }
        DensityMap::from_words(words, count)
    }
}

/// A constraint system: rows ⟨A, z⟩ · ⟨B, z⟩ = ⟨C, z⟩ over the variables z, inputs first.
#[derive(Clone, Debug)]
pub struct R1cs {
    inputs: usize,
    aux: usize,
    constraints: usize,
    a: Matrix,
    b: Matrix,
    c: Matrix,
    densities: Densities,
}

impl R1cs {
    /// Reads the format that this module describes, to its end.
    ///
    /// # Errors
    ///
    /// [`Error::BadR1cs`] names the constraint and what is wrong with it;
    /// [`Error::ScalarNotCanonical`] the term, counted through the file, whose coefficient is not
    /// below r; [`Error::Io`] passes the reader's error on.
    pub fn read(reader: impl Read) -> Result<Self> {
        let mut source = Source {
            reader: BufReader::with_capacity(BUFFER_BYTES, reader),
            constraint: None,
            terms: 0,
        };
        let inputs = source.u32()? as usize;
        let aux = source.u32()? as usize;
        let constraints = source.u32()? as usize;
        if inputs == 0 {
            return Err(source.fault("there is no input for the constant"));
        }
        let variables = inputs as u64 + aux as u64;
        let [mut a, mut b, mut c] = [(); 3].map(|()| Matrix::default());
        for constraint in 0..constraints {
            source.constraint = Some(constraint);
            for matrix in [&mut a, &mut b, &mut c] {
                source.row(variables, matrix)?;
            }
        }
        source.end()?;
        Self::new(inputs, aux, [a, b, c])
    }

    /// A system of matrices that have equally many rows and name existing variables.
    fn new(inputs: usize, aux: usize, [a, b, c]: [Matrix; 3]) -> Result<Self> {
        let densities = Densities {
            a_aux: a.density(inputs, aux)?,
            b_inputs: b.density(0, inputs)?,
            b_aux: b.density(inputs, aux)?,
        };
        Ok(Self { inputs, aux, constraints: a.ends.len(), a, b, c, densities })
    }

    /// The system by columns, for [`setup`](crate::setup): takes 40 bytes a term and 24 a variable.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`].
    pub fn columns(&self) -> Result<R1csColumns> {
        R1csColumns::new(self)
    }

    /// How many inputs there are, with the constant.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// How many other variables there are.
    pub fn aux(&self) -> usize {
        self.aux
    }

    /// How many constraints there are, without the inputs' own.
    pub fn constraints(&self) -> usize {
        self.constraints
    }

    /// Which variables have points in a key for this system.
    pub fn densities(&self) -> &Densities {
        &self.densities
    }

    /// Evaluates every row for a witness, in parallel. Whether the rows hold is not asked here.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if the witness has other lengths than the system,
    /// [`Error::NoConstantOne`] if the first input is not 1.
    pub fn assign(&self, inputs: Vec<Scalar>, aux: Vec<Scalar>) -> Result<Assignment> {
        self.check_lengths(&inputs, &aux)?;
        let evaluate = |matrix: &Matrix| {
            let row = |row| matrix.evaluate(row, &inputs, &aux);
            (0..self.constraints).into_par_iter().map(row).collect::<Vec<Scalar>>()
        };
        let [mut a, mut b, mut c] = [&self.a, &self.b, &self.c].map(evaluate);
        let rows = self.constraints + self.inputs;
        a.extend_from_slice(&inputs);
        b.resize(rows, Scalar::ZERO);
        c.resize(rows, Scalar::ZERO);
        let evaluations = Evaluations { a, b, c: Some(c) };
        Assignment::new(evaluations, inputs, aux, self.densities.clone())
    }

    /// The first constraint that the witness does not satisfy.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if the witness has other lengths than the system.
    pub fn first_unsatisfied(&self, inputs: &[Scalar], aux: &[Scalar]) -> Result<Option<usize>> {
        self.check_lengths(inputs, aux)?;
        Ok((0..self.constraints).into_par_iter().find_first(|&row| {
            let [a, b, c] =
                [&self.a, &self.b, &self.c].map(|matrix| matrix.evaluate(row, inputs, aux));
            a * b != c
        }))
    }

    fn check_lengths(&self, inputs: &[Scalar], aux: &[Scalar]) -> Result<()> {
        let operation = "witness";
        for (what, got, expected) in
            [("inputs", inputs.len(), self.inputs), ("aux", aux.len(), self.aux)]
        {
            if got != expected {
                return Err(Error::Length { operation, what, got, expected });
            }
        }
        Ok(())
    }
}

/// A reader that knows where it is, for errors.
struct Source<R> {
    reader: R,
    constraint: Option<usize>,
    terms: usize,
}

impl<R: Read> Source<R> {
    fn fault(&self, fault: &'static str) -> Error {
        Error::BadR1cs { constraint: self.constraint, fault }
    }

    fn exact(&mut self, bytes: &mut [u8]) -> Result<()> {
        self.reader.read_exact(bytes).map_err(|source| match source.kind() {
            ErrorKind::UnexpectedEof => self.fault("the file ends too early"),
            _ => Error::Io { what: "constraint system", source },
        })
    }

    fn u32(&mut self) -> Result<u32> {
        let mut bytes = [0; 4];
        self.exact(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn row(&mut self, variables: u64, matrix: &mut Matrix) -> Result<()> {
        for _ in 0..self.u32()? {
            let variable = self.u32()?;
            if u64::from(variable) >= variables {
                return Err(self.fault("a term's variable does not exist"));
            }
            let mut bytes = [0; SCALAR_BYTES];
            self.exact(&mut bytes)?;
            let (what, element) = ("coefficients", self.terms);
            let coefficient = Option::<Scalar>::from(Scalar::from_bytes(&bytes))
                .ok_or(Error::ScalarNotCanonical { what, element })?;
            matrix.terms.push((variable, coefficient));
            self.terms += 1;
        }
        matrix.ends.push(matrix.terms.len());
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        self.constraint = None;
        match self.reader.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err(self.fault("bytes follow the last constraint")),
            Err(source) => Err(Error::Io { what: "constraint system", source }),
        }
    }
}
