//! Transforms and the quotient, data on the device.
#![allow(missing_docs)]

use bls12_381::Scalar;
use ff::Field;
use groth16_cuda::device::{Device, DeviceBuffer, Stream};
use groth16_cuda::ntt::{Domain, Order};
use groth16_cuda::{Result, quotient};
use rayon::prelude::*;

mod harness;
use harness::scalars::random;
use harness::transforms::{Transform, evaluate, interpolate, power};
use harness::{Options, Record, median_ms};

const RUNS: usize = 7;

fn main() -> Result<()> {
    let options = Options::from_arguments();
    let device = &options.device;
    let stream = device.stream()?;
    let mut record = Record::new("ntt", &options);
    for log2n in options.sizes(&[16, 20, 22, 24], &[12, 16]) {
        if options.wants(&["forward", "inverse"]) {
            transforms(device, &stream, log2n, &mut record)?;
        }
        if options.wants(&["quotient"]) {
            whole_quotient(device, &stream, log2n, &mut record)?;
        }
    }
    record.finish(&options);
    Ok(())
}

/// The native transforms: forward from bit-reversed order and inverse to it. Both are timed on data
/// that is there already; then one of each is checked.
fn transforms(device: &Device, stream: &Stream, log2n: u32, record: &mut Record) -> Result<()> {
    let values = random(1 << log2n, 1);
    let domain = Domain::new(device, log2n)?;
    let mut data = device.alloc(values.len())?;
    let mut back = vec![Scalar::ZERO; values.len()];

    stream.upload(&values, data.view_mut())?;
    let order = Order::ReversedToNatural;
    let forward_ms =
        median_ms(stream, RUNS, || domain.forward(stream, data.view_mut(), order, None))?;
    stream.upload(&values, data.view_mut())?;
    domain.forward(stream, data.view_mut(), order, None)?;
    stream.download(data.view(), &mut back)?;
    let forward = Transform { domain: &domain, inverse: false, order, shift: None };
    record.row("forward", log2n, forward_ms, forward.holds(&values, &back));

    let order = Order::NaturalToReversed;
    let inverse_ms =
        median_ms(stream, RUNS, || domain.inverse(stream, data.view_mut(), order, None))?;
    stream.upload(&values, data.view_mut())?;
    domain.inverse(stream, data.view_mut(), order, None)?;
    stream.download(data.view(), &mut back)?;
    let inverse = Transform { domain: &domain, inverse: true, order, shift: None };
    record.row("inverse", log2n, inverse_ms, inverse.holds(&values, &back));
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
    let h: Vec<_> = limbs.into_par_iter().map(Scalar::from_raw).collect();
    let [at_a, at_b, at_c] = interpolate(&domain, x, |i| [a[i], b[i], a[i] * b[i]]);
    let right = at_a * at_b - at_c == evaluate(&h, x, false) * (power(x, n) - Scalar::ONE);
    record.row("quotient", log2n, quotient_ms, right);
    Ok(())
}
