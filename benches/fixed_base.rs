//! Multiples of one point, scalars and points on the device; and the table that they come from.
#![allow(missing_docs)]

use std::time::Instant;

use bls12_381::Scalar;
use groth16_cuda::density::IndexMap;
use groth16_cuda::device::{Stream, View, ViewMut};
use groth16_cuda::fixed_base::FixedBase;
use groth16_cuda::repr::{CurveGroup, G1, G2, scalars_as_repr};
use groth16_cuda::{Result, batch_add, points};
use group::{Curve, Group};
use rayon::prelude::*;

mod harness;
use harness::scalars::random;
use harness::{Options, Record, median, median_ms};

const RUNS: usize = 7;

fn main() -> Result<()> {
    let options = Options::from_arguments();
    let stream = options.device.stream()?;
    let mut record = Record::new("fixed_base", &options);
    let names = ["g1", "g1-table"];
    if options.wants(&names) {
        for log2n in options.sizes(&[16, 20, 22, 24], &[8, 10]) {
            multiples::<G1>(&stream, log2n, names, &mut record)?;
        }
    }
    let names = ["g2", "g2-table"];
    if options.wants(&names) {
        for log2n in options.sizes(&[16, 20, 22], &[8]) {
            multiples::<G2>(&stream, log2n, names, &mut record)?;
        }
    }
    record.finish(&options);
    Ok(())
}

/// The time of 2^log2n multiples in one call, and of their table, which is built anew each time.
fn multiples<G>(stream: &Stream, log2n: u32, names: [&str; 2], record: &mut Record) -> Result<()>
where
    G: CurveGroup<Point: Curve<Affine = G::AffinePoint, Scalar = Scalar>>,
{
    let n = 1_usize << log2n;
    let device = stream.device();
    let generator = G::Point::generator().to_affine();
    let mut base = FixedBase::<G>::new(stream, &generator, n)?;
    let mut table_times_ms = Vec::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        base = FixedBase::<G>::new(stream, &generator, n)?;
        table_times_ms.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let values = random(n, 5);
    let mut scalars = device.alloc(n)?;
    stream.upload(scalars_as_repr(&values), scalars.view_mut())?;
    let mut out = device.alloc::<G::Affine>(n)?;
    let mut work = device.alloc(FixedBase::<G>::workspace(device, n)?)?;
    let ms = median_ms(stream, RUNS, || {
        base.multiply(stream, scalars.view(), out.view_mut(), work.view_mut())
    })?;
    let right = sum_is_right::<G>(stream, &values, out.view())?
        && samples_are_right::<G>(stream, &values, out.view_mut())?;
    record.row(names[0], log2n, ms, right);
    record.row(names[1], log2n, median(&mut table_times_ms), right);
    Ok(())
}

/// Whether all points add up to the sum of all scalars.
fn sum_is_right<G>(stream: &Stream, values: &[Scalar], out: View<'_, G::Affine>) -> Result<bool>
where
    G: CurveGroup<Point: Curve<Affine = G::AffinePoint, Scalar = Scalar>>,
{
    let (device, n) = (stream.device(), values.len());
    let [mut list, mut count] = [device.alloc::<u32>(n)?, device.alloc::<u32>(1)?];
    stream.upload(&(0..n as u32).collect::<Vec<_>>(), list.view_mut())?;
    stream.upload(&[n as u32], count.view_mut())?;
    let mut partials = device.alloc::<G::Xyzz>(batch_add::partials::<G>(device, n)?)?;
    let mut work = device.alloc(batch_add::workspace::<G>(device, n)?)?;
    let (list, count, map) = (list.view(), count.view(), IndexMap::identity(n));
    let (sums, work) = (partials.view_mut(), work.view_mut());
    batch_add::sum::<G>(stream, out, map, list, count, sums, work)?;
    let mut sums = vec![G::XYZZ_INFINITY; partials.len()];
    stream.download(partials.view(), &mut sums)?;
    let sum: Scalar = values.par_iter().sum();
    Ok(batch_add::finish::<G>(&sums)? == G::Point::generator() * sum)
}

/// Whether a few points are right by themselves; their places hold encodings afterwards.
fn samples_are_right<G>(
    stream: &Stream,
    values: &[Scalar],
    mut out: ViewMut<'_, G::Affine>,
) -> Result<bool>
where
    G: CurveGroup<Point: Curve<Affine = G::AffinePoint, Scalar = Scalar>>,
{
    let n = values.len();
    let mut samples = vec![0, n / 5, n / 3, n / 2, n - 1];
    samples.dedup();
    for i in samples {
        let mut point = out.reborrow().slice(i..i + 1)?;
        points::encode::<G>(stream, point.reborrow())?;
        let mut bytes = vec![0; G::BYTES];
        stream.download(point.as_view().cast()?, &mut bytes)?;
        if G::from_bytes(&bytes) != Some(G::Point::generator() * values[i]) {
            return Ok(false);
        }
    }
    Ok(true)
}
