//! Sums of the points on a list of variables, everything on the device.
#![allow(missing_docs)]

use bls12_381::Scalar;
use ff::Field;
use groth16_cuda::density::{DensityMap, DeviceDensity, IndexMap};
use groth16_cuda::device::{DeviceBuffer, Stream, View};
use groth16_cuda::repr::{CurveGroup, G1, G2};
use groth16_cuda::{Result, batch_add};
use group::{Curve, Group};

mod harness;
use harness::scalars::{Line, bits, copies};
use harness::{Options, Record, median_ms};

const RUNS: usize = 7;

/// Of the variables of a circuit for proofs of replication: how many are one, and how many have a
/// point in the queries A and B.
const ONES: f64 = 0.485;
const DENSITY_A: f64 = 0.997;
const DENSITY_B: f64 = 0.254;

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
        let list: Vec<u32> = (0..n as u32).collect();
        let mut sum = Sum::<G>::new(stream, &list)?;
        let mut right = true;
        let mut set = 0;
        let ms = median_ms(stream, RUNS, || {
            let points = points.view().slice(set * n..(set + 1) * n)?;
            set = (set + 1) % sets(log2n);
            sum.enqueue(stream, points, IndexMap::identity(n))
        })?;
        for set in 0..sets(log2n) {
            let points = points.view().slice(set * n..(set + 1) * n)?;
            sum.enqueue(stream, points, IndexMap::identity(n))?;
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
    let mut sum_a = Sum::<G1>::new(stream, &list)?;
    let mut sum_b = Sum::<G1>::new(stream, &list)?;
    let mut sum_b2 = Sum::<G2>::new(stream, &list)?;
    let times_ms = [
        median_ms(stream, RUNS, || sum_a.enqueue(stream, points_a, map_a))?,
        median_ms(stream, RUNS, || sum_b.enqueue(stream, points_b, map_b))?,
        median_ms(stream, RUNS, || sum_b2.enqueue(stream, points_b2.view(), map_b))?,
        median_ms(stream, RUNS, || {
            sum_a.enqueue(stream, points_a, map_a)?;
            sum_b.enqueue(stream, points_b, map_b)?;
            sum_b2.enqueue(stream, points_b2.view(), map_b)
        })?,
    ];
    let logarithm = |map: &DensityMap, first: usize| -> Scalar {
        list.iter().filter_map(|&v| map.position(v as usize)).map(|i| line.at(first + i)).sum()
    };
    let (log_b, log_b2) = (logarithm(b, a.count()), logarithm(b, 0));
    let right = [
        sum_a.is_multiple(stream, logarithm(a, 0))?,
        sum_b.is_multiple(stream, log_b)?,
        sum_b2.is_multiple(stream, log_b2)?,
    ];
    let all = right.iter().all(|right| *right);
    record.row("witness-a-g1", log2n, times_ms[0], right[0]);
    record.row("witness-b-g1", log2n, times_ms[1], right[1]);
    record.row("witness-b-g2", log2n, times_ms[2], right[2]);
    record.row("witness", log2n, times_ms[3], all);
    Ok(())
}

/// A list and what its sums need.
struct Sum<G: CurveGroup> {
    list: DeviceBuffer<u32>,
    count: DeviceBuffer<u32>,
    out: DeviceBuffer<G::Xyzz>,
    work: DeviceBuffer<u8>,
}

impl<G> Sum<G>
where
    G: CurveGroup<Point: Curve<Affine = G::AffinePoint, Scalar = Scalar>>,
{
    fn new(stream: &Stream, list: &[u32]) -> Result<Self> {
        let device = stream.device();
        let mut sum = Self {
            list: device.alloc(list.len())?,
            count: device.alloc(1)?,
            out: device.alloc(batch_add::partials::<G>(device, list.len())?)?,
            work: device.alloc(batch_add::workspace::<G>(device, list.len())?)?,
        };
        stream.upload(list, sum.list.view_mut())?;
        stream.upload(&[list.len() as u32], sum.count.view_mut())?;
        Ok(sum)
    }

    fn enqueue(
        &mut self,
        stream: &Stream,
        points: View<'_, G::Affine>,
        map: IndexMap<'_>,
    ) -> Result<()> {
        let (out, work) = (self.out.view_mut(), self.work.view_mut());
        batch_add::sum::<G>(stream, points, map, self.list.view(), self.count.view(), out, work)
    }

    fn result(&self, stream: &Stream) -> Result<G::Point> {
        let mut sums = vec![G::XYZZ_INFINITY; self.out.len()];
        stream.download(self.out.view(), &mut sums)?;
        batch_add::finish::<G>(&sums)
    }

    fn is_multiple(&self, stream: &Stream, logarithm: Scalar) -> Result<bool> {
        Ok(self.result(stream)? == G::Point::generator() * logarithm)
    }
}
