//! Whether a transform of any size is right, in linear time for each output looked at.

use bls12_381::Scalar;
use ff::Field;
use groth16_cuda::ntt::{Domain, Order};
use group::ff::BatchInvert;
use rayon::join;
use rayon::prelude::*;

use super::scalars::random;

/// Elements that one task takes.
const TASK: usize = 1 << 12;

/// One transform of an array on `domain`, or on its coset with this shift.
pub struct Transform<'a> {
    pub domain: &'a Domain,
    pub inverse: bool,
    pub order: Order,
    pub shift: Option<Scalar>,
}

impl Transform<'_> {
    /// Whether `output` is what comes of `input`: a few outputs by their definition, and all of
    /// them at once by the values of both at a random point.
    pub fn holds(&self, input: &[Scalar], output: &[Scalar]) -> bool {
        let n = self.domain.size();
        if input.len() != n || output.len() != n {
            return false;
        }
        let samples = [1 % n, n / 3, n / 2, n - 1];
        let defined = samples.iter().all(|&i| {
            let place = if self.reversed_output() { self.reversed(i) } else { i };
            output[place] == self.output(input, i)
        });
        defined && self.agree(input, output)
    }

    /// Output i: Σ input[j] · (shift · ω^i)^j, or shift^−i / n · Σ input[j] · ω^(−i · j).
    fn output(&self, input: &[Scalar], i: usize) -> Scalar {
        let reversed = self.reversed_input();
        let shift = self.shift.unwrap_or(Scalar::ONE);
        let point = power(self.domain.root(), i);
        if !self.inverse {
            return evaluate(input, point * shift, reversed);
        }
        let scale = power(shift, i) * Scalar::from(input.len() as u64);
        evaluate(input, inverted(point), reversed) * inverted(scale)
    }

    /// Whether coefficients and values belong to one polynomial: A(shift · x) for a random x. A
    /// wrong array passes with a probability of n / r.
    fn agree(&self, input: &[Scalar], output: &[Scalar]) -> bool {
        let (input, output) = ((input, self.reversed_input()), (output, self.reversed_output()));
        let (coefficients, values) = if self.inverse { (output, input) } else { (input, output) };
        let x = random(1, u64::from(u32::MAX))[0];
        let at = x * self.shift.unwrap_or(Scalar::ONE);
        let value = |i| [values.0[if values.1 { self.reversed(i) } else { i }]];
        evaluate(coefficients.0, at, coefficients.1) == interpolate(self.domain, x, value)[0]
    }

    fn reversed_input(&self) -> bool {
        self.order == Order::ReversedToNatural
    }

    fn reversed_output(&self) -> bool {
        self.order == Order::NaturalToReversed
    }

    fn reversed(&self, i: usize) -> usize {
        i.reverse_bits().checked_shr(usize::BITS - self.domain.log_size()).unwrap_or(0)
    }
}

/// The values at x, none of the domain's points, of K polynomials with these values at ω^i: the
/// barycentric formula, (xⁿ − 1) / n · Σ values(i) · ω^i / (x − ω^i).
pub fn interpolate<const K: usize>(
    domain: &Domain,
    x: Scalar,
    values: impl Fn(usize) -> [Scalar; K] + Sync,
) -> [Scalar; K] {
    let n = domain.size();
    let add = |a: [Scalar; K], b: [Scalar; K]| std::array::from_fn(|k| a[k] + b[k]);
    let sums = (0..n.div_ceil(TASK)).into_par_iter().map(|task| {
        let first = power(domain.root(), task * TASK);
        let points = std::iter::successors(Some(first), |point| Some(point * domain.root()));
        let points: Vec<_> = points.take(TASK.min(n - task * TASK)).collect();
        let mut weights: Vec<_> = points.iter().map(|point| x - point).collect();
        BatchInvert::batch_invert(weights.iter_mut());
        let weights = weights.iter().zip(points).map(|(inverse, point)| inverse * point);
        weights.enumerate().fold([Scalar::ZERO; K], |sums, (i, weight)| {
            add(sums, values(task * TASK + i).map(|value| value * weight))
        })
    });
    let factor = (power(x, n) - Scalar::ONE) * inverted(Scalar::from(n as u64));
    sums.reduce(|| [Scalar::ZERO; K], add).map(|sum| sum * factor)
}

/// The value at x of the polynomial with these 2^k coefficients, in natural order or each at the
/// place of its number with k bits reversed.
pub fn evaluate(coefficients: &[Scalar], x: Scalar, reversed: bool) -> Scalar {
    let squares = std::iter::successors(Some(x), |x| Some(x.square()));
    let mut powers: Vec<_> = squares.take(coefficients.len().ilog2() as usize).collect();
    if !reversed {
        powers.reverse();
    }
    folded(coefficients, &powers)
}

/// A(x) from its halves: A₀(x) + x^(n/2) · A₁(x), or A₀(x²) + x · A₁(x²) in bit-reversed order;
/// `powers` has the factors, the outermost first.
fn folded(coefficients: &[Scalar], powers: &[Scalar]) -> Scalar {
    let [power, powers @ ..] = powers else { return coefficients[0] };
    let (low, high) = coefficients.split_at(coefficients.len() / 2);
    let (low, high) = if coefficients.len() > TASK {
        join(|| folded(low, powers), || folded(high, powers))
    } else {
        (folded(low, powers), folded(high, powers))
    };
    low + power * high
}

/// x^e.
pub fn power(x: Scalar, e: usize) -> Scalar {
    x.pow_vartime(&[e as u64, 0, 0, 0])
}

/// 1 / x; zero for zero.
pub fn inverted(x: Scalar) -> Scalar {
    Option::<Scalar>::from(x.invert()).unwrap_or(Scalar::ZERO)
}
