//! Multi-scalar multiplications, points and scalars on the device or in page-locked host memory;
//! the last points on the host.
#![allow(missing_docs)]

use std::time::Instant;

use bls12_381::Scalar;
use groth16_cuda::Result;
use groth16_cuda::device::{PinnedBuffer, Stream, View};
use groth16_cuda::msm::{Plan, Query, Scalars, Streaming, Sums, Workspace};
use groth16_cuda::repr::{CurveGroup, G1, G2, scalars_as_repr};
use group::{Curve, Group};

mod harness;
use harness::scalars::{Line, random};
use harness::{Options, Record, median};

const RUNS: usize = 7;

/// The levels of affine additions that are compared, up to this many.
const AFFINE_LEVELS: u32 = 4;

fn main() -> Result<()> {
    let options = Options::from_arguments();
    let stream = options.device.stream()?;
    let mut record = Record::new("msm");
    for log2n in options.sizes(&[16, 18, 20, 22], &[10, 12]) {
        let (ms, right) = resident_g1(&stream, log2n, &Plan::new(1 << log2n)?)?;
        record.row("g1-resident", log2n, ms, right);
    }
    for log2n in options.sizes(&[16, 18, 20], &[10]) {
        let (ms, right) = resident_g2(&stream, log2n, &Plan::new(1 << log2n)?)?;
        record.row("g2-resident", log2n, ms, right);
    }
    for log2n in options.sizes(&[20, 22, 24], &[10]) {
        for levels in 1..=AFFINE_LEVELS {
            let plan = Plan::with_affine_levels(1 << log2n, 0, 0, levels)?;
            let (ms, right) = resident_g1(&stream, log2n, &plan)?;
            record.row(&format!("g1-affine-{levels}"), log2n, ms, right);
        }
    }
    for log2n in options.sizes(&[18, 20, 22], &[10]) {
        for levels in 1..=AFFINE_LEVELS {
            let plan = Plan::with_affine_levels(1 << log2n, 0, 0, levels)?;
            let (ms, right) = resident_g2(&stream, log2n, &plan)?;
            record.row(&format!("g2-affine-{levels}"), log2n, ms, right);
        }
    }
    for log2n in options.sizes(&[24, 26], &[10]) {
        let (ms, right) = pinned(&stream, log2n)?;
        record.row("g1-pinned", log2n, ms, right);
    }
    record.finish(&options);
    Ok(())
}

fn resident_g1(stream: &Stream, log2n: u32, plan: &Plan) -> Result<(f64, bool)> {
    let enqueue = |workspace: &mut Workspace<'_>, scalars: &Scalars<'_>, points: View<'_, _>| {
        workspace.enqueue(scalars, &[Query::<G1>::identity(points)], &[])
    };
    resident::<G1>(stream, log2n, plan, (1, 0), enqueue, |sums| sums.g1[0])
}

fn resident_g2(stream: &Stream, log2n: u32, plan: &Plan) -> Result<(f64, bool)> {
    let enqueue = |workspace: &mut Workspace<'_>, scalars: &Scalars<'_>, points: View<'_, _>| {
        workspace.enqueue(scalars, &[], &[Query::<G2>::identity(points)])
    };
    resident::<G2>(stream, log2n, plan, (0, 1), enqueue, |sums| sums.g2[0])
}

/// The time from the first launch to the sum on the host, and whether the sums were all right.
fn resident<G>(
    stream: &Stream,
    log2n: u32,
    plan: &Plan,
    (g1, g2): (usize, usize),
    enqueue: impl Fn(&mut Workspace<'_>, &Scalars<'_>, View<'_, G::Affine>) -> Result<()>,
    pick: impl Fn(&Sums) -> G::Point,
) -> Result<(f64, bool)>
where
    G: CurveGroup<Point: Curve<Affine = G::AffinePoint, Scalar = Scalar>>,
{
    let n = 1_usize << log2n;
    let (line, values) = (Line::new(), random(n, 0));
    let points = line.points::<G>(stream, n)?;
    let device = stream.device();
    let mut scalars = device.alloc(n)?;
    stream.upload(scalars_as_repr(&values), scalars.view_mut())?;
    let mut workspace = Workspace::new(stream, plan, g1, g2)?;
    let expected = G::Point::generator() * line.logarithm(&values);
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

/// As [`resident`], with points and scalars in page-locked host memory, which are copied meanwhile.
fn pinned(stream: &Stream, log2n: u32) -> Result<(f64, bool)> {
    let n = 1_usize << log2n;
    let (line, values) = (Line::new(), random(n, 0));
    let device = stream.device();
    let mut points = PinnedBuffer::new(device, n)?;
    stream.download(line.points::<G1>(stream, n)?.view(), &mut points)?;
    let mut scalars = PinnedBuffer::new(device, n)?;
    scalars.copy_from_slice(&values);
    let mut streaming = Streaming::<G1>::new(stream, n, 1)?;
    let expected = <G1 as CurveGroup>::Point::generator() * line.logarithm(&values);
    let mut times_ms = Vec::new();
    let mut right = true;
    for run in 0..=RUNS {
        let start = Instant::now();
        let sums = streaming.sums(&points, &[&scalars])?;
        if run > 0 {
            times_ms.push(start.elapsed().as_secs_f64() * 1e3);
        }
        right &= sums == [expected];
    }
    Ok((median(&mut times_ms), right))
}
