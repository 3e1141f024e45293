//! Queries side by side, which only a prover runs, and the arithmetic of streamed chunks.

use bls12_381::Scalar;

use super::*;
use crate::testing::target::device;

mod guard;

/// Chunks of terms, sorted on one stream and accumulated on lanes, give what one sort gives.
#[test]
fn chunks_side_by_side_are_those_of_one_sort() {
    const TERMS: usize = 40;
    let device = device();
    let stream = device.stream().unwrap();
    let lanes: Vec<_> = (0..3).map(|_| device.stream().unwrap()).collect();
    let values: Vec<_> = (0..TERMS as u64).map(|i| -Scalar::from(i / 2).square()).collect();
    let points: Vec<_> = (1..=TERMS as u64)
        .map(|k| G1Affine::from(G1Projective::generator() * Scalar::from(k)))
        .collect();
    let g1 = points::upload::<G1>(&stream, &G1::to_bytes(&points), points::Checks::NONE).unwrap();
    let bytes = G2::to_bytes(&[G2Affine::generator(); TERMS]);
    let g2 = points::upload::<G2>(&stream, &bytes, points::Checks::NONE).unwrap();
    let mut scalars = device.alloc(TERMS).unwrap();
    stream.upload(repr::scalars_as_repr(&values), scalars.view_mut()).unwrap();
    let scalars = Scalars::montgomery(scalars.view());
    let last = g1.view().slice(30..TERMS).unwrap();
    let of_last = Query::over(last, IndexMap::identity(TERMS).from_point(30));
    let (g1, g2) = ([Query::identity(g1.view()), of_last], [Query::identity(g2.view())]);
    let sums = [TERMS, 39, 13].map(|chunk| {
        let plan = Plan::with_chunk(TERMS, 0, 20, chunk).unwrap();
        let mut scratch = device.alloc(plan.side_by_side_bytes(2, 1)).unwrap();
        let mut result = device.alloc(plan.result_bytes(2, 1)).unwrap();
        let (work, out) = (scratch.view_mut(), result.view_mut());
        enqueue_side_by_side(&stream, &lanes, &plan, &scalars, &g1, &g2, work, out).unwrap();
        lanes.iter().for_each(|lane| lane.synchronize().unwrap());
        let mut bytes = vec![0; result.len()];
        stream.download(result.view(), &mut bytes).unwrap();
        plan.finish(2, 1, &bytes).unwrap()
    });
    let all: G1Projective = points.iter().zip(&values).map(|(p, s)| p * s).sum();
    assert_eq!(sums[0].g1[0], all);
    assert_eq!(sums[0].g2[0], G2Projective::generator() * values.iter().sum::<Scalar>());
    assert!(sums[1] == sums[0] && sums[2] == sums[0]);
}

/// The chunks cover all terms once, keep to the limit, and no one is more than twice the one
/// before.
#[test]
fn chunks_of_a_stream_grow_and_cover() {
    for terms in [1, 2, 14, 15, 16, 17, 31, 100, 1000, 1 << 20, 1 << 24, 1 << 27] {
        for most in [terms, terms / 2 + 1, terms / 9 + 1, terms / 100 + 1, streaming::CHUNK_TERMS] {
            let all: Vec<_> = streaming::chunks(terms, most).collect();
            assert!(all.iter().all(|chunk| chunk.len() <= most), "{terms} {most} {all:?}");
            assert_eq!((all[0].start, all[all.len() - 1].end), (0, terms));
            for pair in all.windows(2) {
                assert_eq!(pair[0].end, pair[1].start);
                assert!(pair[1].len() <= 2 * pair[0].len(), "{terms} {most} {all:?}");
            }
        }
    }
    let of = |terms| {
        streaming::chunks(terms, streaming::CHUNK_TERMS)
            .map(|chunk| chunk.len())
            .collect::<Vec<_>>()
    };
    assert_eq!(of(1 << 24).len(), 4);
    assert_eq!(of(1 << 26).len(), 6);
    assert_eq!(of(1 << 27).len(), 8);
    assert!(of(1 << 27)[0] < 1 << 21);
}
