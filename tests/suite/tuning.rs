//! Tuning numbers as the kernels' headers have them, so that sizes around tile edges follow them.

/// `cuda/msm/tuning.cuh`.
pub const MSM: &str = include_str!("../../cuda/msm/tuning.cuh");
/// `cuda/batch_add/tuning.cuh`.
pub const BATCH_ADD: &str = include_str!("../../cuda/batch_add/tuning.cuh");
/// `cuda/witness/tuning.cuh`.
pub const WITNESS: &str = include_str!("../../cuda/witness/tuning.cuh");
/// `cuda/curve/normalize.cuh`.
pub const NORMALIZE: &str = include_str!("../../cuda/curve/normalize.cuh");
/// `cuda/fixed_base/tuning.cuh`.
pub const FIXED_BASE: &str = include_str!("../../cuda/fixed_base/tuning.cuh");

/// Lanes of a warp.
pub const WARP: usize = 32;

/// The number of this name, a product of numbers and of other names.
pub fn number(header: &str, name: &str) -> usize {
    number_of(header, name, 0)
}

/// As [`number`], where each group has one: G1's is number 0, G2's 1. They stand one behind the
/// other, or in one line, as in `x = kIsFp ? 4 : 2`.
pub fn number_of(header: &str, name: &str, group: usize) -> usize {
    let assigned = format!(" {name} = ");
    let found: Vec<_> = header.match_indices(&assigned).map(|(at, text)| at + text.len()).collect();
    let at = *found.get(group).or(found.last()).unwrap_or_else(|| panic!("no {name} in a header"));
    let value = header[at..].split(';').next().unwrap_or_default();
    let value = match value.split_once('?') {
        Some((_, of_groups)) => of_groups.split(':').nth(group).unwrap_or_default(),
        None => value,
    };
    let factors = value.split('*').map(str::trim);
    factors.map(|f| f.parse().unwrap_or_else(|_| number_of(header, f, group))).product()
}

/// One less than each edge, the edge, and one more, ascending.
pub fn around(edges: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut sizes: Vec<_> = edges.into_iter().flat_map(|edge| edge - 1..=edge + 1).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}
