//! Multi-scalar multiplications, points and scalars on the device; the last points on the host.
#![allow(missing_docs)]

use std::time::Instant;

use bls12_381::{G1Projective, G2Projective, Scalar};
use ff::Field;
use groth16_cuda::Result;
use groth16_cuda::device::{Stream, View};
use groth16_cuda::msm::{Plan, Query, Scalars, Sums, Workspace};
use groth16_cuda::points::{self, Checks};
use groth16_cuda::repr::{CurveGroup, G1, G2, scalars_as_repr};
use group::{Curve, Group};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use rayon::prelude::*;

mod harness;
use harness::{Options, Record, median};

const RUNS: usize = 7;

fn main() -> Result<()> {
    let options = Options::from_arguments();
    let stream = options.device.stream()?;
    let mut record = Record::new("msm");
    for log2n in options.sizes(&[16, 18, 20, 22], &[10, 12]) {
        let (ms, right) = resident::<G1, G1Projective>(
            &stream,
            log2n,
            (1, 0),
            |workspace, scalars, points| {
                let query = [Query::<G1>::identity(points)];
                workspace.enqueue(scalars, &query, &[])
            },
            |sums| sums.g1[0],
        )?;
        record.row("g1-resident", log2n, ms, right);
    }
    for log2n in options.sizes(&[16, 18, 20], &[10]) {
        let (ms, right) = resident::<G2, G2Projective>(
            &stream,
            log2n,
            (0, 1),
            |workspace, scalars, points| {
                let query = [Query::<G2>::identity(points)];
                workspace.enqueue(scalars, &[], &query)
            },
            |sums| sums.g2[0],
        )?;
        record.row("g2-resident", log2n, ms, right);
    }
    record.finish(&options);
    Ok(())
}

/// The time from the first launch to the sum on the host, and whether the sums were all right.
fn resident<G, P>(
    stream: &Stream,
    log2n: u32,
    (g1, g2): (usize, usize),
    enqueue: impl Fn(&mut Workspace<'_>, &Scalars<'_>, View<'_, G::Affine>) -> Result<()>,
    pick: impl Fn(&Sums) -> P,
) -> Result<(f64, bool)>
where
    G: CurveGroup<AffinePoint = P::Affine, Point = P>,
    P: Group<Scalar = Scalar> + Curve,
{
    let n = 1_usize << log2n;
    let (line, values) = (Line::new(), random(n));
    let points = points::upload::<G>(stream, &G::to_bytes(&line.points::<P>(n)), Checks::NONE)?;
    let device = stream.device();
    let mut scalars = device.alloc(n)?;
    stream.upload(scalars_as_repr(&values), scalars.view_mut())?;
    let mut workspace = Workspace::new(stream, &Plan::new(n)?, g1, g2)?;
    let expected = P::generator() * line.logarithm(&values);
    let mut times_ms = Vec::new();
    let mut right = true;
    for run in 0..=RUNS {
        let start = Instant::now();
        let terms = Scalars::montgomery(scalars.view());
        enqueue(&mut workspace, &terms, points.view())?;
        let sums = workspace.finish()?;
        if run > 0 {
            times_ms.push(start.elapsed().as_secs_f64() * 1e3);
        }
        right &= pick(&sums) == expected;
    }
    Ok((median(&mut times_ms), right))
}

/// The points (start + i · step) · G, so that every sum's discrete logarithm is known.
struct Line {
    start: Scalar,
    step: Scalar,
}

impl Line {
    fn new() -> Self {
        Self { start: Scalar::from(0x1234_5678_9abc), step: Scalar::from(7) }
    }

    fn points<P>(&self, n: usize) -> Vec<P::Affine>
    where
        P: Group<Scalar = Scalar> + Curve,
    {
        const CHUNK: usize = 1 << 10;
        let step = P::generator() * self.step;
        let chunks = (0..n.div_ceil(CHUNK)).into_par_iter().flat_map_iter(|chunk| {
            let first = self.start + self.step * Scalar::from((chunk * CHUNK) as u64);
            let mut next = P::generator() * first;
            let mut line = Vec::with_capacity(CHUNK);
            for _ in 0..CHUNK.min(n - chunk * CHUNK) {
                line.push(next);
                next += step;
            }
            let mut affine = vec![P::identity().to_affine(); line.len()];
            P::batch_normalize(&line, &mut affine);
            affine
        });
        chunks.collect()
    }

    /// Σ scalars[i] · (start + i · step).
    fn logarithm(&self, scalars: &[Scalar]) -> Scalar {
        let indexed = scalars.par_iter().enumerate();
        indexed
            .map(|(i, s)| s * (self.start + self.step * Scalar::from(i as u64)))
            .reduce(|| Scalar::ZERO, |a, b| a + b)
    }
}

fn random(n: usize) -> Vec<Scalar> {
    const CHUNK: usize = 1 << 12;
    let chunks = (0..n.div_ceil(CHUNK)).into_par_iter().flat_map_iter(|chunk| {
        let mut rng = ChaCha20Rng::seed_from_u64(chunk as u64);
        let len = CHUNK.min(n - chunk * CHUNK);
        (0..len).map(move |_| Scalar::random(&mut rng)).collect::<Vec<_>>()
    });
    chunks.collect()
}
