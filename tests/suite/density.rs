//! Densities: ranks of bits against counting.

use groth16_cuda::Error;
use groth16_cuda::density::DensityMap;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[test]
fn a_position_is_the_number_of_points_before() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    for len in [0, 1, 31, 32, 33, 64, 1000] {
        for percent in [0, 3, 50, 100] {
            let bits: Vec<bool> = (0..len).map(|_| rng.random_range(0..100) < percent).collect();
            let map = DensityMap::from_bits(bits.iter().copied()).unwrap();
            let mut before = 0;
            for (v, &bit) in bits.iter().enumerate() {
                assert_eq!(map.position(v), bit.then_some(before));
                before += usize::from(bit);
            }
            assert_eq!((map.len(), map.count()), (len, before));
            assert_eq!(map.is_empty(), len == 0);
            assert_eq!(map.position(len), None);
            assert_eq!(map.position(usize::MAX), None);
            assert_eq!(DensityMap::from_words(map.bitmap().to_vec(), len).unwrap(), map);
        }
    }
}

#[test]
fn bits_beyond_the_end_do_not_count() {
    let map = DensityMap::from_words(vec![u32::MAX; 2], 33).unwrap();
    assert_eq!((map.count(), map.bitmap(), map.rank()), (33, &[u32::MAX, 1][..], &[0, 32][..]));
}

#[test]
fn words_are_as_many_as_the_length_needs() {
    for (words, len) in [(0, 1), (2, 32), (1, 33)] {
        let result = DensityMap::from_words(vec![0; words], len);
        assert!(matches!(result, Err(Error::Length { .. })), "{result:?}");
    }
    let result = DensityMap::from_words(Vec::new(), DensityMap::MAX_LEN + 1);
    assert!(matches!(result, Err(Error::TooMany { .. })), "{result:?}");
}

#[test]
fn too_many_variables_are_refused_before_memory_is_taken() {
    let one = DensityMap::full(1).expect("a map");
    for got in [DensityMap::MAX_LEN + 1, usize::MAX] {
        for map in [DensityMap::full(got), DensityMap::empty(got)] {
            assert!(matches!(map, Err(Error::TooMany { .. })));
        }
        let bits = (0..got).map(|_| true);
        assert!(matches!(DensityMap::from_bits(bits), Err(Error::TooMany { .. })));
    }
    let both = DensityMap::concat(&one, &DensityMap::empty(63).expect("a map")).expect("a map");
    assert_eq!((both.len(), both.count(), both.position(0)), (64, 1, Some(0)));
}

#[test]
fn maps_are_joined_at_any_bit() {
    for (first, second) in [(0, 5), (1, 31), (31, 2), (32, 33), (33, 64), (70, 0)] {
        let bit = |i: usize| i.is_multiple_of(3);
        let map = |range: std::ops::Range<usize>| DensityMap::from_bits(range.map(bit));
        let joined =
            DensityMap::concat(&map(0..first).unwrap(), &map(first..first + second).unwrap());
        assert_eq!(joined.unwrap(), map(0..first + second).unwrap(), "{first} and {second}");
    }
}
