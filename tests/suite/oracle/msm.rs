//! Multi-scalar multiplication by a loop.

use bls12_381::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
use ff::Field;
use groth16_cuda::repr::{G1, G2};
use rand_chacha::ChaCha8Rng;

use super::groups::TestGroup;

/// The group's sum of multiples.
pub trait SumOfMultiples: TestGroup {
    /// The sum of `scalars[i] * points[i]`, one multiplication and addition after the other.
    fn sum_of_multiples(points: &[Self::AffinePoint], scalars: &[Scalar]) -> Self::Point;
}

impl SumOfMultiples for G1 {
    fn sum_of_multiples(points: &[G1Affine], scalars: &[Scalar]) -> G1Projective {
        points.iter().zip(scalars).map(|(p, s)| p * s).sum()
    }
}

impl SumOfMultiples for G2 {
    fn sum_of_multiples(points: &[G2Affine], scalars: &[Scalar]) -> G2Projective {
        points.iter().zip(scalars).map(|(p, s)| p * s).sum()
    }
}

/// Uniform scalars.
pub fn random_scalars(rng: &mut ChaCha8Rng, n: usize) -> Vec<Scalar> {
    (0..n).map(|_| Scalar::random(&mut *rng)).collect()
}

/// Points with some that are equal, opposite, or infinity among them.
pub fn random_points<G: TestGroup>(rng: &mut ChaCha8Rng, n: usize) -> Vec<G::AffinePoint> {
    let mut points: Vec<G::AffinePoint> = Vec::with_capacity(n);
    for i in 0..n {
        points.push(match i % 16 {
            5 => points[i - 1],
            9 => G::negated(points[i - 3]),
            14 => G::multiple(Scalar::zero()),
            _ => G::multiple(Scalar::random(&mut *rng)),
        });
    }
    points
}

/// Points and the multiples of the generator that they are, for sums of thousands of terms: some
/// are equal, opposite, or infinity.
pub fn known_points<G: TestGroup>(n: usize) -> (Vec<G::AffinePoint>, Vec<Scalar>) {
    let mut points = G::multiples(n + 1);
    let infinity = points.remove(0);
    let mut multiples: Vec<_> = (1..=n as u64).map(Scalar::from).collect();
    for i in 0..n {
        match i % 16 {
            5 => (points[i], multiples[i]) = (points[i - 1], multiples[i - 1]),
            9 => (points[i], multiples[i]) = (G::negated(points[i - 3]), -multiples[i - 3]),
            14 => (points[i], multiples[i]) = (infinity, Scalar::zero()),
            _ => {}
        }
    }
    (points, multiples)
}

/// The sum of multiples over the listed variables of `scalars`; `density[v]` says whether variable
/// v has a point, and points are those of the variables that have one, in order.
pub fn over_variables<G: SumOfMultiples>(
    points: &[G::AffinePoint],
    density: &[bool],
    scalars: &[Scalar],
    variables: &[u32],
) -> G::Point {
    let terms = variables.iter().filter_map(|&v| {
        let v = v as usize;
        let position = density[..v.min(density.len())].iter().filter(|bit| **bit).count();
        let has_point = density.get(v).is_some_and(|bit| *bit);
        (has_point && v < scalars.len()).then(|| (points[position], scalars[v]))
    });
    let (points, scalars): (Vec<_>, Vec<_>) = terms.unzip();
    G::sum_of_multiples(&points, &scalars)
}
