//! Scalars and points that are anything but uniform.

use bls12_381::Scalar;
use ff::Field;
use rayon::prelude::*;

use super::harness::scalars::{Line, random, words};

/// Bits of a scalar that windows cover.
const SCALAR_BITS: u32 = 255;

/// A choice of scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skew {
    /// One value.
    Equal,
    /// A value and its opposite.
    Sign,
    /// Two values.
    Two,
    /// All windows' digits are 1, or all are −1.
    OneBucket,
    /// 1.
    Ones,
    /// r − 1.
    MinusOne,
    /// Half of the scalars have one value, a quarter another one, and so on.
    Geometric,
    /// The powers of two.
    Powers,
}

impl Skew {
    pub const ALL: [Self; 8] = [
        Self::Equal,
        Self::Sign,
        Self::Two,
        Self::OneBucket,
        Self::Ones,
        Self::MinusOne,
        Self::Geometric,
        Self::Powers,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Sign => "sign",
            Self::Two => "two",
            Self::OneBucket => "one-bucket",
            Self::Ones => "ones",
            Self::MinusOne => "minus-one",
            Self::Geometric => "geometric",
            Self::Powers => "powers",
        }
    }

    /// `n` scalars; `windows` are those that digits are taken from.
    pub fn scalars(self, n: usize, windows: u32) -> Vec<Scalar> {
        let values = random(1 + u32::BITS as usize, 9);
        let digits = digits_of_one(windows);
        let (value, one) = (values[0], Scalar::ONE);
        let either = |word: u32, value: Scalar| if word & 1 == 0 { value } else { -value };
        let scalar = |(i, word): (usize, u32)| match self {
            Self::Equal => value,
            Self::Sign => either(word, value),
            Self::Two => values[word as usize & 1],
            Self::OneBucket => either(word, digits),
            Self::Ones => one,
            Self::MinusOne => -one,
            Self::Geometric => values[word.trailing_zeros() as usize],
            Self::Powers => power_of_two(i as u32 % SCALAR_BITS),
        };
        words(n, 10).into_par_iter().enumerate().map(scalar).collect()
    }
}

fn power_of_two(exponent: u32) -> Scalar {
    let mut limbs = [0; 4];
    limbs[exponent as usize / 64] = 1 << (exponent % 64);
    Scalar::from_raw(limbs)
}

/// The scalar with the digit 1 in each window: windows have two widths, the wider ones are lowest.
fn digits_of_one(windows: u32) -> Scalar {
    let (width, wider) = (SCALAR_BITS / windows, SCALAR_BITS % windows);
    (0..windows).map(|window| power_of_two(window * width + window.min(wider))).sum()
}

/// What eight neighbours of [`special`] have: infinity, equal and opposite points with scalars that
/// put them into the same buckets.
const EIGHT: usize = 8;

/// The logarithm of point i, and its scalar.
pub fn special(line: &Line, values: &[Scalar], i: usize) -> (Scalar, Scalar) {
    let (first, second) = (i / EIGHT, i / EIGHT + values.len() / 2);
    let (p, q) = (line.at(first), line.at(second));
    let (s, t) = (values[first], values[second]);
    match i % EIGHT {
        0 => (Scalar::ZERO, s),
        1 | 2 => (p, s),
        3 => (-p, s),
        4 => (p, -s),
        5 => (q, t),
        6 => (-q, -t),
        _ => (Scalar::ZERO, t),
    }
}
