//! The numbers that a key's points are multiples by.
//!
//! With Lⱼ the Lagrange polynomial of row j, which is 1 at ωʲ and 0 at the domain's other points,
//! a variable's polynomial in A is Σ coefficient · Lⱼ over the rows j in which it occurs; so in B
//! and C. A key holds them at τ, mixed by α and β and divided by γ or δ.

use std::sync::atomic::{AtomicUsize, Ordering};

use bls12_381::Scalar;
use ff::{BatchInverter, Field, PrimeField};
use rayon::prelude::*;

use super::{Column, Columns, Progress, Step, Trapdoor};
use crate::density::DensityMap;
use crate::key::{KeyPart, MAX_DOMAIN_LOG2};
use crate::{Error, Result, parallel};

/// Rows that one task weighs: they share an inversion, and a power of ω that starts them.
const ROWS_PER_TASK: usize = 1 << 12;

/// Variables that one task evaluates, and a piece of a query holds.
const COLUMNS_PER_TASK: usize = 1 << 15;

/// All exponents of a key.
pub(crate) struct Exponents {
    domain_log2: u32,
    ic: Vec<Scalar>,
    l: Pieces,
    a: Pieces,
    b: Pieces,
    /// h is first, first · τ, first · τ², …
    h_first: Scalar,
    tau: Scalar,
}

/// A query's exponents, in pieces of any length.
type Pieces = Vec<Vec<Scalar>>;

impl Exponents {
    pub(super) fn new(
        system: &impl Columns,
        trapdoor: &Trapdoor,
        progress: Progress<'_>,
    ) -> Result<Self> {
        let inputs = system.inputs();
        if inputs == 0 {
            return Err(Error::NoConstantOne);
        }
        let (got, limit) = (system.constraints().saturating_add(inputs), 1 << MAX_DOMAIN_LOG2);
        if got > limit {
            return Err(Error::TooMany { what: "constraints", got, limit });
        }
        let variables = inputs.saturating_add(system.aux());
        if variables > DensityMap::MAX_LEN {
            let (got, limit) = (variables, DensityMap::MAX_LEN);
            return Err(Error::TooMany { what: "variables", got, limit });
        }
        let domain_log2 = got.next_power_of_two().trailing_zeros();
        let n = 1_usize << domain_log2;
        trapdoor.check(n)?;
        let weights = weights(trapdoor.tau, domain_log2, got, progress)?;
        let [gamma, delta] = [&trapdoor.gamma, &trapdoor.delta].map(inverse);
        let (gamma, delta) = (gamma?, delta?);
        let mixer = |divisor| Mixer {
            alpha: trapdoor.alpha * divisor,
            beta: trapdoor.beta * divisor,
            divisor,
        };
        let own = &weights[system.constraints()..];
        let mut columns = Queries { system, weights: &weights, own, progress, done: 0.into() };
        let (ic, mut a, mut b) = columns.evaluate(0..inputs, &mixer(gamma));
        columns.own = &[];
        let (l, a_aux, b_aux) = columns.evaluate(inputs..variables, &mixer(delta));
        a.extend(a_aux);
        b.extend(b_aux);
        let zero = |l: &Vec<Scalar>| l.iter().position(Field::is_zero_vartime);
        if let Some(piece) = l.par_iter().position_first(|piece| zero(piece).is_some()) {
            let before: usize = l[..piece].iter().map(Vec::len).sum();
            let variable = before + zero(&l[piece]).unwrap_or_default();
            return Err(Error::Unconstrained { variable });
        }
        let h_first = (power(trapdoor.tau, n) - Scalar::ONE) * delta;
        Ok(Self { domain_log2, ic: ic.concat(), l, a, b, h_first, tau: trapdoor.tau })
    }

    pub(super) fn domain_log2(&self) -> u32 {
        self.domain_log2
    }

    /// How many points a part has that is a list: ic, or one of the queries.
    pub(super) fn len(&self, part: KeyPart) -> usize {
        let total = |pieces: &Pieces| pieces.iter().map(Vec::len).sum();
        match part {
            KeyPart::H => (1 << self.domain_log2) - 1,
            KeyPart::L => total(&self.l),
            KeyPart::A => total(&self.a),
            KeyPart::BG1 | KeyPart::BG2 => total(&self.b),
            _ => self.ic.len(),
        }
    }

    /// The exponents of such a part, from the first to the last.
    pub(super) fn read(&self, part: KeyPart) -> Reader<'_> {
        match part {
            KeyPart::H => {
                let next = self.h_first;
                Reader::Powers { next, ratio: self.tau, left: self.len(part) }
            }
            KeyPart::L => Reader::Pieces { pieces: &self.l, at: 0 },
            KeyPart::A => Reader::Pieces { pieces: &self.a, at: 0 },
            KeyPart::BG1 | KeyPart::BG2 => Reader::Pieces { pieces: &self.b, at: 0 },
            _ => Reader::Pieces { pieces: std::slice::from_ref(&self.ic), at: 0 },
        }
    }
}

/// x to the power n.
pub(super) fn power(x: Scalar, n: usize) -> Scalar {
    Field::pow_vartime(&x, [n as u64])
}

/// 1 / x of a number that was seen not to be zero.
fn inverse(x: &Scalar) -> Result<Scalar> {
    Option::from(x.invert()).ok_or(Error::Trapdoor { what: "gamma or delta is zero" })
}

/// Lⱼ(τ) = (τⁿ − 1)/n · ωʲ/(τ − ωʲ) for the first `rows` rows.
fn weights(
    tau: Scalar,
    domain_log2: u32,
    rows: usize,
    progress: Progress<'_>,
) -> Result<Vec<Scalar>> {
    let omega = (domain_log2..Scalar::S).fold(Scalar::ROOT_OF_UNITY, |root, _| root.square());
    let vanishing = power(tau, 1 << domain_log2) - Scalar::ONE;
    let scale = vanishing * (0..domain_log2).fold(Scalar::ONE, |x, _| x * Scalar::TWO_INV);
    let done = AtomicUsize::new(0);
    let task = |(task, weights): (usize, &mut [Scalar])| {
        let mut point = power(omega, task * ROWS_PER_TASK);
        let mut inverses = Vec::with_capacity(weights.len());
        for weight in weights.iter_mut() {
            inverses.push(tau - point);
            *weight = scale * point;
            point *= omega;
        }
        let mut scratch = vec![Scalar::ZERO; weights.len()];
        BatchInverter::invert_with_external_scratch(&mut inverses, &mut scratch);
        weights.iter_mut().zip(inverses).for_each(|(weight, inverse)| *weight *= inverse);
        let len = weights.len();
        progress(Step::Rows, done.fetch_add(len, Ordering::Relaxed) + len, rows);
    };
    // Pages are touched first by many threads, too: that takes longer than the arithmetic.
    let zeros = (0..rows).into_par_iter().map(|_| Scalar::ZERO);
    let mut weights = parallel::collect("rows for this machine's memory", zeros)?;
    weights.par_chunks_mut(ROWS_PER_TASK).enumerate().for_each(task);
    Ok(weights)
}

/// (β a + α b + c) / divisor.
struct Mixer {
    alpha: Scalar,
    beta: Scalar,
    divisor: Scalar,
}

impl Mixer {
    fn mix(&self, column: &Column) -> Scalar {
        self.beta * column.a + self.alpha * column.b + self.divisor * column.c
    }
}

/// The evaluation of a system's columns.
struct Queries<'a, S> {
    system: &'a S,
    weights: &'a [Scalar],
    /// The weights of the own rows of the variables that are evaluated.
    own: &'a [Scalar],
    progress: Progress<'a>,
    done: AtomicUsize,
}

impl<S: Columns> Queries<'_, S> {
    /// The mixed exponents of these variables, and those of A and of B that are not zero.
    fn evaluate(
        &self,
        variables: std::ops::Range<usize>,
        mixer: &Mixer,
    ) -> (Pieces, Pieces, Pieces) {
        let all = self.system.inputs() + self.system.aux();
        let tasks = variables.len().div_ceil(COLUMNS_PER_TASK);
        let task = |task: usize| {
            let first = variables.start + task * COLUMNS_PER_TASK;
            let len = COLUMNS_PER_TASK.min(variables.end - first);
            let (mut mixed, mut a, mut b) = (Vec::with_capacity(len), Vec::new(), Vec::new());
            for variable in first..first + len {
                let mut column = self.system.column(variable, self.weights);
                if let Some(own) = self.own.get(variable) {
                    column.a += own;
                }
                mixed.push(mixer.mix(&column));
                a.extend((!column.a.is_zero_vartime()).then_some(column.a));
                b.extend((!column.b.is_zero_vartime()).then_some(column.b));
            }
            let done = self.done.fetch_add(len, Ordering::Relaxed) + len;
            (self.progress)(Step::Columns, done, all);
            (mixed, (a, b))
        };
        let (mixed, (a, b)) = (0..tasks).into_par_iter().map(task).unzip();
        (mixed, a, b)
    }
}

/// A part's exponents in order.
pub(super) enum Reader<'a> {
    /// Those of h, which are made as they are read.
    Powers { next: Scalar, ratio: Scalar, left: usize },
    /// Those that are held.
    Pieces { pieces: &'a [Vec<Scalar>], at: usize },
}

impl Reader<'_> {
    /// Fills `out`, which holds no more than are left, with the next exponents.
    pub(super) fn fill(&mut self, out: &mut [Scalar]) {
        match self {
            Self::Powers { next, ratio, left } => {
                *left = left.saturating_sub(out.len());
                let (first, ratio) = (*next, *ratio);
                *next *= power(ratio, out.len());
                out.par_chunks_mut(ROWS_PER_TASK).enumerate().for_each(|(task, out)| {
                    let mut next = first * power(ratio, task * ROWS_PER_TASK);
                    for out in out {
                        *out = next;
                        next *= ratio;
                    }
                });
            }
            Self::Pieces { pieces, at } => {
                let mut out = out;
                while let (Some((piece, later)), false) = (pieces.split_first(), out.is_empty()) {
                    let len = out.len().min(piece.len() - *at);
                    let (head, tail) = std::mem::take(&mut out).split_at_mut(len);
                    head.copy_from_slice(&piece[*at..*at + len]);
                    out = tail;
                    *at += len;
                    if *at == piece.len() {
                        (*pieces, *at) = (later, 0);
                    }
                }
            }
        }
    }
}
