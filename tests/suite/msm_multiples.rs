//! Multi-scalar multiplication over points with multiples for each window.

use bls12_381::{G1Affine, G1Projective, Scalar};
use ff::Field;
use groth16_cuda::Error;
use groth16_cuda::density::{DensityMap, DeviceDensity};
use groth16_cuda::msm::{Multiples, Plan, Query, Scalars};
use groth16_cuda::repr::{self, G1, G2};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::msm::{Resident, TestMsm};
use crate::oracle::msm::{over_variables, random_points, random_scalars};

/// Windows of the tuned plan, of more buckets than terms, and of few.
const WINDOWS: [u32; 4] = [0, 22, 40, 63];

fn compare<G: TestMsm>(points: &[G::AffinePoint], scalars: &[Scalar], windows: u32, levels: u32) {
    let resident = Resident::new(repr::scalars_as_repr(scalars));
    let block = resident.points::<G>(points);
    let plan = Plan::for_multiples(points.len(), windows, levels).unwrap();
    let multiples = Multiples::<G>::new(&resident.stream, block.view(), &plan).unwrap();
    assert_eq!(multiples.len(), points.len());
    let terms = Scalars::montgomery(resident.scalars.view());
    let got = G::resident(&resident, &plan, &terms, &multiples.query());
    let expected = G::sum_of_multiples(points, scalars);
    let n = points.len();
    assert_eq!(got, expected, "{n} terms in {}, {windows} windows, {levels} levels", G::NAME);
}

#[test]
fn sums_of_multiples() {
    let mut rng = ChaCha8Rng::seed_from_u64(31);
    for n in [1, 2, 61, 300] {
        let (g1, g2) = (random_points::<G1>(&mut rng, n), random_points::<G2>(&mut rng, n));
        let scalars = random_scalars(&mut rng, n);
        for windows in WINDOWS {
            for levels in [0, 1, 3] {
                compare::<G1>(&g1, &scalars, windows, levels);
                compare::<G2>(&g2, &scalars, windows, levels);
            }
        }
    }
}

/// All windows' digits of a scalar meet in one bucket, or those of all terms do.
#[test]
fn skewed_scalars_over_multiples() {
    const TERMS: usize = 200;
    let mut rng = ChaCha8Rng::seed_from_u64(32);
    let points = random_points::<G1>(&mut rng, TERMS);
    let s = Scalar::random(&mut rng);
    // 22 windows have 13 of 12 and 9 of 11 bits: a scalar whose digits are all 1.
    let starts = (0..13).map(|w| 12 * w).chain((0..9).map(|w| 156 + 11 * w));
    let all_digits_one: Scalar =
        starts.map(|bit: u64| Scalar::from(2).pow_vartime(&[bit, 0, 0, 0])).sum();
    for scalar in [Scalar::ZERO, Scalar::ONE, -Scalar::ONE, s, all_digits_one] {
        for windows in WINDOWS {
            compare::<G1>(&points, &vec![scalar; TERMS], windows, 0);
            compare::<G1>(&points, &vec![scalar; TERMS], windows, 2);
        }
    }
}

#[test]
fn densities_and_lists_over_multiples() {
    const VARIABLES: usize = 150;
    let mut rng = ChaCha8Rng::seed_from_u64(33);
    let scalars = random_scalars(&mut rng, VARIABLES);
    let density: Vec<bool> = (0..VARIABLES).map(|v| v % 3 != 1).collect();
    let count = density.iter().filter(|bit| **bit).count();
    let points = random_points::<G1>(&mut rng, count);
    let list: Vec<u32> = (0..VARIABLES as u32).rev().filter(|v| v % 7 != 2).collect();
    let resident = Resident::new(repr::scalars_as_repr(&scalars));
    let block = resident.points::<G1>(&points);
    let map = DensityMap::from_bits(density.iter().copied()).unwrap();
    let map = DeviceDensity::upload(&resident.stream, &map).unwrap();
    let device_list = resident.list(&list);
    let terms = Scalars::montgomery(resident.scalars.view()).listed(device_list.view(), None);
    let expected = over_variables::<G1>(&points, &density, &scalars, &list);
    for levels in [0, 2] {
        let plan = Plan::for_multiples(list.len(), 30, levels).unwrap();
        let multiples = Multiples::<G1>::new(&resident.stream, block.view(), &plan).unwrap();
        let query = multiples.query_over(map.map());
        let got = G1::resident(&resident, &plan, &terms, &query);
        assert_eq!(got, expected);
    }
}

/// A plan's windows and those of the multiples belong together: other points would give other sums.
#[test]
fn other_windows_are_refused() {
    let resident = Resident::new(repr::scalars_as_repr(&[Scalar::ONE; 4]));
    let block = resident.points::<G1>(&[G1Affine::generator(); 4]);
    let terms = Scalars::montgomery(resident.scalars.view());
    let plan = Plan::for_multiples(4, 30, 0).unwrap();
    let multiples = Multiples::<G1>::new(&resident.stream, block.view(), &plan).unwrap();
    let (plain, more) = (Plan::new(4).unwrap(), Plan::for_multiples(4, 31, 0).unwrap());
    let points = Query::identity(block.view());
    for (plan, query) in [(plain, multiples.query()), (more, multiples.query()), (plan, points)] {
        let refused = resident.run(&plan, &terms, &[query], &[]);
        assert!(matches!(refused, Err(Error::Length { .. })), "{refused:?}");
    }
    let sums = resident.run(&plan, &terms, &[multiples.query()], &[]).unwrap();
    assert_eq!(sums.g1, [G1Projective::generator() * Scalar::from(4)]);
    assert!(Plan::for_multiples(4, 9, 0).is_err());
}

/// The shared buckets' scratch is less than that of buckets for each window, and a window's number
/// leaves room for the variables.
#[test]
fn plans_for_multiples() {
    let plan = Plan::for_multiples(1 << 20, 0, 0).unwrap();
    assert!(plan.has_multiples() && plan.windows() < Plan::new(1 << 20).unwrap().windows());
    assert_eq!(plan.group(), plan.windows());
    let bytes = Multiples::<G1>::bytes(1 << 20, &plan);
    assert_eq!(bytes, (plan.windows() as usize * 96) << 20);
    let one = Plan::with_windows(1 << 20, plan.windows(), 1).unwrap();
    assert!(plan.result_bytes(1, 0) < one.result_bytes(1, 0));
}
