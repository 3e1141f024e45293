//! What kernels write of their blocks, and the arithmetic of streamed chunks.

use super::*;

mod edges;
mod guard;

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
