//! Fixed-base multiplication against `bls12_381`.

use bls12_381::Scalar;
use ff::Field;
use groth16_cuda::Error;
use groth16_cuda::device::Stream;
use groth16_cuda::fixed_base::FixedBase;
use groth16_cuda::points::{self, PointFault};
use groth16_cuda::repr::{FrRepr, G1, G2, scalars_as_repr};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::device::device;
use crate::guard::{Guarded, Poison};
use crate::oracle::groups::TestGroup;
use crate::target::is_gpu;
use crate::tuning;

/// Around a warp, a block's threads, and the points that a block normalizes; on a GPU also behind
/// those from which normalizing takes no more blocks.
fn sizes_of<G: TestGroup>() -> Vec<usize> {
    let of = |header, name| tuning::number_of(header, name, group::<G>());
    let block = of(tuning::FIXED_BASE, "kBlockThreads");
    let normalized = of(tuning::NORMALIZE, "kThreads") * of(tuning::NORMALIZE, "kMinPerThread");
    let edges = [tuning::WARP, block, 2 * block, normalized, 2 * normalized];
    let most = of(tuning::NORMALIZE, "kMaxBlocks") * normalized;
    let large = is_gpu(&device()).then_some(most + 1);
    [0, 1, 2].into_iter().chain(tuning::around(edges)).chain(large).collect()
}

/// The group's number in tuning headers.
fn group<G: TestGroup>() -> usize {
    if G::NAME == "G1" { 0 } else { 1 }
}

/// Numbers of multiples whose tables have windows of 4 bits up to the widest.
const MULTIPLES: [usize; 6] = [0, 1, 300, 1 << 12, 1 << 16, usize::MAX];

/// The multiples' encodings.
fn multiplied<G: TestGroup>(stream: &Stream, base: &FixedBase<G>, scalars: &[Scalar]) -> Vec<u8> {
    let device = stream.device();
    let mut values = device.alloc::<FrRepr>(scalars.len()).unwrap();
    let mut out = device.alloc::<G::Affine>(scalars.len()).unwrap();
    let bytes = FixedBase::<G>::workspace(device, scalars.len()).unwrap();
    let mut work = device.alloc::<u8>(bytes).unwrap();
    stream.upload(scalars_as_repr(scalars), values.view_mut()).unwrap();
    base.multiply(stream, values.view(), out.view_mut(), work.view_mut()).unwrap();
    points::encode::<G>(stream, out.view_mut()).unwrap();
    let mut encoded = vec![0; scalars.len() * G::BYTES];
    stream.download(out.view().cast().unwrap(), &mut encoded).unwrap();
    encoded
}

/// Compares the multiples of k · G, point by point.
fn compare<G: TestGroup>(k: Scalar, scalars: &[Scalar], encoded: &[u8], what: &str) {
    assert_eq!(encoded.len(), scalars.len() * G::BYTES);
    for (i, (scalar, got)) in scalars.iter().zip(encoded.chunks_exact(G::BYTES)).enumerate() {
        let expected = G::to_bytes(&[G::multiple(k * scalar)]);
        assert!(
            got == expected,
            "scalar {i} of {}, {scalar:?}, {what}, in {}",
            scalars.len(),
            G::NAME
        );
    }
}

fn power(k: u32) -> Scalar {
    Scalar::from(2).pow_vartime(&[u64::from(k), 0, 0, 0])
}

/// 0, 1, r − 1, small ones, (r ± 1)/2, powers of two and their neighbours, and random ones.
fn edges() -> Vec<Scalar> {
    let half = Option::<Scalar>::from(Scalar::from(2).invert()).unwrap();
    let mut scalars = vec![half, half - Scalar::one(), half + Scalar::one()];
    scalars.extend((0..20).flat_map(|k| [Scalar::from(k), -Scalar::from(k)]));
    scalars.extend((4..255).flat_map(|k| [power(k) - Scalar::one(), power(k) + Scalar::one()]));
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    scalars.extend((0..50).map(|_| Scalar::random(&mut rng)));
    scalars
}

/// Scalars with the largest and the least digits, as 255 bits in `windows` windows have them: below
/// the top window all 2^(width − 1) − 1, all −2^(width − 1), all bits set, all carrying.
fn extreme_digits(windows: u32) -> Vec<Scalar> {
    let (narrow, wide) = (255 / windows, 255 % windows);
    let start = |w: u32| w * narrow + w.min(wide);
    let top = power(start(windows - 1));
    let halves: Scalar = (1..windows).map(|w| power(start(w) - 1)).sum();
    let units: Scalar = (1..windows).map(|w| power(start(w - 1))).sum();
    let mut scalars = Vec::new();
    for t in [Scalar::zero(), Scalar::one(), Scalar::from(2)] {
        scalars.extend([halves - units, -halves, halves, -Scalar::one()].map(|low| t * top + low));
    }
    scalars.extend(scalars.clone().into_iter().map(|scalar| -scalar));
    scalars
}

fn sizes<G: TestGroup>() {
    let stream = device().stream().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let k = Scalar::random(&mut rng);
    let base = FixedBase::<G>::new(&stream, &G::multiple(k), 300).unwrap();
    let mut pool: Vec<_> = (0..40).map(|_| Scalar::random(&mut rng)).collect();
    pool.extend([Scalar::zero(), Scalar::one(), -Scalar::one()]);
    let multiples: Vec<_> = pool.iter().map(|scalar| G::multiple(k * scalar)).collect();
    for n in sizes_of::<G>() {
        let picks = (0..n).map(|i| (i * i + n) % pool.len());
        let scalars: Vec<_> = picks.clone().map(|i| pool[i]).collect();
        let expected: Vec<_> = picks.map(|i| multiples[i]).collect();
        let got = multiplied::<G>(&stream, &base, &scalars);
        assert!(got == G::to_bytes(&expected), "{n} multiples in {}", G::NAME);
    }
}

/// Scalars, multiples and workspace between guard bytes.
fn keeps_to_its_blocks<G: TestGroup>() {
    let device = device();
    let stream = device.stream().unwrap();
    let k = Scalar::from(0x1234_5678_9abc);
    let base = FixedBase::<G>::new(&stream, &G::multiple(k), 300).unwrap();
    for (n, poison) in [0, 1, 33, 128, 129, 300].into_iter().zip(Poison::ALL.into_iter().cycle()) {
        let what = format!("{n} multiples in {}, {poison:?}", G::NAME);
        let scalars: Vec<_> = edges().into_iter().cycle().take(n).collect();
        let values = Guarded::holding(&stream, scalars_as_repr(&scalars));
        let mut out = Guarded::elements::<G::Affine>(&stream, n, poison);
        let bytes = FixedBase::<G>::workspace(&device, n).unwrap();
        let mut work = Guarded::new(&stream, bytes, poison);
        base.multiply(&stream, values.view(), out.view_mut(), work.view_mut()).unwrap();
        out.check(&stream, &what);
        work.check(&stream, &what);
        values.check_unchanged(&stream, &what);
        points::encode::<G>(&stream, out.view_mut()).unwrap();
        out.check(&stream, &what);
        compare::<G>(k, &scalars, &out.bytes(&stream), &what);
    }
}

fn edge_scalars_in_every_width<G: TestGroup>() {
    let stream = device().stream().unwrap();
    let mut scalars = edges();
    scalars.extend((17..64).flat_map(extreme_digits));
    let k = Scalar::from(0x9876_5432_1234_5678);
    let mut first = Vec::new();
    for multiples in MULTIPLES {
        let base = FixedBase::<G>::new(&stream, &G::multiple(k), multiples).unwrap();
        let got = multiplied::<G>(&stream, &base, &scalars);
        if first.is_empty() {
            compare::<G>(k, &scalars, &got, "four bits a window");
            first = got;
        } else {
            assert!(got == first, "a table for {multiples} in {}", G::NAME);
        }
    }
}

fn bases<G: TestGroup>() {
    let stream = device().stream().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let k = Scalar::random(&mut rng);
    let mut scalars: Vec<_> = (0..10).map(|_| Scalar::random(&mut rng)).collect();
    scalars.extend([Scalar::zero(), Scalar::one(), -Scalar::one(), Scalar::from(2)]);
    for k in [Scalar::one(), k, -k, Scalar::zero()] {
        let base = FixedBase::<G>::new(&stream, &G::multiple(k), 2000).unwrap();
        let got = multiplied::<G>(&stream, &base, &scalars);
        compare::<G>(k, &scalars, &got, "");
    }
    let base = FixedBase::<G>::new(&stream, &G::negated(G::multiple(k)), 2000).unwrap();
    compare::<G>(-k, &scalars, &multiplied::<G>(&stream, &base, &scalars), "the opposite base");
}

fn equal_scalars<G: TestGroup>() {
    let stream = device().stream().unwrap();
    let base = FixedBase::<G>::new(&stream, &G::multiple(Scalar::one()), 1).unwrap();
    for scalar in [Scalar::zero(), Scalar::one(), -Scalar::one(), power(200)] {
        let got = multiplied::<G>(&stream, &base, &[scalar; 300]);
        assert!(got == G::to_bytes(&[G::multiple(scalar); 300]), "{scalar:?} in {}", G::NAME);
    }
}

fn tables<G: TestGroup>() {
    let device = device();
    let bytes = MULTIPLES.map(|n| FixedBase::<G>::table_bytes(&device, n).unwrap());
    assert!(bytes.is_sorted() && bytes[0] < bytes[2] && bytes[2] < bytes[3]);
    assert!(bytes[5] > 10 << 20 && bytes[5] < 50 << 20, "{} bytes", bytes[5]);
}

fn base_outside_of_the_subgroup<G: TestGroup>() {
    let stream = device().stream().unwrap();
    let result = FixedBase::<G>::new(&stream, &G::outside(), 1);
    match result.map(|_| ()) {
        Err(Error::Point { fault, .. }) => assert_eq!(fault, PointFault::NotInSubgroup),
        other => panic!("{other:?}"),
    }
}

/// What comes of n scalars, places for so many points and so much workspace, from these offsets.
fn attempt<G: TestGroup>(
    base: &FixedBase<G>,
    stream: &Stream,
    n: usize,
    (points, work_len): (usize, usize),
    [scalars_at, out_at, work_at]: [usize; 3],
) -> groth16_cuda::Result<()> {
    let device = stream.device();
    let mut scalars = device.alloc::<u64>(4 * n + 4).unwrap();
    let mut out = device.alloc::<u8>((points + 1) * G::BYTES).unwrap();
    let mut work = device.alloc::<u8>(work_len + 16).unwrap();
    stream.fill(0, scalars.view_mut()).unwrap();
    let scalars = scalars.view().slice(scalars_at..scalars_at + 4 * n).unwrap().cast().unwrap();
    let out = out.view_mut().slice(out_at..out_at + points * G::BYTES).unwrap().cast()?;
    let work = work.view_mut().slice(work_at..work_at + work_len).unwrap();
    base.multiply(stream, scalars, out, work)
}

fn wrong_lengths<G: TestGroup>() {
    let device = device();
    let stream = device.stream().unwrap();
    let base = FixedBase::<G>::new(&stream, &G::multiple(Scalar::one()), 1).unwrap();
    let n = 5;
    let bytes = FixedBase::<G>::workspace(&device, n).unwrap();
    attempt::<G>(&base, &stream, n, (n, bytes), [0; 3]).unwrap();
    for lengths in [(n - 1, bytes), (n + 1, bytes), (n, bytes - 1)] {
        let result = attempt::<G>(&base, &stream, n, lengths, [0; 3]);
        assert!(matches!(result, Err(Error::Length { .. })), "{result:?}");
    }
    for offsets in [[1, 0, 0], [0, 0, 8]] {
        let result = attempt::<G>(&base, &stream, n, (n, bytes), offsets);
        assert!(matches!(result, Err(Error::Alignment { offset: 8, .. })), "{result:?}");
    }
    assert!(attempt::<G>(&base, &stream, n, (n, bytes), [0, 8, 0]).is_err());
    let too_many = FixedBase::<G>::workspace(&device, (1 << 31) + 1);
    assert!(matches!(too_many, Err(Error::TooMany { .. })), "{too_many:?}");
}

fn another_devices_memory<G: TestGroup>() {
    let (one, two) = (device(), device());
    let base = FixedBase::<G>::new(&one.stream().unwrap(), &G::multiple(Scalar::one()), 1).unwrap();
    let bytes = FixedBase::<G>::workspace(&two, 1).unwrap();
    let result = attempt::<G>(&base, &two.stream().unwrap(), 1, (1, bytes), [0; 3]);
    assert!(matches!(result, Err(Error::Device { .. })), "{result:?}");
}

macro_rules! for_both_groups {
    ($($test:ident)*) => {
        mod g1 {
            $(#[test] fn $test() { super::$test::<super::G1>() })*
        }
        mod g2 {
            $(#[test] fn $test() { super::$test::<super::G2>() })*
        }
    };
}

for_both_groups! {
    sizes keeps_to_its_blocks edge_scalars_in_every_width bases equal_scalars tables
    base_outside_of_the_subgroup wrong_lengths another_devices_memory
}
