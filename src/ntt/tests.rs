//! Tables are built in their blocks alone, whatever those held before.

use super::*;
use crate::testing::guard::{Guarded, Poison};
use crate::testing::target::device;

/// One pass, two passes and three of them: the same tables over any memory, and guard bytes as they
/// were. The suite's transforms show that the tables are right.
#[test]
fn tables_keep_to_their_blocks() {
    let device = device();
    let stream = &device.stream().unwrap();
    for log_size in [0, 1, 2, 3, 7, 10, 11, 12, 19, 20] {
        let root = squared(Scalar::ROOT_OF_UNITY, Scalar::S - 1 - log_size);
        let shift = Scalar::from(7);
        let inverse_shift = Field::invert(&shift).unwrap();
        let tables = Poison::ALL.map(|poison| {
            let what = format!("2^{log_size}, {poison:?}");
            let len = launch::domain_len(&device, log_size).unwrap();
            let mut domain = Guarded::elements::<Scalar>(stream, len, poison);
            launch::build_domain(stream, domain.view_mut(), log_size, root).unwrap();
            domain.check(stream, &what);
            let len = launch::coset_len(&device, log_size).unwrap();
            let mut coset = Guarded::elements::<Scalar>(stream, len, poison);
            launch::build_coset(stream, coset.view_mut(), log_size, &shift, &inverse_shift)
                .unwrap();
            coset.check(stream, &what);
            (domain.bytes(stream), coset.bytes(stream))
        });
        assert!(tables[0] == tables[1], "2^{log_size}");
    }
}
