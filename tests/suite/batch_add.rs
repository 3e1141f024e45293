//! Batch addition against a loop.

use bls12_381::Scalar;
use ff::Field;
use groth16_cuda::density::{DensityMap, DeviceDensity, IndexMap};
use groth16_cuda::repr::{G1, G2};
use groth16_cuda::{Error, batch_add, points};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::device::device;
use crate::guard::{Guarded, Poison};
use crate::oracle::groups::TestGroup;
use crate::target::is_gpu;
use crate::{oracle, tuning};

/// Around a warp, a block's 128 threads, the 512 elements from which a second block is used.
const SIZES: [usize; 10] = [0, 1, 2, 31, 33, 128, 255, 512, 1025, 3000];

/// From here on there are more than 64 blocks, and their sums are folded.
const FOLDED: usize = 64 * 512;

/// The group's tuning number of this name.
fn tuned<G: TestGroup>(name: &str) -> usize {
    tuning::number_of(tuning::BATCH_ADD, name, if G::NAME == "G1" { 0 } else { 1 })
}

/// Elements from which one more block is used.
fn per_block<G: TestGroup>() -> usize {
    tuned::<G>("kBlockThreads") * tuned::<G>("kMinPerThread")
}

/// Where a warp, a block, and a round of all threads over the list end, and where one more block,
/// folding, and folding by more lanes begin; on a GPU also where blocks are no longer added.
fn edges<G: TestGroup>() -> Vec<usize> {
    let (threads, per_block) = (tuned::<G>("kBlockThreads"), per_block::<G>());
    let folded = per_block * tuning::number(tuning::BATCH_ADD, "kMaxPartials");
    assert_eq!(folded, FOLDED);
    let of_rounds = (1..=4).flat_map(|blocks| {
        let rounds = (1..).map(move |round| round * blocks * threads);
        rounds
            .take_while(move |n| *n < blocks * per_block)
            .filter(move |n| n / per_block + 1 == blocks)
    });
    let of_blocks = [1, 2, 3, 8, 16].map(|blocks| blocks * per_block);
    let last = per_block * tuned::<G>("kMaxBlocks");
    let on_gpu = is_gpu(&device()).then_some([2 * folded, 4 * folded, last]);
    let large = on_gpu.into_iter().flatten();
    tuning::around(of_rounds.chain(of_blocks).chain([tuning::WARP, folded]).chain(large))
}

/// A pool with random points, doubles, opposites and infinity.
fn pool<G: TestGroup>(rng: &mut ChaCha8Rng) -> Vec<G::AffinePoint> {
    let mut points: Vec<_> = (0..90).map(|_| G::multiple(Scalar::random(&mut *rng))).collect();
    for i in 0..20 {
        points.push(points[i]);
        points.push(G::negated(points[i]));
    }
    points.extend([G::multiple(Scalar::zero()); 5]);
    points
}

fn lists_around_every_edge<G: TestGroup>() {
    let stream = device().stream().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let points = pool::<G>(&mut rng);
    let sizes = [0, 1, 2, 3000, FOLDED + 1000].into_iter().chain(edges::<G>());
    for n in sizes {
        let list: Vec<u32> = (0..n).map(|_| rng.random_range(0..points.len() as u32)).collect();
        let expected = oracle::batch_add::sum::<G>(&points, None, &list);
        let got = batch_add::sum_of::<G>(&stream, &points, None, &list).unwrap();
        assert_eq!(got, expected, "{n} elements in {}", G::NAME);
    }
}

fn equal_and_opposite_points<G: TestGroup>() {
    let stream = device().stream().unwrap();
    let p = G::multiple(Scalar::from(5));
    let points = [p, G::negated(p), G::multiple(Scalar::zero())];
    for n in SIZES {
        let patterns: [fn(usize) -> u32; 5] =
            [|_| 0, |i| (i % 2) as u32, |i| (i / 128 % 2) as u32, |_| 2, |i| (i % 3) as u32];
        for (number, pattern) in patterns.iter().enumerate() {
            let list: Vec<u32> = (0..n).map(pattern).collect();
            let expected = oracle::batch_add::sum::<G>(&points, None, &list);
            let got = batch_add::sum_of::<G>(&stream, &points, None, &list).unwrap();
            assert_eq!(got, expected, "{n} elements, pattern {number}, in {}", G::NAME);
        }
    }
}

fn densities<G: TestGroup>() {
    let stream = device().stream().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let points = pool::<G>(&mut rng);
    for (variables, percent) in [(0, 50), (1, 100), (33, 100), (700, 10), (700, 50), (64, 0)] {
        let bits: Vec<bool> =
            (0..variables).map(|_| rng.random_range(0..100u32) < percent).collect();
        let map = DensityMap::from_bits(bits.iter().copied()).unwrap();
        assert_eq!(map.count(), bits.iter().filter(|bit| **bit).count());
        // Two beyond the density, as a wrong list would have them: skipped, not read.
        let list: Vec<u32> = (0..variables as u32 + 2).collect();
        let expected = oracle::batch_add::sum::<G>(&points, Some(&bits), &list);
        let got = batch_add::sum_of::<G>(&stream, &points, Some(&map), &list).unwrap();
        assert_eq!(got, expected, "{variables} variables, {percent} %, in {}", G::NAME);
    }
}

/// The sums over a query's chunks add up, and a count below the list's length is kept to.
fn chunks_and_counts<G: TestGroup>() {
    let device = device();
    let stream = device.stream().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let points = pool::<G>(&mut rng);
    let bits: Vec<bool> = (0..2 * points.len()).map(|v| v % 2 == 0).collect();
    let density =
        DeviceDensity::upload(&stream, &DensityMap::from_bits(bits.iter().copied()).unwrap());
    let density = density.unwrap();
    let list: Vec<u32> = (0..bits.len() as u32).collect();
    let counted = list.len() - 7;
    let expected = oracle::batch_add::sum::<G>(&points, Some(&bits), &list[..counted]);
    let resident =
        points::upload::<G>(&stream, &G::to_bytes(&points), points::Checks::NONE).unwrap();
    let mut indices = device.alloc::<u32>(list.len()).unwrap();
    let mut count = device.alloc::<u32>(1).unwrap();
    stream.upload(&list, indices.view_mut()).unwrap();
    stream.upload(&[counted as u32], count.view_mut()).unwrap();
    let partials = batch_add::partials::<G>(&device, list.len()).unwrap();
    let mut work = device.alloc(batch_add::workspace::<G>(&device, list.len()).unwrap()).unwrap();
    let mut sums = Vec::new();
    for first in (0..points.len()).step_by(50) {
        let chunk = resident.view().slice(first..points.len().min(first + 50)).unwrap();
        let map = density.map().from_point(first);
        let mut out = device.alloc::<G::Xyzz>(partials).unwrap();
        let (indices, count) = (indices.view(), count.view());
        let (out_view, work) = (out.view_mut(), work.view_mut());
        batch_add::sum::<G>(&stream, chunk, map, indices, count, out_view, work).unwrap();
        let mut part = vec![G::XYZZ_INFINITY; partials];
        stream.download(out.view(), &mut part).unwrap();
        sums.extend(part);
    }
    assert_eq!(batch_add::finish::<G>(&sums).unwrap(), expected);
}

/// Counts where a round of all threads ends, in a list of several blocks.
fn counts_around_every_edge<G: TestGroup>() {
    let device = device();
    let stream = device.stream().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let points = pool::<G>(&mut rng);
    let resident =
        points::upload::<G>(&stream, &G::to_bytes(&points), points::Checks::NONE).unwrap();
    let n = 5 * per_block::<G>() + 99;
    let round = 6 * tuned::<G>("kBlockThreads");
    let list: Vec<u32> = (0..n).map(|_| rng.random_range(0..points.len() as u32)).collect();
    let mut indices = device.alloc::<u32>(n).unwrap();
    let mut count = device.alloc::<u32>(1).unwrap();
    stream.upload(&list, indices.view_mut()).unwrap();
    let mut sums = vec![G::XYZZ_INFINITY; batch_add::partials::<G>(&device, n).unwrap()];
    let mut out = device.alloc::<G::Xyzz>(sums.len()).unwrap();
    let mut work = device.alloc(batch_add::workspace::<G>(&device, n).unwrap()).unwrap();
    let counts = tuning::around([1, tuning::WARP, round, 2 * round, 3 * round, n]);
    for counted in counts.into_iter().chain([u32::MAX as usize]) {
        stream.upload(&[counted as u32], count.view_mut()).unwrap();
        let map = IndexMap::identity(points.len());
        let (points_view, list_view, count) = (resident.view(), indices.view(), count.view());
        let (out_view, work) = (out.view_mut(), work.view_mut());
        batch_add::sum::<G>(&stream, points_view, map, list_view, count, out_view, work).unwrap();
        stream.download(out.view(), &mut sums).unwrap();
        let expected = oracle::batch_add::sum::<G>(&points, None, &list[..counted.min(n)]);
        assert_eq!(batch_add::finish::<G>(&sums).unwrap(), expected, "{counted} in {}", G::NAME);
    }
}

/// Lists of one block, of several and of so many that their sums are folded; over all points and
/// over a density. Everything lies between guard bytes.
fn keeps_to_its_blocks<G: TestGroup>() {
    let device = device();
    let stream = device.stream().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let points = pool::<G>(&mut rng);
    let resident =
        points::upload::<G>(&stream, &G::to_bytes(&points), points::Checks::NONE).unwrap();
    let resident = Guarded::copied(&stream, resident.view());
    let bits: Vec<bool> = (0..points.len() * 3 / 2).map(|v| v % 3 != 0).collect();
    let map = DensityMap::from_bits(bits.iter().copied()).unwrap();
    let (bitmap, rank) =
        (Guarded::holding(&stream, map.bitmap()), Guarded::holding(&stream, map.rank()));
    let ranked = IndexMap::ranked(bitmap.view(), rank.view(), bits.len()).unwrap();
    for (n, poison) in [0, 1, 127, 1025, FOLDED + 1].into_iter().zip(Poison::ALL.iter().cycle()) {
        let list: Vec<u32> = (0..n).map(|_| rng.random_range(0..bits.len() as u32)).collect();
        let indices = Guarded::holding(&stream, &list);
        let count = Guarded::holding(&stream, &[n as u32]);
        for (map, bits) in [(IndexMap::identity(points.len()), None), (ranked, Some(&bits[..]))] {
            let what = format!("{n} elements in {}, {poison:?}", G::NAME);
            let partials = batch_add::partials::<G>(&device, n).unwrap();
            let bytes = batch_add::workspace::<G>(&device, n).unwrap();
            let mut out = Guarded::elements::<G::Xyzz>(&stream, partials, *poison);
            let mut work = Guarded::new(&stream, bytes, *poison);
            let (list_view, count_view) = (indices.view(), count.view());
            let (out_view, work_view) = (out.view_mut(), work.view_mut());
            let all = resident.view();
            batch_add::sum::<G>(&stream, all, map, list_view, count_view, out_view, work_view)
                .unwrap();
            out.check(&stream, &what);
            work.check(&stream, &what);
            for input in [&resident, &bitmap, &rank, &indices, &count] {
                input.check_unchanged(&stream, &what);
            }
            let mut sums = vec![G::XYZZ_INFINITY; partials];
            stream.download(out.view(), &mut sums).unwrap();
            let expected = oracle::batch_add::sum::<G>(&points, bits, &list);
            assert_eq!(batch_add::finish::<G>(&sums).unwrap(), expected, "{what}");
        }
    }
}

fn wrong_lengths<G: TestGroup>() {
    let device = device();
    let stream = device.stream().unwrap();
    let n = FOLDED + 1;
    let mut points = device.alloc::<G::Affine>(4).unwrap();
    let mut list = device.alloc::<u32>(n).unwrap();
    stream.fill(0, points.view_mut()).unwrap();
    stream.fill(0, list.view_mut()).unwrap();
    let partials = batch_add::partials::<G>(&device, n).unwrap();
    let bytes = batch_add::workspace::<G>(&device, n).unwrap();
    assert!(partials <= 64 && bytes > 0);
    for (count_len, out_len, work_len) in
        [(0, partials, bytes), (1, partials - 1, bytes), (1, partials, bytes - 1)]
    {
        let mut count = device.alloc::<u32>(count_len).unwrap();
        let mut out = device.alloc::<G::Xyzz>(out_len).unwrap();
        let mut work = device.alloc::<u8>(work_len).unwrap();
        stream.fill(0, count.view_mut()).unwrap();
        let map = IndexMap::identity(4);
        let (points, list, count) = (points.view(), list.view(), count.view());
        let (out, work) = (out.view_mut(), work.view_mut());
        let result = batch_add::sum::<G>(&stream, points, map, list, count, out, work);
        assert!(matches!(result, Err(Error::Length { .. })), "{result:?}");
    }
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
    lists_around_every_edge counts_around_every_edge equal_and_opposite_points densities
    chunks_and_counts keeps_to_its_blocks wrong_lengths
}
