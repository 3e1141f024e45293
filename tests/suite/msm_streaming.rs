//! Sums over points in page-locked memory against a loop over `bls12_381`.

use bls12_381::{G1Affine, Scalar};
use ff::Field;
use groth16_cuda::device::{Device, HostConfig, PinnedBuffer, Stream};
use groth16_cuda::msm::{Plan, Streaming};
use groth16_cuda::repr::{G1, G2};
use groth16_cuda::{Error, points};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::device::device;
use crate::oracle::groups::TestGroup;
use crate::oracle::msm::{SumOfMultiples, random_points, random_scalars};

/// The points in the kernels' layout, in page-locked memory.
fn pinned<G: SumOfMultiples>(
    stream: &Stream,
    points: &[G::AffinePoint],
) -> PinnedBuffer<G::Affine> {
    let bytes = G::to_bytes(points);
    let there = points::upload::<G>(stream, &bytes, points::Checks::NONE).unwrap();
    let mut here = PinnedBuffer::new(stream.device(), points.len()).unwrap();
    stream.download(there.view(), &mut here).unwrap();
    here
}

fn pinned_scalars(device: &Device, scalars: &[Scalar]) -> PinnedBuffer<Scalar> {
    let mut here = PinnedBuffer::new(device, scalars.len()).unwrap();
    here.copy_from_slice(scalars);
    here
}

/// Vectors of every kind over one pass of the points, in chunks of many lengths; then shorter ones
/// with the same memory.
fn streams<G: SumOfMultiples>(device: &Device, n: usize, plans: &[(u32, u32, usize)]) {
    let stream = device.stream().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(21);
    let points = random_points::<G>(&mut rng, n);
    let (value, other) = (Scalar::random(&mut rng), Scalar::random(&mut rng));
    let vectors = [
        random_scalars(&mut rng, n),
        vec![Scalar::one(); n],
        vec![value; n],
        (0..n).map(|i| if i % 2 == 0 { value } else { other }).collect(),
    ];
    let here = pinned::<G>(&stream, &points);
    let scalars: Vec<_> = vectors.iter().map(|s| pinned_scalars(device, s)).collect();
    for &(windows, group, chunk) in plans {
        let plan = Plan::with_chunk(n, windows, group, chunk).unwrap();
        let free = device.memory().unwrap().0;
        let mut streaming = Streaming::<G>::with_plan(&stream, &plan, vectors.len()).unwrap();
        let used = free - device.memory().unwrap().0;
        let bytes = Streaming::<G>::bytes(&plan, vectors.len()) as u64;
        assert!((bytes..bytes + (16 << 8)).contains(&used), "{used} of {bytes}");
        for length in [n, n / 2 + 1, 1, 0, n] {
            let parts: Vec<_> = scalars.iter().map(|s| &s[..length]).collect();
            let sums = streaming.sums(&here[..length], &parts).unwrap();
            for (got, vector) in sums.iter().zip(&vectors) {
                let expected = G::sum_of_multiples(&points[..length], &vector[..length]);
                assert_eq!(*got, expected, "{length} of {n} terms, chunks of {chunk}");
            }
            assert_eq!(sums.len(), vectors.len());
        }
    }
}

#[test]
fn vectors_over_one_pass_in_g1() {
    let device = &device();
    let chunks = [8, 15, 16, 17, 63, 64, 65, 119, 120];
    let plans: Vec<_> = chunks.map(|chunk| (0, 0, chunk)).into_iter().collect();
    streams::<G1>(device, 120, &plans);
    streams::<G1>(device, 31, &[(40, 7, 1), (63, 13, 2), (30, 30, 30), (0, 0, 31)]);
    streams::<G1>(device, 1, &[(0, 0, 1)]);
}

#[test]
fn vectors_over_one_pass_in_g2() {
    streams::<G2>(&device(), 50, &[(0, 0, 7), (40, 20, 16), (0, 0, 49)]);
}

/// Copies are waited for in the end, and then run after all kernels that do not wait for them.
#[test]
fn vectors_over_one_pass_whose_copies_come_last() {
    let config = HostConfig { seed: 2, ..HostConfig::default() };
    let device = &Device::host(config).unwrap();
    streams::<G1>(device, 50, &[(0, 0, 7), (40, 20, 16), (0, 0, 50)]);
}

/// A budget makes chunks smaller, then windows narrower; the sums are the same.
#[test]
fn streams_fit_their_budget() {
    const TERMS: usize = 3000;
    let device = device();
    let stream = device.stream().unwrap();
    let here = pinned::<G1>(&stream, &[G1Affine::generator(); TERMS]);
    let mut rng = ChaCha8Rng::seed_from_u64(22);
    let scalars = pinned_scalars(&device, &random_scalars(&mut rng, TERMS));
    let expected = G1::multiple(scalars.iter().sum());
    let tuned = Streaming::<G1>::new(&stream, TERMS, 1).unwrap();
    let whole = Streaming::<G1>::bytes(tuned.plan(), 1);
    let error = Streaming::<G1>::within(&stream, TERMS, 1, 1 << 20).unwrap_err();
    let Error::InsufficientVram { needed, available: 1_048_576 } = error else { panic!("{error}") };
    let mut plans = vec![*tuned.plan()];
    for bytes in [whole - 1, (whole + needed as usize) / 2, needed as usize] {
        let mut streaming = Streaming::<G1>::within(&stream, TERMS, 1, bytes).unwrap();
        assert!(Streaming::<G1>::bytes(streaming.plan(), 1) <= bytes);
        assert_eq!(streaming.sums(&here, &[&scalars]).unwrap(), [expected.into()]);
        plans.push(*streaming.plan());
    }
    plans.dedup();
    assert!(plans.len() >= 3 && plans[1].chunk() < plans[0].chunk(), "{plans:?}");
    assert!(Streaming::<G1>::within(&stream, TERMS, 1, needed as usize - 1).is_err());
}

#[test]
fn wrong_lengths_are_refused() {
    let device = device();
    let stream = device.stream().unwrap();
    let here = pinned::<G1>(&stream, &[G1Affine::generator(); 5]);
    let scalars = pinned_scalars(&device, &[Scalar::one(); 5]);
    let mut streaming = Streaming::<G1>::new(&stream, 4, 2).unwrap();
    let cases: [(usize, &[&[Scalar]]); 3] =
        [(5, &[&scalars, &scalars]), (4, &[&scalars[..4]]), (4, &[&scalars[..4], &scalars[..3]])];
    for (length, vectors) in cases {
        let error = streaming.sums(&here[..length], vectors).unwrap_err();
        assert!(matches!(error, Error::Length { operation: "msm streaming", .. }), "{error}");
    }
    let sums = streaming.sums(&here[..4], &[&scalars[..4], &scalars[1..]]).unwrap();
    assert_eq!(sums, [G1::multiple(Scalar::from(4)).into(); 2]);
}
