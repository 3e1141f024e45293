//! The rows of a synthetic circuit, and its columns.

use std::iter::once;

use bls12_381::Scalar;
use ff::Field;
use rayon::prelude::*;

use super::Shape;
use super::order::{Order, Part, scalar};
use super::rotation::Rotation;
use crate::setup::Column;

/// How a row binds its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// x · y = z + k, where only uniform outputs have a k other than 0.
    Product,
    /// (2x) · y = x + y − z.
    Xor,
}

/// What an aux variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Zero,
    One,
    Uniform,
}

/// One row; variables are given by their ranks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    kind: Kind,
    form: Form,
    z: usize,
    /// The constant 1 where there is none.
    x: Option<usize>,
    /// The constant 1 where there is none.
    y: Option<usize>,
    /// An input that B holds beside y.
    input: Option<usize>,
}

/// All rows: who is in which, by rank.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    seed: u64,
    order: Order,
    constraints: usize,
    aux: usize,
    zeros: usize,
    ones: usize,
    /// The inputs that uniform rows put into B: the first so many.
    b_inputs: usize,
    /// What zero, one and uniform rows take for x, each by the place among its own kind.
    a: [Rotation; 3],
    /// What bits' rows take for y, by rank, and what uniform rows do, by place.
    b_bits: Rotation,
    b_uniform: Rotation,
}

impl Rows {
    pub(super) fn new(shape: &Shape, order: Order, seed: u64) -> Self {
        let aux = shape.aux;
        let part = |share: f64, of: usize| ((share * of as f64).round() as usize).min(of);
        let zeros = part(shape.zeros, aux);
        let ones = part(shape.ones, aux).min(aux - zeros);
        let kinds = [zeros, ones, aux - zeros - ones];
        // The last kind that is there takes what rounding leaves over.
        let spread = |density: f64| {
            let mut left = part(density, aux);
            let mut counts = kinds.map(|count| {
                let share = part(density, count).min(left);
                left -= share;
                share
            });
            for (count, most) in counts.iter_mut().zip(kinds).rev() {
                let more = left.min(most - *count);
                *count += more;
                left -= more;
            }
            counts
        };
        let (a, b) = (spread(shape.a_density), spread(shape.b_density));
        let b_bits = Rotation::new(zeros + ones, b[0] + b[1], 1).with_jump(b[0], zeros - b[0]);
        Self {
            seed,
            order,
            constraints: shape.constraints,
            aux,
            zeros,
            ones,
            b_inputs: part(shape.b_density, shape.inputs).min(kinds[2]),
            a: [0, 1, 2].map(|kind| Rotation::new(kinds[kind], a[kind], 1)),
            b_bits,
            // Another shift than x's, so that y is not x.
            b_uniform: Rotation::new(kinds[2], b[2], 2),
        }
    }

    pub(super) fn zeros(&self) -> usize {
        self.zeros
    }

    pub(super) fn ones(&self) -> usize {
        self.ones
    }

    /// The kind of the variable of this rank, and the first rank of its kind.
    fn kind(&self, rank: usize) -> (Kind, usize) {
        match rank {
            _ if rank < self.zeros => (Kind::Zero, 0),
            _ if rank < self.zeros + self.ones => (Kind::One, self.zeros),
            _ => (Kind::Uniform, self.zeros + self.ones),
        }
    }

    /// What y is drawn from in rows of this kind, and the rank that its places count from.
    fn b(&self, kind: Kind) -> (&Rotation, usize) {
        match kind {
            Kind::Zero | Kind::One => (&self.b_bits, 0),
            Kind::Uniform => (&self.b_uniform, self.zeros + self.ones),
        }
    }

    // --- values ---

    /// The witness's value of an input.
    pub(super) fn input(&self, input: usize) -> Scalar {
        if input == 0 { Scalar::ONE } else { scalar(self.seed, Part::Input, input) }
    }

    /// The witness's value of an aux variable.
    pub(super) fn aux(&self, variable: usize) -> Scalar {
        self.value(self.order.rank(variable))
    }

    fn value(&self, rank: usize) -> Scalar {
        match self.kind(rank).0 {
            Kind::Zero => Scalar::ZERO,
            Kind::One => Scalar::ONE,
            Kind::Uniform => scalar(self.seed, Part::Aux, rank),
        }
    }

    // --- rows ---

    /// The row whose output has this rank.
    fn row(&self, z: usize) -> Row {
        let (kind, first) = self.kind(z);
        let x = self.a[kind as usize].pick(z - first).map(|place| first + place);
        let (b, b_first) = self.b(kind);
        let y = b.pick(z - b_first).map(|place| b_first + place);
        let is_one = |rank: Option<usize>| rank.is_none_or(|rank| self.kind(rank).0 == Kind::One);
        let product = is_one(x) && is_one(y);
        let form = match kind {
            Kind::Uniform => Form::Product,
            _ if product == (kind == Kind::One) => Form::Product,
            _ => Form::Xor,
        };
        let input = (kind == Kind::Uniform && z - first < self.b_inputs).then(|| z - first);
        Row { kind, form, z, x, y, input }
    }

    /// The row of this number; `None` in a system of constants alone.
    fn numbered(&self, row: usize) -> Option<Row> {
        Some(self.row(self.order.rank(row.checked_rem(self.aux)?)))
    }

    /// k of a uniform row, of the witness that belongs to the system.
    fn constant(&self, row: &Row) -> Scalar {
        let value = |rank: Option<usize>| rank.map_or(Scalar::ONE, |rank| self.value(rank));
        let y = value(row.y) + row.input.map_or(Scalar::ZERO, |input| self.input(input));
        value(row.x) * y - self.value(row.z)
    }

    /// The value of a row's x or y in any witness.
    fn factor(&self, rank: Option<usize>, inputs: &[Scalar], aux: &[Scalar]) -> Scalar {
        rank.map_or_else(|| inputs[0], |rank| aux[self.order.variable(rank)])
    }

    /// ⟨A, z⟩ of a row for any witness.
    pub(super) fn evaluate_a(&self, row: usize, inputs: &[Scalar], aux: &[Scalar]) -> Scalar {
        let Some(row) = self.numbered(row) else { return inputs[0] };
        let x = self.factor(row.x, inputs, aux);
        if row.form == Form::Xor { x.double() } else { x }
    }

    /// ⟨B, z⟩ of a row for any witness.
    pub(super) fn evaluate_b(&self, row: usize, inputs: &[Scalar], aux: &[Scalar]) -> Scalar {
        let Some(row) = self.numbered(row) else { return inputs[0] };
        let y = self.factor(row.y, inputs, aux);
        row.input.map_or(y, |input| y + inputs[input])
    }

    /// ⟨C, z⟩ of a row for any witness.
    pub(super) fn evaluate_c(&self, row: usize, inputs: &[Scalar], aux: &[Scalar]) -> Scalar {
        let Some(row) = self.numbered(row) else { return inputs[0] };
        let z = aux[self.order.variable(row.z)];
        match (row.form, row.kind) {
            (Form::Xor, _) => self.factor(row.x, inputs, aux) + self.factor(row.y, inputs, aux) - z,
            (Form::Product, Kind::Uniform) => z + self.constant(&row) * inputs[0],
            (Form::Product, _) => z,
        }
    }

    // --- densities ---

    pub(super) fn aux_in_a(&self, variable: usize) -> bool {
        let rank = self.order.rank(variable);
        let (kind, first) = self.kind(rank);
        self.a[kind as usize].takes(rank - first)
    }

    pub(super) fn aux_in_b(&self, variable: usize) -> bool {
        let rank = self.order.rank(variable);
        let (b, first) = self.b(self.kind(rank).0);
        b.takes(rank - first)
    }

    pub(super) fn input_in_b(&self, input: usize) -> bool {
        let constant = input == 0
            && (self.b_bits.misses()
                || self.b_uniform.misses()
                || (self.aux == 0 && self.constraints > 0));
        constant || input < self.b_inputs
    }

    pub(super) fn a_count(&self) -> usize {
        self.a.iter().map(Rotation::taken).sum()
    }

    pub(super) fn b_count(&self) -> usize {
        self.b_bits.taken() + self.b_uniform.taken()
    }

    // --- columns ---

    /// The sum of the weights of the rows whose output has this rank.
    fn weight(&self, z: usize, weights: &[Scalar]) -> Scalar {
        let first = self.order.variable(z);
        (first..self.constraints).step_by(self.aux).map(|row| weights[row]).sum()
    }

    /// The column of an aux variable.
    pub(super) fn aux_column(&self, variable: usize, weights: &[Scalar]) -> Column {
        let rank = self.order.rank(variable);
        let (kind, first) = self.kind(rank);
        let mut column = Column::default();
        let own = self.weight(rank, weights);
        match self.row(rank).form {
            Form::Product => column.c += own,
            Form::Xor => column.c -= own,
        }
        for row in self.a[kind as usize].rows_of(rank - first) {
            let weight = self.weight(first + row, weights);
            match self.row(first + row).form {
                Form::Product => column.a += weight,
                Form::Xor => {
                    column.a += weight.double();
                    column.c += weight;
                }
            }
        }
        let (b, b_first) = self.b(kind);
        for row in b.rows_of(rank - b_first) {
            let weight = self.weight(b_first + row, weights);
            column.b += weight;
            if self.row(b_first + row).form == Form::Xor {
                column.c += weight;
            }
        }
        column
    }

    /// The column of an input, without its own row.
    pub(super) fn input_column(&self, input: usize, weights: &[Scalar]) -> Column {
        let mut column = Column::default();
        if input < self.b_inputs {
            column.b += self.weight(self.zeros + self.ones + input, weights);
        }
        if input > 0 {
            return column;
        }
        if self.aux == 0 {
            let all: Scalar = weights[..self.constraints].par_iter().sum();
            return Column { a: all, b: all, c: all };
        }
        let ranks = (0..self.aux).into_par_iter();
        let constants = ranks.map(|rank| self.constant_terms(&self.row(rank), weights));
        constants.chain(rayon::iter::once(column)).reduce(Column::default, |one, other| Column {
            a: one.a + other.a,
            b: one.b + other.b,
            c: one.c + other.c,
        })
    }

    /// What a row adds to the column of the constant.
    fn constant_terms(&self, row: &Row, weights: &[Scalar]) -> Column {
        let mut column = Column::default();
        if row.x.is_some() && row.y.is_some() && row.kind != Kind::Uniform {
            return column;
        }
        let weight = self.weight(row.z, weights);
        if row.kind == Kind::Uniform {
            column.c += self.constant(row) * weight;
        }
        let xor = row.form == Form::Xor;
        if row.x.is_none() {
            column.a += if xor { weight.double() } else { weight };
        }
        if row.y.is_none() {
            column.b += weight;
        }
        for _ in once(row.x).chain(once(row.y)).filter(|x| xor && x.is_none()) {
            column.c += weight;
        }
        column
    }
}
