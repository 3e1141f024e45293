//! Transforms and the quotient, data on the device.
#![allow(missing_docs)]

use bls12_381::Scalar;
use ff::Field;
use groth16_cuda::device::{Device, DeviceBuffer, Stream};
use groth16_cuda::ntt::{Domain, Order};
use groth16_cuda::{Result, quotient};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use rayon::prelude::*;

mod harness;
use harness::{Options, Record, median_ms};

const RUNS: usize = 7;

fn main() -> Result<()> {
    let options = Options::from_arguments();
    let device = &options.device;
    let stream = device.stream()?;
    let mut record = Record::new("ntt");
    for log2n in options.sizes(&[16, 20, 22, 24], &[12, 16]) {
        transforms(device, &stream, log2n, &mut record)?;
        whole_quotient(device, &stream, log2n, &mut record)?;
    }
    record.finish(&options);
    Ok(())
}

/// The native transforms: inverse to bit-reversed order and forward from it. Both are timed on data
/// that is there already; then one of each is checked.
fn transforms(device: &Device, stream: &Stream, log2n: u32, record: &mut Record) -> Result<()> {
    let values = random(1 << log2n, 1);
    let domain = Domain::new(device, log2n)?;
    let mut data = device.alloc(values.len())?;
    let mut back = vec![Scalar::ZERO; values.len()];

    stream.upload(&values, data.view_mut())?;
    let forward_ms = median_ms(stream, RUNS, || {
        domain.forward(stream, data.view_mut(), Order::ReversedToNatural, None)
    })?;
    stream.upload(&values, data.view_mut())?;
    domain.forward(stream, data.view_mut(), Order::ReversedToNatural, None)?;
    stream.download(data.view(), &mut back)?;
    let points = [1, back.len() - 1, back.len() / 3];
    let right = points.iter().all(|&i| {
        let x = domain.root().pow_vartime(&[i as u64, 0, 0, 0]);
        back[i] == at(log2n, x, |j| values[reversed(j, log2n)])
    });
    record.row("forward", log2n, forward_ms, right);

    let inverse_ms = median_ms(stream, RUNS, || {
        domain.inverse(stream, data.view_mut(), Order::NaturalToReversed, None)
    })?;
    stream.upload(&back, data.view_mut())?;
    domain.inverse(stream, data.view_mut(), Order::NaturalToReversed, None)?;
    stream.download(data.view(), &mut back)?;
    record.row("inverse", log2n, inverse_ms, right && back == values);
    Ok(())
}

/// Evaluations of a and b to the coefficients of h; checked as A·B − C = h·Z at one point.
fn whole_quotient(device: &Device, stream: &Stream, log2n: u32, record: &mut Record) -> Result<()> {
    let n = 1_usize << log2n;
    let (a, b) = (random(n, 2), random(n, 3));
    let domain = Domain::new(device, log2n)?;
    let [mut on_a, mut on_b, mut on_w] = [device.alloc(n)?, device.alloc(n)?, device.alloc(n)?];
    let mut run = |on_a: &mut DeviceBuffer<Scalar>, on_b: &mut DeviceBuffer<Scalar>| {
        quotient::enqueue(stream, &domain, on_a.view_mut(), on_b.view_mut(), on_w.view_mut())
    };
    let quotient_ms = median_ms(stream, RUNS, || run(&mut on_a, &mut on_b))?;
    stream.upload(&a, on_a.view_mut())?;
    stream.upload(&b, on_b.view_mut())?;
    run(&mut on_a, &mut on_b)?;
    let mut limbs = vec![[0_u64; 4]; n];
    stream.download(on_b.view_mut().cast()?.as_view(), &mut limbs)?;

    let x = random(1, 4)[0];
    let z = x.pow_vartime(&[n as u64, 0, 0, 0]) - Scalar::ONE;
    let h = at(log2n, x, |i| Scalar::from_raw(limbs[i]));
    let [at_a, at_b, at_c] = interpolated(&a, &b, domain.root(), x, z);
    record.row("quotient", log2n, quotient_ms, at_a * at_b - at_c == h * z);
    Ok(())
}

/// A(x), B(x) and C(x) from evaluations of A and B at the roots' powers, where C = A·B:
/// the barycentric formula, z / n · Σ f_i · ω^i / (x − ω^i).
fn interpolated(a: &[Scalar], b: &[Scalar], root: Scalar, x: Scalar, z: Scalar) -> [Scalar; 3] {
    const CHUNK: usize = 1 << 12;
    let chunks = a.par_chunks(CHUNK).zip(b.par_chunks(CHUNK)).enumerate();
    let sums = chunks.map(|(chunk, (a, b))| {
        let mut point = root.pow_vartime(&[(chunk * CHUNK) as u64, 0, 0, 0]);
        let points: Vec<Scalar> = a
            .iter()
            .map(|_| {
                let this = point;
                point *= root;
                this
            })
            .collect();
        let mut weights: Vec<Scalar> = points.iter().map(|&p| x - p).collect();
        group::ff::BatchInvert::batch_invert(weights.iter_mut());
        let mut sums = [Scalar::ZERO; 3];
        for (((&a, &b), weight), point) in a.iter().zip(b).zip(weights).zip(points) {
            let weight = weight * point;
            sums[0] += a * weight;
            sums[1] += b * weight;
            sums[2] += a * b * weight;
        }
        sums
    });
    let add = |a: [Scalar; 3], b: [Scalar; 3]| [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
    let sums = sums.reduce(|| [Scalar::ZERO; 3], add);
    let n = Scalar::from(a.len() as u64);
    let factor = z * Option::<Scalar>::from(n.invert()).unwrap_or(Scalar::ZERO);
    sums.map(|sum| sum * factor)
}

/// The value at x of the polynomial with 2^log2n coefficients.
fn at(log2n: u32, x: Scalar, coefficient: impl Fn(usize) -> Scalar + Sync) -> Scalar {
    let n = 1_usize << log2n;
    let chunk = n.min(1 << 12);
    let horner = |start: usize| {
        let part = (start..start + chunk).rev();
        part.fold(Scalar::ZERO, |sum, i| sum * x + coefficient(i))
            * x.pow_vartime(&[start as u64, 0, 0, 0])
    };
    (0..n / chunk).into_par_iter().map(|i| horner(i * chunk)).reduce(|| Scalar::ZERO, |a, b| a + b)
}

fn reversed(index: usize, log2n: u32) -> usize {
    if log2n == 0 { index } else { index.reverse_bits() >> (usize::BITS - log2n) }
}

fn random(n: usize, seed: u64) -> Vec<Scalar> {
    const CHUNK: usize = 1 << 12;
    let chunks = (0..n.div_ceil(CHUNK)).into_par_iter().flat_map_iter(|chunk| {
        let mut rng = ChaCha20Rng::seed_from_u64(seed << 32 | chunk as u64);
        let len = CHUNK.min(n - chunk * CHUNK);
        (0..len).map(move |_| Scalar::random(&mut rng)).collect::<Vec<_>>()
    });
    chunks.collect()
}
