//! Transforms and polynomial arithmetic by definition.

use bls12_381::Scalar;
use ff::{Field, PrimeField};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

/// ω of order 2^`log_size`, from a root of order 2^32.
pub fn root(root_of_unity: Scalar, log_size: u32) -> Scalar {
    root_of_unity.pow_vartime(&[1 << (Scalar::S - log_size), 0, 0, 0])
}

/// The polynomial's value at `x`, coefficients from the lowest.
pub fn evaluate(coefficients: &[Scalar], x: Scalar) -> Scalar {
    coefficients.iter().rev().fold(Scalar::ZERO, |value, c| value * x + c)
}

/// Values at 1, ω, ω², …, each by definition.
pub fn naive_dft(coefficients: &[Scalar], root: Scalar) -> Vec<Scalar> {
    let powers = std::iter::successors(Some(Scalar::ONE), |x| Some(x * root));
    powers.take(coefficients.len()).map(|x| evaluate(coefficients, x)).collect()
}

/// Values at 1, ω, ω², …: A(x) = E(x²) + x·O(x²).
pub fn fft(coefficients: &[Scalar], root: Scalar) -> Vec<Scalar> {
    let n = coefficients.len();
    if n == 1 {
        return coefficients.to_vec();
    }
    let even: Vec<_> = coefficients.iter().step_by(2).copied().collect();
    let odd: Vec<_> = coefficients.iter().skip(1).step_by(2).copied().collect();
    let (even, odd) = (fft(&even, root * root), fft(&odd, root * root));
    let mut values = vec![Scalar::ZERO; n];
    let mut x = Scalar::ONE;
    for i in 0..n / 2 {
        values[i] = even[i] + x * odd[i];
        values[i + n / 2] = even[i] - x * odd[i];
        x *= root;
    }
    values
}

/// Coefficients from values at 1, ω, ω², ….
pub fn inverse_fft(values: &[Scalar], root: Scalar) -> Vec<Scalar> {
    let scale = Scalar::from(values.len() as u64).invert().unwrap();
    fft(values, root.invert().unwrap()).iter().map(|x| x * scale).collect()
}

/// Coefficients of A(shift·X).
pub fn shifted(coefficients: &[Scalar], shift: Scalar) -> Vec<Scalar> {
    let powers = std::iter::successors(Some(Scalar::ONE), |x| Some(x * shift));
    coefficients.iter().zip(powers).map(|(c, x)| c * x).collect()
}

/// The element numbers in bit-reversed order.
pub fn bit_reversed(values: &[Scalar]) -> Vec<Scalar> {
    let bits = values.len().trailing_zeros();
    let reverse = |i: usize| (0..bits).fold(0, |r, b| r << 1 | (i >> b & 1));
    (0..values.len()).map(|i| values[reverse(i)]).collect()
}

/// The product of two polynomials, term by term.
pub fn schoolbook(a: &[Scalar], b: &[Scalar]) -> Vec<Scalar> {
    let mut product = vec![Scalar::ZERO; a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            product[i + j] += x * y;
        }
    }
    product
}

/// Quotient and remainder of the division by Xⁿ − 1, by long division.
pub fn divide_by_vanishing(dividend: &[Scalar], n: usize) -> (Vec<Scalar>, Vec<Scalar>) {
    let mut rest = dividend.to_vec();
    let mut quotient = vec![Scalar::ZERO; rest.len().saturating_sub(n)];
    for i in (n..rest.len()).rev() {
        let lead = rest[i];
        quotient[i - n] = lead;
        rest[i] = Scalar::ZERO;
        rest[i - n] += lead;
    }
    rest.truncate(n);
    (quotient, rest)
}

/// Random scalars, the same for the same seed.
pub fn scalars(seed: u64, len: usize) -> Vec<Scalar> {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    (0..len).map(|_| Scalar::random(&mut rng)).collect()
}
