//! The numbers that a key's points are multiples by.
//!
//! With Lⱼ the Lagrange polynomial of row j, which is 1 at ωʲ and 0 at the domain's other points,
//! a variable's polynomial in A is Σ coefficient · Lⱼ over the rows j in which it occurs; so in B
//! and C. A key holds them at τ, mixed by α and β and divided by γ or δ.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};

use bls12_381::Scalar;
use ff::{BatchInverter, Field, PrimeField};
use rayon::prelude::*;

use super::{Column, Columns, Progress, Step, Trapdoor};
use crate::density::DensityMap;
use crate::key::{KeyPart, KeyShape, MAX_DOMAIN_LOG2};
use crate::{Error, Result, parallel};

/// How much one task or chunk takes. Any numbers from 1 on give the same key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// Rows that one task weighs: they share an inversion, and a power of ω that starts them.
    pub(super) rows: usize,
    /// Variables that one task evaluates, and a piece of a query holds.
    pub(super) columns: usize,
    /// Points of G1 that are made at a time, each in 224 bytes of device memory.
    pub(super) g1: usize,
    /// Points of G2 that are made at a time, each in 416 bytes of device memory.
    pub(super) g2: usize,
}

impl Default for Sizes {
    /// An inversion is 500 products, so 2^12 rows pay an eighth of one each. A chunk of 2^20 points
    /// fills an H200 eight times over and, with the tables, stays below half of the memory that a
    /// prover leaves beside its arena.
    fn default() -> Self {
        Self { rows: 1 << 12, columns: 1 << 15, g1: 1 << 20, g2: 1 << 19 }
    }
}

/// A system's lengths, asked for once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lengths {
    pub(super) inputs: usize,
    pub(super) aux: usize,
    constraints: usize,
    pub(super) domain_log2: u32,
}

impl Lengths {
    pub(super) fn of(system: &impl Columns) -> Result<Self> {
        let (inputs, aux, constraints) = (system.inputs(), system.aux(), system.constraints());
        if inputs == 0 {
            return Err(Error::NoConstantOne);
        }
        let rows = constraints.saturating_add(inputs);
        let variables = inputs.saturating_add(aux);
        for (what, got, limit) in [
            ("constraints", rows, 1 << MAX_DOMAIN_LOG2),
            ("variables", variables, DensityMap::MAX_LEN),
        ] {
            if got > limit {
                return Err(Error::TooMany { what, got, limit });
            }
        }
        let domain_log2 = rows.next_power_of_two().trailing_zeros();
        Ok(Self { inputs, aux, constraints, domain_log2 })
    }

    fn rows(&self) -> usize {
        self.constraints + self.inputs
    }

    fn variables(&self) -> usize {
        self.inputs + self.aux
    }
}

/// Powers of τ that a thread is worth starting for: some 20 µs of products.
const POWERS_PER_THREAD: usize = 1 << 10;

/// All exponents of a key.
pub(crate) struct Exponents {
    domain_log2: u32,
    sizes: Sizes,
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
    pub(crate) fn new(
        system: &impl Columns,
        trapdoor: &Trapdoor,
        sizes: Sizes,
        progress: Progress<'_>,
    ) -> Result<Self> {
        let lengths = Lengths::of(system)?;
        let (inputs, variables) = (lengths.inputs, lengths.variables());
        let n = 1_usize << lengths.domain_log2;
        trapdoor.check(n)?;
        let weights = weights(trapdoor.tau, &lengths, sizes.rows, progress)?;
        // What l, a and b take at most; their pieces come one by one.
        drop(parallel::with_room::<[Scalar; 3]>("exponents", variables)?);
        let [gamma, delta] = [&trapdoor.gamma, &trapdoor.delta].map(inverse);
        let (gamma, delta) = (gamma?, delta?);
        let mixer = |divisor| Mixer {
            alpha: trapdoor.alpha * divisor,
            beta: trapdoor.beta * divisor,
            divisor,
        };
        let own = &weights[lengths.constraints..];
        let (weights, done) = (&weights, AtomicUsize::new(0));
        let mut columns = Queries { system, weights, own, sizes, progress, done, variables };
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
        let (domain_log2, tau) = (lengths.domain_log2, trapdoor.tau);
        Ok(Self { domain_log2, sizes, ic: ic.concat(), l, a, b, h_first, tau })
    }

    pub(super) fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// The key's lengths.
    pub(crate) fn shape(&self) -> KeyShape {
        KeyShape {
            domain_log2: self.domain_log2,
            inputs: self.len(KeyPart::Ic),
            aux: self.len(KeyPart::L),
            a: self.len(KeyPart::A),
            b: self.len(KeyPart::BG1),
        }
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

/// Lⱼ(τ) = (τⁿ − 1)/n · ωʲ/(τ − ωʲ) for every row.
fn weights(
    tau: Scalar,
    lengths: &Lengths,
    rows_per_task: usize,
    progress: Progress<'_>,
) -> Result<Vec<Scalar>> {
    let (domain_log2, rows) = (lengths.domain_log2, lengths.rows());
    let omega = (domain_log2..Scalar::S).fold(Scalar::ROOT_OF_UNITY, |root, _| root.square());
    let vanishing = power(tau, 1 << domain_log2) - Scalar::ONE;
    let scale = vanishing * (0..domain_log2).fold(Scalar::ONE, |x, _| x * Scalar::TWO_INV);
    let done = AtomicUsize::new(0);
    let task = |(task, weights): (usize, &mut [Scalar])| {
        let mut point = power(omega, task * rows_per_task);
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
    let mut weights = parallel::collect("rows", zeros)?;
    weights.par_chunks_mut(rows_per_task).enumerate().for_each(task);
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
    sizes: Sizes,
    progress: Progress<'a>,
    done: AtomicUsize,
    /// How many there are in all.
    variables: usize,
}

impl<S: Columns> Queries<'_, S> {
    /// The mixed exponents of these variables, and those of A and of B that are not zero.
    fn evaluate(
        &self,
        variables: std::ops::Range<usize>,
        mixer: &Mixer,
    ) -> (Pieces, Pieces, Pieces) {
        let per_task = self.sizes.columns;
        let tasks = variables.len().div_ceil(per_task);
        let task = |task: usize| {
            let first = variables.start + task * per_task;
            let len = per_task.min(variables.end - first);
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
            (self.progress)(Step::Columns, done, self.variables);
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
                // Not rayon's threads: they may all wait for what the caller holds.
                let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
                let len = out.len().div_ceil(threads).max(POWERS_PER_THREAD);
                std::thread::scope(|scope| {
                    for (thread, out) in out.chunks_mut(len).enumerate() {
                        scope.spawn(move || powers(first * power(ratio, thread * len), ratio, out));
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

/// first, first · ratio, first · ratio², …
fn powers(first: Scalar, ratio: Scalar, out: &mut [Scalar]) {
    let mut next = first;
    for out in out {
        *out = next;
        next *= ratio;
    }
}
