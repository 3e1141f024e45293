//! An order of the variables in which neighbours lie far apart, and hashes.

use bls12_381::Scalar;

/// The fractional part of the golden ratio: multiples of it spread most evenly.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// The order: the variable of rank k is (first + k · step) mod len, with a step coprime to len.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    len: u64,
    first: u64,
    step: u64,
    /// step · inverse = 1 mod len.
    inverse: u64,
}

impl Order {
    /// Of `len` variables, below 2^32; the seed chooses where it starts.
    pub(super) fn new(len: usize, seed: u64) -> Self {
        let len = len as u64;
        let mut step = ((len as f64 * GOLDEN) as u64).max(1);
        while len > 1 && gcd(step, len) != 1 {
            step += 1;
        }
        let first = hash(seed, Part::Order, 0, 0).checked_rem(len).unwrap_or(0);
        Self { len, first, step: step.checked_rem(len).unwrap_or(0), inverse: inverse(step, len) }
    }

    /// The variable of this rank.
    pub(super) fn variable(&self, rank: usize) -> usize {
        ((self.first + rank as u64 * self.step) % self.len) as usize
    }

    /// The variable's rank.
    pub(super) fn rank(&self, variable: usize) -> usize {
        ((variable as u64 + self.len - self.first) % self.len * self.inverse % self.len) as usize
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// 1 / a mod n by Euclid's algorithm, for coprime numbers below 2^32.
fn inverse(a: u64, n: u64) -> u64 {
    let (mut r, mut t) = ((n as i64, a as i64), (0, 1));
    while r.1 != 0 {
        let q = r.0 / r.1;
        r = (r.1, r.0 - q * r.1);
        t = (t.1, t.0 - q * t.1);
    }
    t.0.rem_euclid((n as i64).max(1)) as u64
}

/// What is hashed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    /// Where the order starts.
    Order = 1,
    /// An input's value.
    Input = 2,
    /// An aux variable's value.
    Aux = 3,
}

/// The output function of SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number
/// generators", 2014): a bijection of 64-bit numbers that scatters neighbours.
fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

fn hash(seed: u64, part: Part, index: usize, limb: u64) -> u64 {
    // SplitMix64's increment, so that close seeds are far apart.
    let seed = mix(seed.wrapping_add((part as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    mix(seed ^ mix(4 * index as u64 + limb))
}

/// A scalar that looks uniform. Nothing secret may hang on it.
pub(super) fn scalar(seed: u64, part: Part, index: usize) -> Scalar {
    Scalar::from_raw([0, 1, 2, 3].map(|limb| hash(seed, part, index, limb)))
}
