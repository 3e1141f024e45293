//! Classification of the witness against one comparison after the other.

use bls12_381::Scalar;
use ff::Field;
use groth16_cuda::{Error, witness};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::device::device;
use crate::guard::{Guarded, Poison};
use crate::target::is_gpu;
use crate::{oracle, tuning};

/// Sizes around a warp's scalars, a block's and several blocks'; on a GPU also around all powers of
/// two up to 2^21, where the tiles of the sum over the words' counts end.
fn sizes() -> Vec<usize> {
    let block = tuning::number(tuning::WITNESS, "kBlockThreads");
    let edges = [tuning::WARP, 2 * tuning::WARP, block, 2 * block, 3 * block, 32 * block];
    let large = is_gpu(&device()).then_some((14..=21).map(|k| 1 << k));
    let sizes = tuning::around(edges.into_iter().chain(large.into_iter().flatten()));
    [0, 1, 2, 5000].into_iter().chain(sizes).collect()
}

fn scalar(rng: &mut ChaCha8Rng) -> Scalar {
    match rng.random_range(0..8) {
        0..3 => Scalar::zero(),
        3..6 => Scalar::one(),
        6 => [Scalar::from(2), Scalar::from(3), -Scalar::one()][rng.random_range(0..3)],
        _ => Scalar::random(rng),
    }
}

#[test]
fn mixed_scalars_of_every_size() {
    let stream = device().stream().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for n in sizes() {
        let scalars: Vec<Scalar> = (0..n).map(|_| scalar(&mut rng)).collect();
        assert_eq!(
            witness::classes(&stream, &scalars).unwrap(),
            oracle::witness::classes(&scalars),
            "{n} scalars"
        );
    }
}

#[test]
fn one_class_alone() {
    let stream = device().stream().unwrap();
    for n in sizes() {
        for value in [Scalar::zero(), Scalar::one(), -Scalar::one()] {
            let scalars = vec![value; n];
            assert_eq!(
                witness::classes(&stream, &scalars).unwrap(),
                oracle::witness::classes(&scalars),
                "{n} scalars {value:?}"
            );
        }
    }
}

#[test]
fn a_limb_that_differs_is_seen() {
    let stream = device().stream().unwrap();
    let bytes = groth16_cuda::repr::bytes_of(&[Scalar::one()]).to_vec();
    for base in [vec![0; 32], bytes] {
        let scalars: Vec<Scalar> = (0..256)
            .map(|bit| {
                let mut changed = [Scalar::zero()];
                let memory = groth16_cuda::repr::bytes_of_mut(&mut changed);
                memory.copy_from_slice(&base);
                memory[bit / 8] ^= 1 << (bit % 8);
                changed[0]
            })
            .collect();
        let classes = witness::classes(&stream, &scalars).unwrap();
        assert_eq!(classes.rest, (0..256).collect::<Vec<u32>>());
        assert!(classes.ones.is_empty());
    }
}

#[test]
fn short_lists_keep_what_fits() {
    let device = device();
    let stream = device.stream().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let scalars: Vec<Scalar> = (0..1000).map(|_| scalar(&mut rng)).collect();
    let expected = oracle::witness::classes(&scalars);
    let mut input = device.alloc(1000).unwrap();
    let mut lists = device.alloc::<u32>(30).unwrap();
    let mut counts = device.alloc::<u32>(2).unwrap();
    let mut work = device.alloc::<u8>(witness::workspace(&device, 1000).unwrap()).unwrap();
    stream.upload(&scalars, input.view_mut()).unwrap();
    stream.fill(0xee, lists.view_mut()).unwrap();
    let (ones, tail) = lists.view_mut().split_at(10).unwrap();
    let (rest, _guard) = tail.split_at(15).unwrap();
    let (counts_view, work_view) = (counts.view_mut(), work.view_mut());
    witness::classify(&stream, input.view(), ones, rest, counts_view, work_view).unwrap();
    let (mut got, mut counted) = ([0; 30], [0; 2]);
    stream.download(lists.view(), &mut got).unwrap();
    stream.download(counts.view(), &mut counted).unwrap();
    assert_eq!(got[..10], expected.ones[..10]);
    assert_eq!(got[10..25], expected.rest[..15]);
    assert_eq!(got[25..], [0xeeee_eeee; 5]);
    assert_eq!(counted, [expected.ones.len() as u32, expected.rest.len() as u32]);
}

/// Lists with exactly enough room, and with less, between guard bytes.
#[test]
fn keeps_to_its_blocks() {
    let device = device();
    let stream = device.stream().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for (n, poison) in sizes().into_iter().zip(Poison::ALL.into_iter().cycle()) {
        let scalars: Vec<Scalar> = (0..n).map(|_| scalar(&mut rng)).collect();
        let expected = oracle::witness::classes(&scalars);
        let input = Guarded::holding(&stream, &scalars);
        for short in [0, 1, 40] {
            let what = format!("{n} scalars, {poison:?}");
            let block = |len| Guarded::elements::<u32>(&stream, len, poison);
            let room = |list: &[u32]| list.len().saturating_sub(short);
            let (mut ones, mut rest) = (block(room(&expected.ones)), block(room(&expected.rest)));
            let mut counts = block(2);
            let mut work = Guarded::new(&stream, witness::workspace(&device, n).unwrap(), poison);
            let (ones_view, rest_view) = (ones.view_mut(), rest.view_mut());
            let (counts_view, work_view) = (counts.view_mut(), work.view_mut());
            witness::classify(&stream, input.view(), ones_view, rest_view, counts_view, work_view)
                .unwrap();
            for block in [&ones, &rest, &counts, &work] {
                block.check(&stream, &what);
            }
            input.check_unchanged(&stream, &what);
            let bytes = |list: &[u32]| groth16_cuda::repr::bytes_of(&list[..room(list)]).to_vec();
            assert!(ones.bytes(&stream) == bytes(&expected.ones), "{what}");
            assert!(rest.bytes(&stream) == bytes(&expected.rest), "{what}");
            let found = [expected.ones.len() as u32, expected.rest.len() as u32];
            assert!(counts.bytes(&stream) == groth16_cuda::repr::bytes_of(&found), "{what}");
        }
    }
}

#[test]
fn wrong_lengths_are_refused() {
    let device = device();
    let stream = device.stream().unwrap();
    let mut input = device.alloc::<Scalar>(100).unwrap();
    stream.fill(0, input.view_mut()).unwrap();
    let bytes = witness::workspace(&device, 100).unwrap();
    for (count_len, work_len) in [(1, bytes), (3, bytes), (2, bytes - 1), (2, 0)] {
        let mut lists = device.alloc::<u32>(200).unwrap();
        let mut counts = device.alloc::<u32>(count_len).unwrap();
        let mut work = device.alloc::<u8>(work_len).unwrap();
        let (ones, rest) = lists.view_mut().split_at(100).unwrap();
        let (counts, work) = (counts.view_mut(), work.view_mut());
        let result = witness::classify(&stream, input.view(), ones, rest, counts, work);
        assert!(matches!(result, Err(Error::Length { .. })), "{result:?}");
    }
}
