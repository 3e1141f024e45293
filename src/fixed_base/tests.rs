//! Tables are built in their blocks alone, whatever those held before.

use bls12_381::Scalar;

use super::*;
use crate::repr::{G1, G2};
use crate::testing::guard::{Guarded, Poison};
use crate::testing::oracle::groups::TestGroup;
use crate::testing::target::device;

/// Numbers of multiples for tables with narrow windows and with wider ones.
const MULTIPLES: [usize; 3] = [1, 300, 1 << 12];

/// The bases' points times every digit, window by window.
fn tables_keep_to_their_blocks<G: TestGroup>() {
    let device = device();
    let stream = &device.stream().unwrap();
    let base = G::multiple(Scalar::from(3));
    for (multiples, poison) in MULTIPLES.into_iter().zip(Poison::ALL.into_iter().cycle()) {
        let what = format!("{multiples} multiples in {}, {poison:?}", G::NAME);
        let windows = launch::windows::<G>(&device, multiples);
        let starts = launch::window_starts::<G>(&device, windows);
        let bases = G::to_bytes(&doublings::<G>(&base, &starts));
        let bases = points::upload::<G>(stream, &bases, Checks::NONE).unwrap();
        let bases = Guarded::copied(stream, bases.view());
        let entries = launch::entries::<G>(&device, windows);
        let mut table = Guarded::elements::<G::Affine>(stream, entries, poison);
        let bytes = launch::workspace::<G>(&device, entries).unwrap();
        let mut work = Guarded::new(stream, bytes, poison);
        launch::build::<G>(stream, bases.view(), table.view_mut(), work.view_mut()).unwrap();
        table.check(stream, &what);
        work.check(stream, &what);
        bases.check_unchanged(stream, &what);
        points::encode::<G>(stream, table.view_mut()).unwrap();
        let got = table.bytes(stream);
        let widths = starts.windows(2).map(|pair| pair[1] - pair[0]);
        let first = G::multiple(Scalar::from(3));
        let (mut at, mut start) = (0, first);
        for width in widths.chain([255 - starts[starts.len() - 1]]) {
            let digits = 1 << (width - 1);
            // The first and the last entry of the window: start, and 2^(width − 1) times start.
            let last = G::doubled(&start, width - 1);
            for (digit, expected) in [(1, start), (digits, last)] {
                let entry = (at + digit - 1) * G::BYTES;
                assert!(got[entry..entry + G::BYTES] == G::to_bytes(&[expected])[..], "{what}");
            }
            at += digits;
            start = G::doubled(&last, 1);
        }
        assert_eq!(at, entries, "{what}");
    }
}

#[test]
fn tables_of_g1_keep_to_their_blocks() {
    tables_keep_to_their_blocks::<G1>();
}

#[test]
fn tables_of_g2_keep_to_their_blocks() {
    tables_keep_to_their_blocks::<G2>();
}
