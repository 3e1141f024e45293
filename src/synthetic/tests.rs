//! Orders are permutations, and rotations use every member as often as any other.

use super::order::Order;
use super::rotation::Rotation;

#[test]
fn an_order_and_its_ranks_undo_each_other() {
    for len in (1..300).chain([1 << 12, 99_991]) {
        for seed in 0..3 {
            let order = Order::new(len, seed);
            let mut seen = vec![false; len];
            for rank in 0..len {
                let variable = order.variable(rank);
                assert_eq!(order.rank(variable), rank, "{len}, seed {seed}");
                assert!(!std::mem::replace(&mut seen[variable], true));
            }
        }
    }
}

/// Rotations over all small sets: two parts of a set of places, and the rows between them.
fn small_rotations() -> Vec<(Rotation, usize, Vec<usize>)> {
    let mut all = Vec::new();
    for zeros in 0..7 {
        for ones in 0..7 {
            for b_zeros in 0..=zeros {
                for b_ones in 0..=ones {
                    let rotation = Rotation::new(zeros + ones, b_zeros + b_ones, 1)
                        .with_jump(b_zeros, zeros - b_zeros);
                    let members = (0..b_zeros).chain(zeros..zeros + b_ones).collect();
                    all.push((rotation, zeros + ones, members));
                }
            }
        }
    }
    for rows in 0..40 {
        for members in 0..=rows {
            for shift in 1..3 {
                let rotation = Rotation::new(rows, members, shift);
                all.push((rotation, rows, (0..members).collect()));
            }
        }
    }
    all
}

#[test]
fn rows_and_picks_agree() {
    for (rotation, rows, members) in small_rotations() {
        let picks: Vec<_> = (0..rows).map(|row| rotation.pick(row)).collect();
        for (row, pick) in picks.iter().enumerate() {
            assert_ne!(*pick, Some(row), "{rotation:?}: a row takes its own variable");
            assert!(pick.is_none_or(|place| members.contains(&place)), "{rotation:?}");
        }
        assert_eq!(rotation.misses(), picks.contains(&None), "{rotation:?}");
        for place in 0..rows {
            let expected: Vec<_> = (0..rows).filter(|row| picks[*row] == Some(place)).collect();
            assert_eq!(rotation.rows_of(place).collect::<Vec<_>>(), expected, "{rotation:?}");
            assert_eq!(rotation.takes(place), !expected.is_empty());
        }
        let taken = members.iter().filter(|&&place| rotation.takes(place)).count();
        assert_eq!(rotation.taken(), taken, "{rotation:?}");
        if members.len() >= 3 {
            assert_eq!(taken, members.len(), "{rotation:?}: some member is never taken");
        }
    }
}
