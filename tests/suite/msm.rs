//! Multi-scalar multiplication against a loop over `bls12_381`.

use bls12_381::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
use ff::Field;
use groth16_cuda::density::{DensityMap, DeviceDensity, IndexMap};
use groth16_cuda::device::{Device, DeviceBuffer, Family, Stream};
use groth16_cuda::msm::{self, Groups, Plan, Query, Scalars, Sums, Workspace};
use groth16_cuda::repr::{self, FrRepr, G1, G2};
use groth16_cuda::{Error, Result, points};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::device::device;
use crate::oracle::groups::TestGroup;
use crate::oracle::msm::{SumOfMultiples, over_variables, random_points, random_scalars};

pub trait TestMsm: SumOfMultiples {
    fn on(device: &Device, points: &[Self::AffinePoint], scalars: &[Scalar])
    -> Result<Self::Point>;
    /// The sum of one query.
    fn resident(
        resident: &Resident,
        plan: &Plan,
        scalars: &Scalars<'_>,
        query: &Query<'_, Self>,
    ) -> Self::Point;
}

impl TestMsm for G1 {
    fn on(device: &Device, points: &[G1Affine], scalars: &[Scalar]) -> Result<G1Projective> {
        msm::g1(device, points, scalars)
    }

    fn resident(
        resident: &Resident,
        plan: &Plan,
        scalars: &Scalars<'_>,
        query: &Query<'_, Self>,
    ) -> G1Projective {
        resident.run(plan, scalars, &[*query], &[]).unwrap().g1[0]
    }
}

impl TestMsm for G2 {
    fn on(device: &Device, points: &[G2Affine], scalars: &[Scalar]) -> Result<G2Projective> {
        msm::g2(device, points, scalars)
    }

    fn resident(
        resident: &Resident,
        plan: &Plan,
        scalars: &Scalars<'_>,
        query: &Query<'_, Self>,
    ) -> G2Projective {
        resident.run(plan, scalars, &[], &[*query]).unwrap().g2[0]
    }
}

fn compare<G: TestMsm>(device: &Device, what: &str, points: &[G::AffinePoint], scalars: &[Scalar]) {
    let expected = G::sum_of_multiples(points, scalars);
    let got = G::on(device, points, scalars).unwrap();
    assert_eq!(got, expected, "{what}: {} terms in {}", points.len(), G::NAME);
}

/// All numbers of terms: past each change of the plan (powers of two), a warp, and a block of 128
/// threads. In one pass over the points: the expected sums are running ones.
fn every_number_of_terms<G: TestMsm>(most: usize)
where
    G::Point: std::ops::AddAssign,
{
    let device = device();
    let mut rng = ChaCha8Rng::seed_from_u64(21);
    let points = random_points::<G>(&mut rng, most);
    let scalars = random_scalars(&mut rng, most);
    let mut expected = G::sum_of_multiples(&[], &[]);
    for n in 0..=most {
        let got = G::on(&device, &points[..n], &scalars[..n]).unwrap();
        assert_eq!(got, expected, "{n} terms in {}", G::NAME);
        if n < most {
            expected += G::sum_of_multiples(&points[n..=n], &scalars[n..=n]);
        }
    }
}

#[test]
fn every_number_of_terms_in_g1() {
    every_number_of_terms::<G1>(300);
}

#[test]
fn every_number_of_terms_in_g2() {
    every_number_of_terms::<G2>(300);
}

/// Scalars at the edges of the recoding: 0, 1, around r/2 where a scalar is negated, r − 1, single
/// bits, and limbs of ones.
fn edges() -> Vec<Scalar> {
    let one = Scalar::one();
    let half = Scalar::from(2).invert().unwrap(); // (r + 1) / 2
    let mut edges = vec![Scalar::zero(), one, -one, half, half - one, half + one, -half - one];
    let bit = |i: u64| Scalar::from(2).pow_vartime(&[i, 0, 0, 0]);
    for i in [3, 4, 5, 31, 32, 63, 64, 127, 191, 192, 223, 253, 254] {
        edges.extend([bit(i), bit(i) - one, -bit(i), one - bit(i)]);
    }
    edges
}

fn skewed_scalars<G: TestMsm>(n: usize) {
    let device = device();
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    let points = random_points::<G>(&mut rng, n);
    let value = Scalar::random(&mut rng);
    let edges = edges();
    let mut cases = vec![
        ("all zero", vec![Scalar::zero(); n]),
        ("all one", vec![Scalar::one(); n]),
        ("all r - 1", vec![-Scalar::one(); n]),
        ("all equal", vec![value; n]),
        ("equal or opposite", (0..n).map(|i| if i % 3 == 0 { value } else { -value }).collect()),
        ("edges", (0..n).map(|i| edges[i % edges.len()]).collect()),
    ];
    let mixed = (0..n).map(|_| match rng.random_range(0..4) {
        0 => Scalar::zero(),
        1 => Scalar::one(),
        2 => Scalar::from(u64::from(rng.random::<u16>())),
        _ => Scalar::random(&mut rng),
    });
    cases.push(("witness-like", mixed.collect()));
    for (what, scalars) in cases {
        compare::<G>(&device, what, &points, &scalars);
    }
}

#[test]
fn skewed_scalars_in_g1() {
    skewed_scalars::<G1>(300);
}

#[test]
fn skewed_scalars_in_g2() {
    skewed_scalars::<G2>(65);
}

fn special_points<G: TestMsm>() {
    let device = device();
    let mut rng = ChaCha8Rng::seed_from_u64(13);
    let p = G::multiple(Scalar::random(&mut rng));
    let infinity = G::multiple(Scalar::zero());
    let s = Scalar::random(&mut rng);
    let alternating = |n: usize| (0..n).map(|i| if i % 2 == 0 { p } else { G::negated(p) });
    for n in [1, 2, 3, 40] {
        compare::<G>(&device, "P + P", &vec![p; n], &vec![s; n]);
        compare::<G>(&device, "P - P", &alternating(n).collect::<Vec<_>>(), &vec![s; n]);
        compare::<G>(&device, "infinity", &vec![infinity; n], &vec![s; n]);
        let scalars: Vec<_> = (0..n).map(|i| if i % 2 == 0 { s } else { -s }).collect();
        compare::<G>(&device, "s P - s P", &vec![p; n], &scalars);
    }
}

#[test]
fn equal_and_opposite_points_and_infinity() {
    special_points::<G1>();
    special_points::<G2>();
}

/// Everything of a resident multiplication on the device, and its run.
pub struct Resident {
    pub stream: Stream,
    pub scalars: DeviceBuffer<FrRepr>,
}

impl Resident {
    pub fn new(scalars: &[FrRepr]) -> Self {
        let device = device();
        let stream = device.stream().unwrap();
        let mut values = device.alloc(scalars.len()).unwrap();
        stream.upload(scalars, values.view_mut()).unwrap();
        Self { stream, scalars: values }
    }

    pub fn points<G: TestMsm>(&self, points: &[G::AffinePoint]) -> DeviceBuffer<G::Affine> {
        points::upload::<G>(&self.stream, &G::to_bytes(points), points::Checks::NONE).unwrap()
    }

    pub fn list(&self, list: &[u32]) -> DeviceBuffer<u32> {
        let mut buffer = self.stream.device().alloc(list.len()).unwrap();
        self.stream.upload(list, buffer.view_mut()).unwrap();
        buffer
    }

    pub fn run(
        &self,
        plan: &Plan,
        scalars: &Scalars<'_>,
        g1: &[Query<'_, G1>],
        g2: &[Query<'_, G2>],
    ) -> Result<Sums> {
        let mut workspace = Workspace::new(&self.stream, plan, g1.len(), g2.len())?;
        workspace.enqueue(scalars, g1, g2)?;
        workspace.finish()
    }
}

fn canonical(scalars: &[Scalar]) -> Vec<FrRepr> {
    let limb = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
    let limbs = |bytes: [u8; 32]| {
        FrRepr([limb(&bytes[..8]), limb(&bytes[8..16]), limb(&bytes[16..24]), limb(&bytes[24..])])
    };
    scalars.iter().map(|s| limbs(s.to_bytes())).collect()
}

#[test]
fn every_number_of_windows_and_groups() {
    let mut rng = ChaCha8Rng::seed_from_u64(14);
    let mut scalars = edges();
    scalars.extend(random_scalars(&mut rng, 4));
    let points = random_points::<G1>(&mut rng, scalars.len());
    let expected = G1::sum_of_multiples(&points, &scalars);
    let resident = Resident::new(&canonical(&scalars));
    let device_points = resident.points::<G1>(&points);
    let query = [Query::identity(device_points.view())];
    for windows in 20..=63 {
        let group = [0, 1, 2, 5, windows][windows as usize % 5];
        let plan = Plan::with_windows(points.len(), windows, group).unwrap();
        let terms = Scalars::canonical(resident.scalars.view());
        let sums = resident.run(&plan, &terms, &query, &[]).unwrap();
        assert_eq!(sums.g1, [expected], "{windows} windows in groups of {group}");
    }
}

/// Wide windows and short tasks: one bucket is cut into 263 tasks, which three rounds combine.
#[test]
fn a_bucket_of_very_many_tasks() {
    const TERMS: u64 = 2100;
    let points: Vec<_> = (0..TERMS).map(|k| G1::multiple(Scalar::from(k))).collect();
    let s = -Scalar::from(0x1234_5678_9abc_def0).square();
    let scalars = vec![s; points.len()];
    let resident = Resident::new(repr::scalars_as_repr(&scalars));
    let device_points = resident.points::<G1>(&points);
    let plan = Plan::with_windows(points.len(), 18, 0).unwrap();
    let terms = Scalars::montgomery(resident.scalars.view());
    let query = [Query::identity(device_points.view())];
    let sums = resident.run(&plan, &terms, &query, &[]).unwrap();
    let expected = G1Projective::generator() * (s * Scalar::from(TERMS * (TERMS - 1) / 2));
    assert_eq!(sums.g1, [expected]);
}

/// Tasks of every length up to the plan's, in both groups, with equal, opposite and infinite
/// neighbours, which affine formulas do not cover, and sums that come out equal or opposite.
#[test]
fn every_number_of_affine_levels() {
    let mut rng = ChaCha8Rng::seed_from_u64(19);
    for n in [1, 2, 61, 300] {
        let g1_points = random_points::<G1>(&mut rng, n);
        let g2_points = random_points::<G2>(&mut rng, n);
        let mut scalars = random_scalars(&mut rng, n);
        for i in 0..n {
            match i % 5 {
                0 => scalars[i] = scalars[i / 2],
                1 => scalars[i] = -scalars[i / 3],
                _ => {}
            }
        }
        let expected = (
            G1::sum_of_multiples(&g1_points, &scalars),
            G2::sum_of_multiples(&g2_points, &scalars),
        );
        let resident = Resident::new(repr::scalars_as_repr(&scalars));
        let (g1, g2) = (resident.points::<G1>(&g1_points), resident.points::<G2>(&g2_points));
        let queries = (Query::identity(g1.view()), Query::identity(g2.view()));
        for levels in 0..=6 {
            // The fewer buckets the longer the tasks: 63 windows have 8 buckets, 44 have 32.
            for (windows, group) in [(63, 0), (50, 7), (44, 3)] {
                let plan = Plan::with_affine_levels(n, windows, group, levels).unwrap();
                let terms = Scalars::montgomery(resident.scalars.view());
                let sums = resident.run(&plan, &terms, &[queries.0], &[queries.1]).unwrap();
                let what = format!("{n} terms, {levels} levels, {windows} windows");
                assert_eq!(sums.g1, [expected.0], "{what}");
                assert_eq!(sums.g2, [expected.1], "{what}");
            }
        }
    }
    assert!(Plan::with_affine_levels(1, 63, 0, 7).is_err());
}

/// The queries of a witness: all variables but the inputs, most of them, a quarter of them.
#[test]
fn queries_over_one_list_of_variables() {
    const VARIABLES: usize = 200;
    const INPUTS: usize = 7;
    let mut rng = ChaCha8Rng::seed_from_u64(15);
    let scalars = random_scalars(&mut rng, VARIABLES);
    let a_density: Vec<bool> = (0..VARIABLES).map(|_| rng.random_range(0..20) != 0).collect();
    let b_density: Vec<bool> = (0..VARIABLES).map(|_| rng.random_range(0..4) == 0).collect();
    let l_density: Vec<bool> = (0..VARIABLES).map(|v| v >= INPUTS).collect();
    let count = |density: &[bool]| density.iter().filter(|bit| **bit).count();
    let a = random_points::<G1>(&mut rng, count(&a_density));
    let b1 = random_points::<G1>(&mut rng, count(&b_density));
    let b2 = random_points::<G2>(&mut rng, count(&b_density));
    let l = random_points::<G1>(&mut rng, VARIABLES - INPUTS);

    // A list out of order with a variable that has no scalar, and with entries that do not count.
    let mut list: Vec<u32> = (0..VARIABLES as u32).filter(|v| v % 3 != 1).rev().collect();
    list.insert(4, VARIABLES as u32 + 50);
    let counted = list.len() - 20;

    let resident = Resident::new(repr::scalars_as_repr(&scalars));
    let (list_block, count_block) = (resident.list(&list), resident.list(&[counted as u32]));
    let map = |density: &[bool]| {
        let map = DensityMap::from_bits(density.iter().copied()).unwrap();
        DeviceDensity::upload(&resident.stream, &map).unwrap()
    };
    let (a_map, b_map) = (map(&a_density), map(&b_density));
    let (a_block, b1_block) = (resident.points::<G1>(&a), resident.points::<G1>(&b1));
    let (b2_block, l_block) = (resident.points::<G2>(&b2), resident.points::<G1>(&l));
    let l_map = IndexMap::identity(VARIABLES + 100).from_point(INPUTS);
    let g1 = [
        Query::over(l_block.view(), l_map),
        Query::over(a_block.view(), a_map.map()),
        Query::over(b1_block.view(), b_map.map()),
    ];
    let g2 = [Query::over(b2_block.view(), b_map.map())];
    let terms = Scalars::montgomery(resident.scalars.view())
        .listed(list_block.view(), Some(count_block.view()));

    let variables = &list[..counted];
    let expected = [
        over_variables::<G1>(&l, &l_density, &scalars, variables),
        over_variables::<G1>(&a, &a_density, &scalars, variables),
        over_variables::<G1>(&b1, &b_density, &scalars, variables),
    ];
    let expected_g2 = [over_variables::<G2>(&b2, &b_density, &scalars, variables)];
    // Three passes: each sorts once, and each query accumulates, combines and reduces. In chunks
    // each query sorts for itself.
    let launches = resident.stream.device().launches();
    let (mut of_g1, mut of_g2) = (0, 0);
    for (chunk, parts, sorts) in [(list.len(), 1, 1), (list.len() - 20, 2, 8), (50, 3, 12)] {
        let plan = Plan::with_chunk(list.len(), 40, 15, chunk).unwrap();
        let sums = resident.run(&plan, &terms, &g1, &g2).unwrap();
        assert_eq!((&sums.g1[..], &sums.g2[..]), (&expected[..], &expected_g2[..]));
        of_g1 += 3 * (sorts + (2 * parts + 1) * 3);
        of_g2 += 3 * (2 * parts + 1);
        assert_eq!(launches.get(Family::MsmG1), of_g1, "chunks of {chunk}");
        assert_eq!(launches.get(Family::MsmG2), of_g2, "chunks of {chunk}");
    }
    let affine = Plan::with_affine_levels(list.len(), 63, 63, 2).unwrap();
    let sums = resident.run(&affine, &terms, &g1, &g2).unwrap();
    assert_eq!((&sums.g1[..], &sums.g2[..]), (&expected[..], &expected_g2[..]));
}

/// Chunks of terms, from one term to all but one, add up to what one sort gives: sums resume, also
/// those of buckets that were empty, and the pieces of long buckets meet in each chunk.
fn chunks_of_terms<G: TestMsm>(n: usize, chunks: &[usize], windows: [(u32, u32); 2]) {
    let mut rng = ChaCha8Rng::seed_from_u64(17);
    let points = random_points::<G>(&mut rng, n);
    let (one, other) = (Scalar::random(&mut rng), Scalar::random(&mut rng));
    let edges = edges();
    let cases = [
        ("uniform", random_scalars(&mut rng, n)),
        ("all one", vec![Scalar::one(); n]),
        ("all equal", vec![one; n]),
        ("two values", (0..n).map(|i| if i % 3 == 0 { one } else { other }).collect()),
        ("edges", (0..n).map(|i| edges[i % edges.len()]).collect()),
    ];
    for (what, scalars) in cases {
        let expected = G::sum_of_multiples(&points, &scalars);
        let resident = Resident::new(repr::scalars_as_repr(&scalars));
        let block = resident.points::<G>(&points);
        let terms = Scalars::montgomery(resident.scalars.view());
        for (&chunk, (windows, group)) in chunks.iter().zip(windows.into_iter().cycle()) {
            let plan = Plan::with_chunk(n, windows, group, chunk).unwrap();
            let got = G::resident(&resident, &plan, &terms, &Query::identity(block.view()));
            let name = G::NAME;
            assert_eq!(got, expected, "{what}: {n} terms in {name}, chunks of {chunk}");
        }
    }
}

#[test]
fn chunks_of_terms_add_up() {
    let chunks = [2, 37, 38, 99, 100, 101, 128, 149, 150, 151, 298, 299, 300];
    chunks_of_terms::<G1>(300, &chunks, [(0, 0), (30, 7)]);
    chunks_of_terms::<G1>(17, &[1, 2, 16], [(63, 1), (40, 40)]);
    chunks_of_terms::<G2>(65, &[5, 32, 33, 64], [(0, 0), (40, 13)]);
}

/// Buckets of many tasks in each of several chunks, the last a short one.
#[test]
fn a_bucket_of_very_many_tasks_in_chunks() {
    const TERMS: u64 = 1500;
    let points: Vec<_> = (0..TERMS).map(|k| G1::multiple(Scalar::from(k))).collect();
    let s = Scalar::from(0x1234_5678_9abc_def0).square();
    let scalars = vec![s; points.len()];
    let resident = Resident::new(repr::scalars_as_repr(&scalars));
    let block = resident.points::<G1>(&points);
    let terms = Scalars::montgomery(resident.scalars.view());
    let expected = G1Projective::generator() * (s * Scalar::from(TERMS * (TERMS - 1) / 2));
    for (windows, group, chunk) in [(20, 0, 700), (24, 5, 499), (30, 1, 1499)] {
        let plan = Plan::with_chunk(points.len(), windows, group, chunk).unwrap();
        let got = G1::resident(&resident, &plan, &terms, &Query::identity(block.view()));
        assert_eq!(got, expected, "chunks of {chunk}");
    }
}

/// Where points are infinity, or have none in the density, buckets stay empty from chunk to chunk.
#[test]
fn chunks_of_special_points_add_up() {
    const TERMS: usize = 90;
    let mut rng = ChaCha8Rng::seed_from_u64(19);
    let p = G2::multiple(Scalar::random(&mut rng));
    let s = Scalar::random(&mut rng);
    let infinity = G2::multiple(Scalar::zero());
    let cases: [Vec<G2Affine>; 3] = [
        (0..TERMS).map(|i| if i < 60 { infinity } else { p }).collect(),
        (0..TERMS).map(|i| if i < 45 { p } else { -p }).collect(),
        (0..TERMS).map(|i| if i % 2 == 0 { p } else { -p }).collect(),
    ];
    for points in cases {
        let resident = Resident::new(repr::scalars_as_repr(&vec![s; TERMS]));
        let block = resident.points::<G2>(&points);
        let terms = Scalars::montgomery(resident.scalars.view());
        let plan = Plan::with_chunk(TERMS, 0, 0, 30).unwrap();
        let got = G2::resident(&resident, &plan, &terms, &Query::identity(block.view()));
        assert_eq!(got, G2::sum_of_multiples(&points, &vec![s; TERMS]));
    }
}

#[test]
fn chunks_of_a_query_add_up() {
    let mut rng = ChaCha8Rng::seed_from_u64(16);
    let scalars = random_scalars(&mut rng, 100);
    let density: Vec<bool> = (0..100).map(|v| v % 5 != 0).collect();
    let points = random_points::<G1>(&mut rng, 80);
    let resident = Resident::new(repr::scalars_as_repr(&scalars));
    let block = resident.points::<G1>(&points);
    let map = DensityMap::from_bits(density.iter().copied()).unwrap();
    let map = DeviceDensity::upload(&resident.stream, &map).unwrap();
    let plan = Plan::new(100).unwrap();
    let terms = Scalars::montgomery(resident.scalars.view());
    let queries: Vec<_> = [0..33, 33..64, 64..80]
        .into_iter()
        .map(|range| {
            let map = map.map().from_point(range.start);
            Query::over(block.view().slice(range).unwrap(), map)
        })
        .collect();
    let sums = resident.run(&plan, &terms, &queries, &[]).unwrap();
    let all: Vec<u32> = (0..100).collect();
    let expected = over_variables::<G1>(&points, &density, &scalars, &all);
    assert_eq!(sums.g1.iter().sum::<G1Projective>(), expected);
    assert_ne!(sums.g1[0], expected);
}

#[test]
fn no_terms_are_infinity() {
    let resident = Resident::new(&[]);
    let plan = Plan::new(0).unwrap();
    let (one, two) = (resident.points::<G1>(&[G1Affine::generator()]), resident.points::<G2>(&[]));
    let (g1, g2) = ([Query::identity(one.view())], [Query::identity(two.view())]);
    let terms = Scalars::canonical(resident.scalars.view());
    let sums = resident.run(&plan, &terms, &g1, &g2).unwrap();
    assert_eq!(sums.g1, [G1Projective::identity()]);
    assert_eq!(sums.g2, [G2Projective::identity()]);
}

#[test]
fn plans_fit_their_scratch() {
    let tuned = Plan::new(1 << 20).unwrap();
    let whole = tuned.scratch_bytes(Groups::Both);
    assert!(whole >= tuned.scratch_bytes(Groups::G1));
    assert_eq!(Plan::within(1 << 20, Groups::Both, whole).unwrap(), tuned);
    let half = Plan::within(1 << 20, Groups::Both, whole / 2).unwrap();
    assert!(half.group() < tuned.group() && half.windows() == tuned.windows());
    assert!(half.scratch_bytes(Groups::Both) <= whole / 2);
    // 2 GiB do for 2^27 terms, in tuned windows and few chunks; far less with narrower ones.
    let large = Plan::within(1 << 27, Groups::G1, 2 << 30).unwrap();
    assert!(large.scratch_bytes(Groups::G1) <= 2 << 30);
    assert_eq!((large.windows(), large.group()), (Plan::new(1 << 27).unwrap().windows(), 1));
    assert!(large.chunk() >= (1 << 27) / 4 && large.chunk() < 1 << 27, "{large:?}");
    for bytes in [64 << 20, 256 << 20, 1 << 30, 4 << 30] {
        let plan = Plan::within(1 << 27, Groups::Both, bytes).unwrap();
        assert!(plan.scratch_bytes(Groups::Both) <= bytes);
        assert!(plan.windows() >= large.windows() && plan.terms() == 1 << 27);
    }
    assert_eq!(Plan::with_chunk(100, 0, 0, 100).unwrap(), Plan::new(100).unwrap());
    assert!(Plan::with_chunk(100, 0, 0, 101).is_err());
    let error = Plan::within(1 << 20, Groups::Both, 1 << 20).unwrap_err();
    assert!(matches!(error, Error::InsufficientVram { needed, available }
        if needed > 1 << 20 && available == 1 << 20));
    assert!(matches!(Plan::new(1 << 31), Err(Error::TooMany { .. })));
    assert!(Plan::with_windows(1, 64, 0).is_err() && Plan::with_windows(1, 9, 0).is_err());
}

#[test]
fn wrong_lengths_are_refused() {
    let device = device();
    let (p, s) = ([G1Affine::generator(); 2], [Scalar::one(); 3]);
    assert!(matches!(msm::g1(&device, &p, &s), Err(Error::Length { .. })));

    let resident = Resident::new(repr::scalars_as_repr(&s));
    let block = resident.points::<G1>(&p);
    let query = [Query::identity(block.view())];
    let terms = Scalars::montgomery(resident.scalars.view());
    let small = Plan::new(2).unwrap();
    assert!(matches!(resident.run(&small, &terms, &query, &[]), Err(Error::Length { .. })));
    let empty = resident.list(&[]);
    let list = resident.list(&[0, 1]);
    let uncounted = terms.listed(list.view(), Some(empty.view()));
    assert!(matches!(resident.run(&small, &uncounted, &query, &[]), Err(Error::Length { .. })));

    let plan = Plan::new(3).unwrap();
    let mut workspace = Workspace::new(&resident.stream, &plan, 2, 0).unwrap();
    let refused = workspace.enqueue(&terms, &query, &[]);
    assert!(matches!(refused, Err(Error::Length { .. })));
    assert!(matches!(plan.finish(1, 0, &[0; 16]), Err(Error::Length { .. })));
}
