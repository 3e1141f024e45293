//! Several queries on streams of their own against a loop over `bls12_381`.

use bls12_381::{G1Affine, G1Projective, G2Projective, Scalar};
use groth16_cuda::density::IndexMap;
use groth16_cuda::device::{DeviceBuffer, Stream};
use groth16_cuda::msm::{Plan, Query, Scalars, SideBySide, Sums};
use groth16_cuda::repr::{FrRepr, G1, G1XyzzRepr, G2, scalars_as_repr};
use groth16_cuda::{Error, batch_add, points};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::device::device;
use crate::oracle::groups::TestGroup;
use crate::oracle::msm::{SumOfMultiples, random_points, random_scalars};

fn uploaded<G: TestGroup>(stream: &Stream, points: &[G::AffinePoint]) -> DeviceBuffer<G::Affine> {
    points::upload::<G>(stream, &G::to_bytes(points), points::Checks::NONE).unwrap()
}

fn uploaded_scalars(stream: &Stream, scalars: &[Scalar]) -> DeviceBuffer<FrRepr> {
    let mut values = stream.device().alloc(scalars.len()).unwrap();
    stream.upload(scalars_as_repr(scalars), values.view_mut()).unwrap();
    values
}

/// Two queries in G1, of which the second has the last points alone, and one in G2: several vectors
/// of scalars one right after the other, whole and in chunks. Where one multiplication did not wait
/// for the lanes of that before, its sort would write over the lists that they still read.
#[test]
fn one_multiplication_after_another() {
    const TERMS: usize = 60;
    const FIRST: usize = 45;
    let stream = device().stream().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(31);
    let (g1, g2) = (random_points::<G1>(&mut rng, TERMS), random_points::<G2>(&mut rng, TERMS));
    let vectors = [
        random_scalars(&mut rng, TERMS),
        vec![Scalar::one(); TERMS],
        random_scalars(&mut rng, TERMS / 2),
        vec![],
        random_scalars(&mut rng, TERMS),
    ];
    let expected = vectors.each_ref().map(|scalars| {
        let last = scalars.get(FIRST..).unwrap_or(&[]);
        Sums {
            g1: vec![
                G1::sum_of_multiples(&g1[..scalars.len()], scalars),
                G1::sum_of_multiples(&g1[FIRST..FIRST + last.len()], last),
            ],
            g2: vec![G2::sum_of_multiples(&g2[..scalars.len()], scalars)],
        }
    });
    let (g1, g2) = (uploaded::<G1>(&stream, &g1), uploaded::<G2>(&stream, &g2));
    let vectors = vectors.each_ref().map(|scalars| uploaded_scalars(&stream, scalars));
    let last = g1.view().slice(FIRST..TERMS).unwrap();
    let of_last = Query::over(last, IndexMap::identity(TERMS).from_point(FIRST));
    let (g1, g2) = ([Query::identity(g1.view()), of_last], [Query::identity(g2.view())]);
    for chunk in [TERMS, 59, 13] {
        let plan = Plan::with_chunk(TERMS, 0, 20, chunk).unwrap();
        let mut sums = SideBySide::new(&stream, &plan, 2, 1).unwrap();
        for last in 0..vectors.len() {
            for scalars in &vectors[..=last] {
                sums.enqueue(&Scalars::montgomery(scalars.view()), &g1, &g2).unwrap();
            }
            assert_eq!(sums.finish().unwrap(), expected[last], "{last}, chunks of {chunk}");
        }
    }
}

/// The stream's work is done before a lane's, and a lane's other work beside or before its sums.
#[test]
fn lanes_take_other_work() {
    const TERMS: usize = 50;
    let stream = device().stream().unwrap();
    let device = stream.device();
    let mut rng = ChaCha8Rng::seed_from_u64(32);
    let points = random_points::<G1>(&mut rng, TERMS);
    let scalars = random_scalars(&mut rng, TERMS);
    let block = uploaded::<G1>(&stream, &points);
    let values = uploaded_scalars(&stream, &scalars);
    let list: Vec<u32> = (0..TERMS as u32).step_by(3).collect();
    let (mut listed, mut count) = (device.alloc(list.len()).unwrap(), device.alloc(1).unwrap());
    stream.upload(&list, listed.view_mut()).unwrap();
    stream.upload(&[list.len() as u32], count.view_mut()).unwrap();
    let partials = batch_add::partials::<G1>(device, list.len()).unwrap();
    let mut out = device.alloc::<G1XyzzRepr>(partials).unwrap();
    let bytes = batch_add::workspace::<G1>(device, list.len()).unwrap();
    let mut work = device.alloc(bytes).unwrap();

    let plan = Plan::new(TERMS).unwrap();
    let mut sums = SideBySide::new(&stream, &plan, 1, 0).unwrap();
    assert_eq!(sums.finish().unwrap().g1, [G1Projective::identity()], "no sums yet");
    let mut late = device.alloc(TERMS).unwrap();
    let map = IndexMap::identity(TERMS);
    let lane = &sums.lanes()[0];
    let (list_view, count_view) = (listed.view(), count.view());
    let (to, scratch) = (out.view_mut(), work.view_mut());
    batch_add::sum::<G1>(lane, block.view(), map, list_view, count_view, to, scratch).unwrap();
    stream.copy(block.view(), late.view_mut()).unwrap();
    let query = [Query::identity(late.view())];
    sums.enqueue(&Scalars::montgomery(values.view()), &query, &[]).unwrap();
    assert_eq!(sums.finish().unwrap().g1, [G1::sum_of_multiples(&points, &scalars)]);

    let mut partials = vec![G1XyzzRepr([0; 24]); out.len()];
    sums.lanes()[0].download(out.view(), &mut partials).unwrap();
    let ones: G1Projective = list.iter().map(|&v| G1Projective::from(points[v as usize])).sum();
    assert_eq!(batch_add::finish::<G1>(&partials).unwrap(), ones);
}

#[test]
fn other_numbers_of_queries_or_terms_are_refused() {
    let stream = device().stream().unwrap();
    let plan = Plan::new(2).unwrap();
    let none = SideBySide::new(&stream, &plan, 0, 0).unwrap();
    assert!(none.lanes().is_empty());
    assert_eq!(none.finish().unwrap(), Sums { g1: vec![], g2: vec![] });

    let points = [G1Affine::generator(); 3];
    let block = uploaded::<G1>(&stream, &points);
    let values = uploaded_scalars(&stream, &[Scalar::one(); 3]);
    let terms = Scalars::montgomery(values.view());
    let query = [Query::identity(block.view())];
    let mut sums = SideBySide::new(&stream, &plan, 1, 0).unwrap();
    for g1 in [&query[..0], &query[..]] {
        let refused = sums.enqueue(&terms, g1, &[]);
        assert!(matches!(refused, Err(Error::Length { .. })));
    }
    // What was refused leaves no trace.
    let two = Scalars::montgomery(values.view().slice(0..2).unwrap());
    sums.enqueue(&two, &query, &[]).unwrap();
    let Sums { g1, g2 } = sums.finish().unwrap();
    assert_eq!(g1, [G1Projective::generator().double()]);
    assert_eq!(g2, Vec::<G2Projective>::new());
}
