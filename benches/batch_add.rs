//! Sums of the points on a list of variables, everything on the device.
#![allow(missing_docs)]

use bls12_381::{G1Projective, G2Projective, Scalar};
use ff::Field;
use groth16_cuda::Result;
use groth16_cuda::density::{DensityMap, DeviceDensity, IndexMap};
use groth16_cuda::device::Stream;
use groth16_cuda::repr::{CurveGroup, G1, G2};
use group::{Curve, Group};

mod harness;
use harness::scalars::{Line, bits, copies};
use harness::sums::{List, Sum};
use harness::witness::{DENSITY_A, DENSITY_B, ONES};
use harness::{Options, Record, median_ms};

const RUNS: usize = 7;

fn main() -> Result<()> {
    let options = Options::from_arguments();
    let stream = options.device.stream()?;
    let mut record = Record::new("batch_add", &options);
    let sizes = options.sizes(&[16, 18, 20, 22, 24], &[8, 12]);
    if options.wants(&["g1"]) {
        all_listed::<G1>(&stream, "g1", &sizes, &mut record)?;
    }
    if options.wants(&["g2"]) {
        all_listed::<G2>(&stream, "g2", &sizes, &mut record)?;
    }
    if options.wants(&["witness-a-g1", "witness-b-g1", "witness-b-g2", "witness"]) {
        for log2n in options.sizes(&[24], &[12]) {
            witness(&stream, log2n, &mut record)?;
        }
    }
    record.finish(&options);
    Ok(())
}

/// The sum of all of 2^log2n points; of several such sets of points where they are small.
fn all_listed<G>(stream: &Stream, case: &str, sizes: &[u32], record: &mut Record) -> Result<()>
where
    G: CurveGroup<Point: Curve<Affine = G::AffinePoint, Scalar = Scalar>>,
{
    let line = Line::new();
    let sets = |log2n: u32| copies(stream, size_of::<G::Affine>() << log2n);
    let most = sizes.iter().map(|&log2n| sets(log2n) << log2n).max().unwrap_or(0);
    let points = line.points::<G>(stream, most)?;
    for &log2n in sizes {
        let n = 1_usize << log2n;
        let list = List::upload(stream, &(0..n as u32).collect::<Vec<_>>())?;
        let (list, count) = (list.variables.view(), list.count.view());
        let mut sum = Sum::<G>::new(stream, n)?;
        let mut right = true;
        let mut set = 0;
        let ms = median_ms(stream, RUNS, || {
            let points = points.view().slice(set * n..(set + 1) * n)?;
            set = (set + 1) % sets(log2n);
            sum.enqueue(stream, points, IndexMap::identity(n), list, count)
        })?;
        for set in 0..sets(log2n) {
            let points = points.view().slice(set * n..(set + 1) * n)?;
            sum.enqueue(stream, points, IndexMap::identity(n), list, count)?;
            let logarithm = line.logarithm_from(set * n, &vec![Scalar::ONE; n]);
            right &= sum.result(stream)? == G::Point::generator() * logarithm;
        }
        record.row(case, log2n, ms, right);
    }
    Ok(())
}

/// The ones of a witness of 2^log2n variables over the queries A and B, and all three together.
fn witness(stream: &Stream, log2n: u32, record: &mut Record) -> Result<()> {
    let n = 1_usize << log2n;
    let ones = bits(n, ONES, 1);
    let list: Vec<u32> = (0..n as u32).filter(|&v| ones[v as usize]).collect();
    let [a, b] = [(DENSITY_A, 2), (DENSITY_B, 3)].map(|(share, seed)| bits(n, share, seed));
    let maps = [DensityMap::from_bits(a)?, DensityMap::from_bits(b)?];
    let [a, b] = &maps;
    let line = Line::new();
    let points = line.points::<G1>(stream, a.count() + b.count())?;
    let points_b2 = line.points::<G2>(stream, b.count())?;
    let points_a = points.view().slice(0..a.count())?;
    let points_b = points.view().slice(a.count()..points.len())?;
    let device_maps = [DeviceDensity::upload(stream, a)?, DeviceDensity::upload(stream, b)?];
    let [map_a, map_b] = [device_maps[0].map(), device_maps[1].map()];
    let ones = List::upload(stream, &list)?;
    let (ones, count) = (ones.variables.view(), ones.count.view());
    let mut sum_a = Sum::<G1>::new(stream, list.len())?;
    let mut sum_b = Sum::<G1>::new(stream, list.len())?;
    let mut sum_b2 = Sum::<G2>::new(stream, list.len())?;
    let times_ms = [
        median_ms(stream, RUNS, || sum_a.enqueue(stream, points_a, map_a, ones, count))?,
        median_ms(stream, RUNS, || sum_b.enqueue(stream, points_b, map_b, ones, count))?,
        median_ms(stream, RUNS, || sum_b2.enqueue(stream, points_b2.view(), map_b, ones, count))?,
        median_ms(stream, RUNS, || {
            sum_a.enqueue(stream, points_a, map_a, ones, count)?;
            sum_b.enqueue(stream, points_b, map_b, ones, count)?;
            sum_b2.enqueue(stream, points_b2.view(), map_b, ones, count)
        })?,
    ];
    let logarithm = |map: &DensityMap, first: usize| -> Scalar {
        list.iter().filter_map(|&v| map.position(v as usize)).map(|i| line.at(first + i)).sum()
    };
    let (log_b, log_b2) = (logarithm(b, a.count()), logarithm(b, 0));
    let right = [
        sum_a.result(stream)? == G1Projective::generator() * logarithm(a, 0),
        sum_b.result(stream)? == G1Projective::generator() * log_b,
        sum_b2.result(stream)? == G2Projective::generator() * log_b2,
    ];
    let all = right.iter().all(|right| *right);
    record.row("witness-a-g1", log2n, times_ms[0], right[0]);
    record.row("witness-b-g1", log2n, times_ms[1], right[1]);
    record.row("witness-b-g2", log2n, times_ms[2], right[2]);
    record.row("witness", log2n, times_ms[3], all);
    Ok(())
}
