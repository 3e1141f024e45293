//! Kernels write to their planned blocks alone, and nothing depends on what those held before.

use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

use super::*;
use crate::density::{DensityMap, DeviceDensity};
use crate::testing::guard::{Guarded, Poison};
use crate::testing::oracle::groups::TestGroup;
use crate::testing::oracle::msm::{known_points, random_scalars};
use crate::testing::target::{device, is_gpu};

/// A plan: terms, windows, group, chunk, affine levels.
type Shape = (usize, u32, u32, usize, u32);

/// One window's group and all windows, several chunks, buckets of many tasks; each number of affine
/// levels, in one pass (44 windows) and in several (30 and 26 windows have 256 and 512 buckets).
const SHAPES: [Shape; 14] = [
    (1, 0, 0, 0, 0),
    (37, 0, 0, 0, 0),
    (130, 63, 1, 0, 0),
    (130, 40, 15, 50, 0),
    (299, 31, 10, 298, 0),
    (300, 26, 5, 128, 0),
    (70, 44, 20, 0, 1),
    (71, 44, 20, 0, 2),
    (257, 44, 44, 0, 3),
    (65, 44, 7, 0, 4),
    (129, 63, 63, 0, 5),
    (130, 50, 9, 0, 6),
    (299, 30, 30, 0, 2),
    (301, 26, 13, 0, 1),
];

/// For a GPU alone: many blocks, tiles of the radix sort and passes of affine tasks.
const LARGE_SHAPES: [Shape; 5] = [
    ((1 << 16) + 1, 0, 0, 0, 0),
    ((1 << 16) - 1, 0, 0, 0, 3),
    ((1 << 17) + 3, 0, 0, 50_000, 0),
    ((1 << 18) + 5, 0, 7, 0, 2),
    ((1 << 17) - 5, 16, 0, 0, 6),
];

fn plan_of((terms, windows, group, chunk, levels): Shape) -> Plan {
    if levels > 0 {
        Plan::with_affine_levels(terms, windows, group, levels).unwrap()
    } else {
        Plan::with_chunk(terms, windows, group, chunk).unwrap()
    }
}

/// Uniform scalars, all alike, and those of a witness.
fn scalars_of(kind: usize, n: usize) -> Vec<Scalar> {
    let uniform = random_scalars(&mut ChaCha8Rng::seed_from_u64(n as u64), n);
    match kind {
        0 => uniform,
        1 => vec![uniform[0]; n],
        _ => (0..n).map(|i| [uniform[i], Scalar::one(), Scalar::zero()][i % 3]).collect(),
    }
}

/// Everything that the kernels read, between guard bytes: the scalars and a list of them, points of
/// both groups, and a density.
struct Inputs {
    stream: Stream,
    scalars: Guarded,
    list: Guarded,
    count: Guarded,
    g1: Guarded,
    g2: Guarded,
    density: DeviceDensity,
    /// Of two queries, which are the same in both groups: of all points, over the density.
    multiples: [Scalar; 2],
}

impl Inputs {
    fn new(kind: usize, n: usize) -> Self {
        let stream = device().stream().unwrap();
        let (g1, multiples) = known_points::<G1>(n);
        let (g2, _) = known_points::<G2>(n);
        let scalars = scalars_of(kind, n);
        let bits: Vec<_> = (0..n).map(|v| v % 3 != 1).collect();
        let map = DensityMap::from_bits(bits.iter().copied()).unwrap();
        // Backwards, and what stands behind the count names no scalar.
        let mut list: Vec<_> = (0..n as u32).rev().collect();
        list[n - 1] = u32::MAX;
        let terms = || (0..n).filter(|&v| v > 0 || kind != 2);
        let all = terms().map(|v| scalars[v] * multiples[v]).sum();
        let points = terms().filter(|&v| bits[v]).map(|v| (v, map.position(v).unwrap()));
        let over_density = points.map(|(v, point)| scalars[v] * multiples[point]).sum();
        let upload =
            |bytes: &[u8]| points::upload::<G1>(&stream, bytes, points::Checks::NONE).unwrap();
        let g1 = Guarded::copied(&stream, upload(&G1::to_bytes(&g1)).view());
        let g2 = points::upload::<G2>(&stream, &G2::to_bytes(&g2), points::Checks::NONE).unwrap();
        Self {
            scalars: Guarded::holding(&stream, repr::scalars_as_repr(&scalars)),
            list: Guarded::holding(&stream, &list),
            count: Guarded::holding(&stream, &[n as u32 - 1]),
            g1,
            g2: Guarded::copied(&stream, g2.view()),
            density: DeviceDensity::upload(&stream, &map).unwrap(),
            multiples: [all, over_density],
            stream,
        }
    }

    /// The terms: by a list for witnesses, else all.
    fn terms(&self, kind: usize) -> Scalars<'_> {
        let all = Scalars::montgomery(self.scalars.view());
        if kind == 2 { all.listed(self.list.view(), Some(self.count.view())) } else { all }
    }

    fn queries<'a, G: CurveGroup>(&'a self, points: &'a Guarded) -> [Query<'a, G>; 2] {
        let all = Query::identity(points.view());
        [all, Query { map: self.density.map(), ..all }]
    }

    fn check(&self, what: &str, sums: &Sums) {
        let expected = self.multiples.map(|k| G1Projective::from(G1::multiple(k)));
        assert_eq!(sums.g1, expected, "{what}");
        let expected = self.multiples.map(|k| G2Projective::from(G2::multiple(k)));
        assert_eq!(sums.g2, expected, "{what}");
        let inputs = [&self.scalars, &self.list, &self.count, &self.g1, &self.g2];
        inputs.iter().for_each(|block| block.check_unchanged(&self.stream, what));
    }
}

fn for_each_shape(run: impl Fn(&str, &Inputs, usize, &Plan, Poison)) {
    let large = is_gpu(&device()).then_some(LARGE_SHAPES).into_iter().flatten();
    for (i, shape) in SHAPES.into_iter().chain(large).enumerate() {
        let kind = i % 3;
        let inputs = Inputs::new(kind, shape.0);
        for poison in Poison::ALL {
            let what = format!("{shape:?}, scalars {kind}, {poison:?}");
            run(&what, &inputs, kind, &plan_of(shape), poison);
        }
    }
}

/// The whole multiplication: in exactly its scratch, and with one byte less not at all.
#[test]
fn sums_keep_to_scratch_and_result() {
    for_each_shape(|what, inputs, kind, plan, poison| {
        let (stream, terms) = (&inputs.stream, inputs.terms(kind));
        let second = stream.device().stream().unwrap();
        let (g1, g2) = (inputs.queries(&inputs.g1), inputs.queries(&inputs.g2));
        let mut scratch = Guarded::new(stream, plan.scratch_bytes(Groups::Both), poison);
        let mut result = Guarded::new(stream, plan.result_bytes(2, 2), poison);
        let alone = Streams::from(stream);
        let streams =
            Streams { beside: (plan.affine_levels() % 2 == 1).then_some(&second), ..alone };
        let (work, out) = (scratch.view_mut(), result.view_mut());
        enqueue(streams, plan, &terms, &g1, &g2, work, out).unwrap();
        scratch.check(stream, &format!("scratch of {what}"));
        result.check(stream, &format!("result of {what}"));
        inputs.check(what, &plan.finish(2, 2, &result.bytes(stream)).unwrap());
        for (less, none) in [(1, 0), (0, 1)] {
            let (work, out) = (scratch.view_mut::<u8>(), result.view_mut::<u8>());
            let (work_bytes, out_bytes) = (work.len() - less, out.len() - none);
            let (work, out) =
                (work.slice(0..work_bytes).unwrap(), out.slice(0..out_bytes).unwrap());
            let refused = enqueue(streams, plan, &terms, &g1, &g2, work, out);
            assert!(matches!(refused, Err(Error::Length { .. })), "{what}");
        }
    });
}

#[test]
fn sums_side_by_side_keep_to_scratch_and_result() {
    for_each_shape(|what, inputs, kind, plan, poison| {
        let stream = &inputs.stream;
        let lanes: Vec<_> = (0..4).map(|_| stream.device().stream().unwrap()).collect();
        let (g1, g2) = (inputs.queries(&inputs.g1), inputs.queries(&inputs.g2));
        let mut scratch = Guarded::new(stream, plan.side_by_side_bytes(2, 2), poison);
        let mut result = Guarded::new(stream, plan.result_bytes(2, 2), poison);
        let (work, out) = (scratch.view_mut(), result.view_mut());
        let terms = inputs.terms(kind);
        enqueue_side_by_side(stream, &lanes, plan, &terms, &g1, &g2, work, out).unwrap();
        lanes.iter().for_each(|lane| lane.synchronize().unwrap());
        scratch.check(stream, &format!("scratch of {what}"));
        result.check(stream, &format!("result of {what}"));
        inputs.check(what, &plan.finish(2, 2, &result.bytes(stream)).unwrap());
        let work = scratch.view_mut::<u8>().slice(1..plan.side_by_side_bytes(2, 2)).unwrap();
        let out = result.view_mut();
        let refused = enqueue_side_by_side(stream, &lanes, plan, &terms, &g1, &g2, work, out);
        assert!(matches!(refused, Err(Error::Length { .. })), "{what}");
    });
}

/// Blocks of one group of windows, each between guard bytes of its own.
struct Parts {
    sorted: Guarded,
    sort: Guarded,
    partials: Guarded,
    result: Guarded,
}

/// The sum of a query, step by step.
fn in_parts<G: CurveGroup>(
    what: &str,
    stream: &Stream,
    plan: &Plan,
    terms: &Scalars<'_>,
    query: &Query<'_, G>,
    poison: Poison,
) -> G::Point {
    let shape = plan.of::<G>();
    let block = |bytes| Guarded::new(stream, to_usize(bytes), poison);
    let mut parts = Parts {
        sorted: block(shape.sorted_bytes),
        sort: block(shape.sort_bytes),
        partials: block(shape.partial_bytes),
        result: block(shape.result_bytes),
    };
    let Query { points, map, .. } = query;
    for first in (0..plan.windows()).step_by(plan.group() as usize) {
        let Parts { sorted, sort, partials, result } = &mut parts;
        let (mut sorted, mut sort) = (sorted.view_mut(), sort.view_mut());
        let (mut partials, mut result) = (partials.view_mut(), result.view_mut());
        for start in (0..terms.len()).step_by(plan.chunk()) {
            let (chunk, resume) = (start..terms.len().min(start + plan.chunk()), start > 0);
            let list = &terms.terms;
            launch::sort::<G1>(stream, &plan.g1, list, chunk, first, &mut sorted, &mut sort)
                .unwrap();
            let (lists, to) = (&sorted.as_view(), &mut partials);
            launch::accumulate::<G>(stream.into(), shape, first, lists, points, map, resume, to)
                .unwrap();
        }
        launch::reduce::<G>(stream, shape, first, &mut partials, &mut result).unwrap();
    }
    let Parts { sorted, sort, partials, result } = &parts;
    for (name, block) in
        [("lists", sorted), ("sorting", sort), ("partial sums", partials), ("result", result)]
    {
        block.check(stream, &format!("{name} in {} of {what}", G::NAME));
    }
    launch::finish::<G>(shape, &result.bytes(stream)).unwrap()
}

/// Each part of the scratch, for what runs over its end may come to lie in the next part.
#[test]
fn steps_keep_to_their_parts_of_the_scratch() {
    for_each_shape(|what, inputs, kind, plan, poison| {
        let (stream, terms) = (&inputs.stream, &inputs.terms(kind));
        let (g1, g2) = (inputs.queries(&inputs.g1), inputs.queries(&inputs.g2));
        let sums = Sums {
            g1: g1.iter().map(|q| in_parts::<G1>(what, stream, plan, terms, q, poison)).collect(),
            g2: g2.iter().map(|q| in_parts::<G2>(what, stream, plan, terms, q, poison)).collect(),
        };
        inputs.check(what, &sums);
    });
}

/// The points' multiples for each window, between guard bytes, with their workspace.
fn multiples_of<G: CurveGroup>(
    what: &str,
    stream: &Stream,
    points: View<'_, G::Affine>,
    windows: u32,
    poison: Poison,
) -> Guarded {
    let n = points.len();
    let mut all = Guarded::elements::<G::Affine>(stream, n * windows as usize, poison);
    stream.copy(points, all.view_mut().slice(0..n).unwrap()).unwrap();
    let bytes = launch::multiples_workspace::<G>(n).unwrap();
    let mut work = Guarded::new(stream, bytes, poison);
    let (to, workspace) = (&mut all.view_mut(), &mut work.view_mut());
    launch::multiples::<G>(stream, windows, n, to, workspace).unwrap();
    work.check(stream, &format!("workspace of multiples in {} of {what}", G::NAME));
    all.check(stream, &format!("multiples in {} of {what}", G::NAME));
    all
}

/// Terms, windows and affine levels; on a GPU also many blocks of points.
#[test]
fn sums_of_multiples_keep_to_scratch_and_result() {
    let large = is_gpu(&device()).then_some([((1 << 16) + 1, 0, 0), ((1 << 17) + 3, 0, 3)]);
    let shapes = [(1, 0, 0), (70, 30, 0), (130, 63, 1), (129, 40, 3), (300, 26, 2)];
    for (i, shape) in shapes.into_iter().chain(large.into_iter().flatten()).enumerate() {
        let ((n, windows, levels), kind, poison) = (shape, i % 3, Poison::ALL[i % 2]);
        let what = &format!("{shape:?}, scalars {kind}, {poison:?}");
        let (inputs, plan) =
            (Inputs::new(kind, n), Plan::for_multiples(n, windows, levels).unwrap());
        let (stream, windows) = (&inputs.stream, plan.windows());
        let g1 = multiples_of::<G1>(what, stream, inputs.g1.view(), windows, poison);
        let g2 = multiples_of::<G2>(what, stream, inputs.g2.view(), windows, poison);
        let maps = [IndexMap::identity(n), inputs.density.map()];
        let of_g1 = maps.map(|map| Query::<G1> { points: g1.view(), map, windows });
        let of_g2 = maps.map(|map| Query::<G2> { points: g2.view(), map, windows });
        let mut scratch = Guarded::new(stream, plan.scratch_bytes(Groups::Both), poison);
        let mut result = Guarded::new(stream, plan.result_bytes(2, 2), poison);
        let (work, out, terms) = (scratch.view_mut(), result.view_mut(), inputs.terms(kind));
        enqueue(stream.into(), &plan, &terms, &of_g1, &of_g2, work, out).unwrap();
        scratch.check(stream, &format!("scratch of {what}"));
        result.check(stream, &format!("result of {what}"));
        inputs.check(what, &plan.finish(2, 2, &result.bytes(stream)).unwrap());
    }
}
