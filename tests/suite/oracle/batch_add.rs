//! The sum over a list by a loop, with densities as lists of bits.

use super::groups::TestGroup;

/// The sum of the points of the list's variables; `density` says which variables have one, `None`
/// that all have.
pub fn sum<G: TestGroup>(
    points: &[G::AffinePoint],
    density: Option<&[bool]>,
    list: &[u32],
) -> G::Point {
    let found = list.iter().filter_map(|&v| {
        let v = v as usize;
        let position = match density {
            None => v,
            Some(bits) if *bits.get(v)? => bits[..v].iter().filter(|bit| **bit).count(),
            Some(_) => return None,
        };
        points.get(position)
    });
    G::sum(found)
}
