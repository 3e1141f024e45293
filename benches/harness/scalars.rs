//! Random scalars, and the points whose sums are known.

use bls12_381::Scalar;
use ff::Field;
use groth16_cuda::Result;
use groth16_cuda::device::{DeviceBuffer, Stream};
use groth16_cuda::fixed_base::FixedBase;
use groth16_cuda::repr::{CurveGroup, FrRepr, scalars_as_repr};
use group::{Curve, Group};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

/// Scalars that one task makes.
pub(super) const TASK: usize = 1 << 12;

/// `n` scalars, the same for the same seed, made in parallel.
pub fn random(n: usize, seed: u64) -> Vec<Scalar> {
    let mut scalars = vec![Scalar::ZERO; n];
    scalars.par_chunks_mut(TASK).enumerate().for_each(|(task, scalars)| {
        let mut rng = ChaCha20Rng::seed_from_u64(seed << 32 | task as u64);
        scalars.iter_mut().for_each(|scalar| *scalar = Scalar::random(&mut rng));
    });
    scalars
}

/// The points (start + i · step) · G, so that every sum's discrete logarithm is known.
pub struct Line {
    start: Scalar,
    step: Scalar,
}

impl Line {
    pub fn new() -> Self {
        Self { start: Scalar::from(0x1234_5678_9abc), step: Scalar::from(7) }
    }

    /// The logarithm of point i.
    pub fn at(&self, i: usize) -> Scalar {
        self.start + self.step * Scalar::from(i as u64)
    }

    /// The first `n` points, made on the device.
    pub fn points<G>(&self, stream: &Stream, n: usize) -> Result<DeviceBuffer<G::Affine>>
    where
        G: CurveGroup<Point: Curve<Affine = G::AffinePoint>>,
    {
        points_at::<G>(stream, n, |i| self.at(i))
    }

    /// Σ scalars[i] · (start + i · step).
    pub fn logarithm(&self, scalars: &[Scalar]) -> Scalar {
        self.logarithm_from(0, scalars)
    }

    /// Σ scalars[i] · (start + (first + i) · step).
    pub fn logarithm_from(&self, first: usize, scalars: &[Scalar]) -> Scalar {
        let tasks = scalars.par_chunks(TASK).enumerate().map(|(task, scalars)| {
            let (mut sum, mut at) = (Scalar::ZERO, self.at(first + task * TASK));
            for scalar in scalars {
                sum += scalar * at;
                at += self.step;
            }
            sum
        });
        tasks.sum()
    }
}

/// The points with these discrete logarithms, made on the device, a chunk after the other.
pub fn points_at<G>(
    stream: &Stream,
    n: usize,
    logarithm: impl Fn(usize) -> Scalar + Sync,
) -> Result<DeviceBuffer<G::Affine>>
where
    G: CurveGroup<Point: Curve<Affine = G::AffinePoint>>,
{
    const CHUNK: usize = 1 << 20;
    let device = stream.device();
    let base = FixedBase::<G>::new(stream, &G::Point::generator().to_affine(), n)?;
    let mut points = device.alloc::<G::Affine>(n)?;
    let mut logarithms = device.alloc::<FrRepr>(n.min(CHUNK))?;
    let mut work = device.alloc(FixedBase::<G>::workspace(device, n.min(CHUNK))?)?;
    for first in (0..n).step_by(CHUNK) {
        let chunk: Vec<_> = (first..n.min(first + CHUNK)).into_par_iter().map(&logarithm).collect();
        let places = logarithms.view_mut().slice(0..chunk.len())?;
        stream.upload(scalars_as_repr(&chunk), places)?;
        let scalars = logarithms.view().slice(0..chunk.len())?;
        let out = points.view_mut().slice(first..first + chunk.len())?;
        base.multiply(stream, scalars, out, work.view_mut())?;
    }
    stream.synchronize()?;
    Ok(points)
}

/// How many copies of data of this many bytes a bench goes through, so that a run does not find its
/// input in the 50 MB of an H200's second-level cache.
pub fn copies(stream: &Stream, bytes: usize) -> usize {
    const APART_BYTES: usize = 128 << 20;
    const COPIES_MAX: usize = 16;
    if stream.device().name() == "host" {
        return 2;
    }
    APART_BYTES.div_ceil(bytes).clamp(1, COPIES_MAX)
}

/// Numbers from 0 to 2^32 − 1, the same for the same seed, made in parallel.
pub fn words(n: usize, seed: u64) -> Vec<u32> {
    let mut words = vec![0; n];
    words.par_chunks_mut(TASK).enumerate().for_each(|(task, words)| {
        let mut rng = ChaCha20Rng::seed_from_u64(seed << 32 | task as u64);
        words.fill_with(|| rng.next_u32());
    });
    words
}

/// A bit for each variable that is set with probability `share`.
pub fn bits(n: usize, share: f64, seed: u64) -> Vec<bool> {
    let below = (share * f64::from(u32::MAX)) as u32;
    words(n, seed).into_par_iter().map(|word| word < below).collect()
}
