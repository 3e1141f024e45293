//! Multi-scalar multiplications, points and scalars on the device or in page-locked host memory;
//! the last points on the host.
#![allow(missing_docs)]

use std::collections::BTreeMap;
use std::time::Instant;

use bls12_381::Scalar;
use groth16_cuda::Result;
use groth16_cuda::device::{DeviceBuffer, PinnedBuffer, Stream, View};
use groth16_cuda::msm::{Multiples, Plan, Query, Scalars, Streaming, Workspace};
use groth16_cuda::repr::{CurveGroup, FrRepr, G1, G2, scalars_as_repr};
use group::{Curve, Group};
use rayon::prelude::*;

mod harness;
#[path = "msm/skewed.rs"]
mod skewed;
#[path = "msm/witness.rs"]
mod witness;

use harness::scalars::{Line, copies, points_at, random};
use harness::{Options, Record, median};
use skewed::{Skew, special};

/// The levels of affine additions that are compared, up to this many.
const AFFINE_LEVELS: u32 = 4;

/// The levels that go with one window less than tuned.
const WIDER_LEVELS: u32 = 3;

/// Binary logarithms of sizes over multiples, on a GPU.
const MULTIPLES: &[u32] = &[14, 16, 18, 20, 22];

fn main() -> Result<()> {
    let options = Options::from_arguments();
    let stream = options.device.stream()?;
    let mut record = Record::new("msm", &options);
    group::<G1>(&stream, &options, &mut record)?;
    group::<G2>(&stream, &options, &mut record)?;
    if options.wants(&["witness"]) {
        for log2n in options.sizes(&[24], &[10]) {
            let (ms, right) = witness::four_sums(&stream, log2n)?;
            record.row("witness", log2n, ms, right);
        }
    }
    record.finish(&options);
    Ok(())
}

/// Runs that count: fewer where one takes long.
fn runs(log2n: u32) -> usize {
    match log2n {
        0..24 => 7,
        24..26 => 5,
        _ => 3,
    }
}

/// What the rows of one group need of it.
trait Benched: CurveGroup<Point: Curve<Affine = Self::AffinePoint, Scalar = Scalar>> {
    /// The start of the rows' names.
    const PREFIX: &'static str;
    /// Binary logarithms of sizes on a GPU.
    const RESIDENT: &'static [u32];
    const AFFINE: &'static [u32];
    const PINNED: &'static [u32];
    fn workspace<'s>(stream: &'s Stream, plan: &Plan) -> Result<Workspace<'s>>;
    fn enqueue(workspace: &mut Workspace<'_>, set: &Set<'_, Self>) -> Result<()>;
    fn finish(workspace: &Workspace<'_>) -> Result<Self::Point>;
}

impl Benched for G1 {
    const PREFIX: &'static str = "g1";
    const RESIDENT: &'static [u32] = &[16, 18, 20, 22, 24, 26, 27];
    const AFFINE: &'static [u32] = &[20, 22, 24, 26];
    const PINNED: &'static [u32] = &[24, 26];
    fn workspace<'s>(stream: &'s Stream, plan: &Plan) -> Result<Workspace<'s>> {
        Workspace::new(stream, plan, 1, 0)
    }
    fn enqueue(workspace: &mut Workspace<'_>, set: &Set<'_, Self>) -> Result<()> {
        workspace.enqueue(&set.scalars(), &[set.query], &[])
    }
    fn finish(workspace: &Workspace<'_>) -> Result<Self::Point> {
        Ok(workspace.finish()?.g1[0])
    }
}

impl Benched for G2 {
    const PREFIX: &'static str = "g2";
    const RESIDENT: &'static [u32] = &[16, 18, 20, 22, 24];
    const AFFINE: &'static [u32] = &[18, 20, 22, 24];
    const PINNED: &'static [u32] = &[22, 24];
    fn workspace<'s>(stream: &'s Stream, plan: &Plan) -> Result<Workspace<'s>> {
        Workspace::new(stream, plan, 0, 1)
    }
    fn enqueue(workspace: &mut Workspace<'_>, set: &Set<'_, Self>) -> Result<()> {
        workspace.enqueue(&set.scalars(), &[], &[set.query])
    }
    fn finish(workspace: &Workspace<'_>) -> Result<Self::Point> {
        Ok(workspace.finish()?.g2[0])
    }
}

/// What a row measures.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Uniform scalars, with so many levels of affine additions.
    Uniform(u32),
    /// The same with one window less.
    Wider(u32),
    /// Uniform scalars over multiples, with so many levels.
    Multiples(u32),
    Skewed(Skew),
    SpecialPoints,
    Pinned,
}

struct Row {
    case: String,
    log2n: u32,
    kind: Kind,
}

/// The rows of a group that were asked for.
fn rows<G: Benched>(options: &Options) -> Vec<Row> {
    let mut kinds = vec![("resident".to_owned(), Kind::Uniform(0), G::RESIDENT)];
    for levels in 1..=AFFINE_LEVELS {
        kinds.push((format!("affine-{levels}"), Kind::Uniform(levels), G::AFFINE));
    }
    kinds.push((format!("affine-{WIDER_LEVELS}-wider"), Kind::Wider(WIDER_LEVELS), G::AFFINE));
    kinds.push(("multiples".to_owned(), Kind::Multiples(0), MULTIPLES));
    kinds.push(("multiples-affine-2".to_owned(), Kind::Multiples(2), MULTIPLES));
    for skew in Skew::ALL {
        kinds.push((skew.name().to_owned(), Kind::Skewed(skew), &[22]));
    }
    kinds.push(("special-points".to_owned(), Kind::SpecialPoints, &[22]));
    kinds.push(("pinned".to_owned(), Kind::Pinned, G::PINNED));
    let mut rows = Vec::new();
    for (name, kind, sizes) in kinds {
        let case = format!("{}-{name}", G::PREFIX);
        let host: &[u32] = if kind == Kind::Uniform(0) { &[10, 12] } else { &[10] };
        if options.wants(&[&case]) {
            let sizes = options.sizes(sizes, host).into_iter();
            rows.extend(sizes.map(|log2n| Row { case: case.clone(), log2n, kind }));
        }
    }
    rows
}

/// All rows of a group, over parts of the same points and scalars.
fn group<G: Benched>(stream: &Stream, options: &Options, record: &mut Record) -> Result<()> {
    let rows = rows::<G>(options);
    let length = |row: &Row| match row.kind {
        Kind::Uniform(_) | Kind::Wider(_) => sets::<G>(stream, row.log2n) << row.log2n,
        _ => 1 << row.log2n,
    };
    let Some(most) = rows.iter().map(length).max() else { return Ok(()) };
    let mut inputs = Inputs::<G>::new(stream, most)?;
    let pinned = rows.iter().filter(|row| row.kind == Kind::Pinned);
    let pinned = pinned.map(length).max().map(|most| Pinned::new(stream, &inputs, most));
    let pinned = pinned.transpose()?;
    for Row { case, log2n, kind } in rows {
        let (ms, right) = match (kind, &pinned) {
            (Kind::Uniform(levels), _) => uniform(stream, &mut inputs, log2n, 0, levels)?,
            (Kind::Wider(levels), _) => uniform(stream, &mut inputs, log2n, 1, levels)?,
            (Kind::Multiples(levels), _) => multiples(stream, &mut inputs, log2n, levels)?,
            (Kind::Skewed(skew), _) => skewed_scalars(stream, &inputs, log2n, skew)?,
            (Kind::SpecialPoints, _) => special_points(stream, &inputs, log2n)?,
            (Kind::Pinned, Some(pinned)) => streamed(stream, &mut inputs, pinned, log2n)?,
            (Kind::Pinned, None) => continue,
        };
        record.row(&case, log2n, ms, right);
    }
    Ok(())
}

/// How many sets of points and scalars runs of this size take in turn.
fn sets<G: CurveGroup>(stream: &Stream, log2n: u32) -> usize {
    let bytes = (size_of::<G::Affine>() + size_of::<FrRepr>()) << log2n;
    copies(stream, bytes).min(runs(log2n))
}

/// Points on a line and uniform scalars, as many as the longest row takes.
struct Inputs<G: CurveGroup> {
    line: Line,
    points: DeviceBuffer<G::Affine>,
    values: Vec<Scalar>,
    scalars: DeviceBuffer<FrRepr>,
    /// The sums of the sets of this many terms each, once a row has asked for them.
    sums: BTreeMap<usize, Vec<G::Point>>,
}

impl<G: Benched> Inputs<G> {
    fn new(stream: &Stream, n: usize) -> Result<Self> {
        let (line, values) = (Line::new(), random(n, 0));
        let points = line.points::<G>(stream, n)?;
        let scalars = upload(stream, &values)?;
        Ok(Self { line, points, values, scalars, sums: BTreeMap::new() })
    }

    /// The first sets of `n` terms each, with their sums.
    fn sets(&mut self, n: usize, count: usize) -> Result<Vec<Set<'_, G>>> {
        let Self { line, points, values, scalars, sums } = self;
        let sum = |set: usize| {
            let range = set * n..(set + 1) * n;
            G::Point::generator() * line.logarithm_from(range.start, &values[range])
        };
        let sums = sums.entry(n).or_default();
        sums.extend((sums.len()..count).map(sum));
        let set = |(set, sum): (usize, &G::Point)| {
            let range = set * n..(set + 1) * n;
            let (points, scalars) = (points.view().slice(range.clone())?, scalars.view());
            let query = Query::identity(points);
            Ok(Set { points, query, scalars: scalars.slice(range)?, sum: *sum })
        };
        sums.iter().take(count).enumerate().map(set).collect()
    }
}

fn upload(stream: &Stream, values: &[Scalar]) -> Result<DeviceBuffer<FrRepr>> {
    let mut scalars = stream.device().alloc(values.len())?;
    stream.upload(scalars_as_repr(values), scalars.view_mut())?;
    Ok(scalars)
}

/// The terms of one sum, and what it is. The query is over the points or their multiples.
#[derive(Clone, Copy)]
struct Set<'a, G: CurveGroup> {
    points: View<'a, G::Affine>,
    query: Query<'a, G>,
    scalars: View<'a, FrRepr>,
    sum: G::Point,
}

impl<G: CurveGroup> Set<'_, G> {
    fn scalars(&self) -> Scalars<'_> {
        Scalars::montgomery(self.scalars)
    }
}

/// The time from the first launch to the sum on the host, and whether the sums were all right. Each
/// run takes the next set.
fn resident<G: Benched>(
    stream: &Stream,
    plan: &Plan,
    log2n: u32,
    sets: &[Set<'_, G>],
) -> Result<(f64, bool)> {
    let mut workspace = G::workspace(stream, plan)?;
    let (mut times_ms, mut right) = (Vec::new(), true);
    for (run, set) in (0..=runs(log2n)).zip(sets.iter().cycle()) {
        let start = Instant::now();
        G::enqueue(&mut workspace, set)?;
        let sum = G::finish(&workspace)?;
        if run > 0 {
            times_ms.push(start.elapsed().as_secs_f64() * 1e3);
        }
        right &= sum == set.sum;
    }
    Ok((median(&mut times_ms), right))
}

fn uniform<G: Benched>(
    stream: &Stream,
    inputs: &mut Inputs<G>,
    log2n: u32,
    fewer: u32,
    levels: u32,
) -> Result<(f64, bool)> {
    let windows = Plan::new(1 << log2n)?.windows() - fewer;
    let plan = Plan::with_affine_levels(1 << log2n, windows, 0, levels)?;
    let sets = inputs.sets(1 << log2n, sets::<G>(stream, log2n))?;
    resident(stream, &plan, log2n, &sets)
}

/// As [`resident`], over the first points' multiples.
fn multiples<G: Benched>(
    stream: &Stream,
    inputs: &mut Inputs<G>,
    log2n: u32,
    levels: u32,
) -> Result<(f64, bool)> {
    let plan = Plan::for_multiples(1 << log2n, 0, levels)?;
    let sets = inputs.sets(1 << log2n, 1)?;
    let multiples = Multiples::new(stream, sets[0].points, &plan)?;
    let set = Set { query: multiples.query(), ..sets[0] };
    resident(stream, &plan, log2n, &[set])
}

/// As [`resident`], of the first points.
fn skewed_scalars<G: Benched>(
    stream: &Stream,
    inputs: &Inputs<G>,
    log2n: u32,
    skew: Skew,
) -> Result<(f64, bool)> {
    let n = 1 << log2n;
    let plan = Plan::new(n)?;
    let values = skew.scalars(n, plan.windows());
    let scalars = upload(stream, &values)?;
    let points = inputs.points.view().slice(0..n)?;
    let sum = G::Point::generator() * inputs.line.logarithm(&values);
    let query = Query::<G>::identity(points);
    resident(stream, &plan, log2n, &[Set { points, query, scalars: scalars.view(), sum }])
}

/// As [`resident`], with infinity, equal and opposite points that meet in buckets.
fn special_points<G: Benched>(
    stream: &Stream,
    inputs: &Inputs<G>,
    log2n: u32,
) -> Result<(f64, bool)> {
    let n = 1 << log2n;
    let values = &inputs.values[..n];
    let term = |i| special(&inputs.line, values, i);
    let points = points_at::<G>(stream, n, |i| term(i).0)?;
    let scalars = upload(stream, &(0..n).into_par_iter().map(|i| term(i).1).collect::<Vec<_>>())?;
    let logarithm: Scalar = (0..n).into_par_iter().map(term).map(|(x, s)| x * s).sum();
    let sum = G::Point::generator() * logarithm;
    let (points, scalars) = (points.view(), scalars.view());
    let set = Set { points, query: Query::<G>::identity(points), scalars, sum };
    resident(stream, &Plan::new(n)?, log2n, &[set])
}

/// The first points and scalars in page-locked host memory.
struct Pinned<G: CurveGroup> {
    points: PinnedBuffer<G::Affine>,
    scalars: PinnedBuffer<Scalar>,
}

impl<G: CurveGroup> Pinned<G> {
    fn new(stream: &Stream, inputs: &Inputs<G>, n: usize) -> Result<Self> {
        let device = stream.device();
        let mut points = PinnedBuffer::new(device, n)?;
        stream.download(inputs.points.view().slice(0..n)?, &mut points)?;
        let mut scalars = PinnedBuffer::new(device, n)?;
        scalars.copy_from_slice(&inputs.values[..n]);
        Ok(Self { points, scalars })
    }
}

/// As [`uniform`], out of page-locked host memory.
fn streamed<G: Benched>(
    stream: &Stream,
    inputs: &mut Inputs<G>,
    pinned: &Pinned<G>,
    log2n: u32,
) -> Result<(f64, bool)> {
    let n = 1 << log2n;
    let expected = inputs.sets(n, 1)?[0].sum;
    let mut streaming = Streaming::<G>::new(stream, n, 1)?;
    let (mut times_ms, mut right) = (Vec::new(), true);
    for run in 0..=runs(log2n) {
        let start = Instant::now();
        let sums = streaming.sums(&pinned.points[..n], &[&pinned.scalars[..n]])?;
        if run > 0 {
            times_ms.push(start.elapsed().as_secs_f64() * 1e3);
        }
        right &= sums == [expected];
    }
    Ok((median(&mut times_ms), right))
}
