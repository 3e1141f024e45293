//! Whether bytes are points that may stand in a key, and what is wrong with those that may not.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

use bls12_381::{G1Affine, G2Affine};
use rayon::prelude::*;

use super::{Checks, KeyFault, KeyPart, Progress};
use crate::repr::{G1_BYTES, G2_BYTES};
use crate::{Error, Result};

/// Points that one task checks. A subgroup check costs about 80 µs in G1 and 120 µs in G2, so a
/// task lasts some ten milliseconds.
const POINTS_PER_TASK: usize = 128;

/// The base field's modulus p, big-endian.
const P_BYTES: [u8; COORDINATE_BYTES] = [
    0x1a, 0x01, 0x11, 0xea, 0x39, 0x7f, 0xe6, 0x9a, 0x4b, 0x1b, 0xa7, 0xb6, 0x43, 0x4b, 0xac, 0xd7,
    0x64, 0x77, 0x4b, 0x84, 0xf3, 0x85, 0x12, 0xbf, 0x67, 0x30, 0xd2, 0xa0, 0xf6, 0xb0, 0xf6, 0x24,
    0x1e, 0xab, 0xff, 0xfe, 0xb1, 0x53, 0xff, 0xff, 0xb9, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xaa, 0xab,
];
const COORDINATE_BYTES: usize = 48;

/// The flags in the top bits of an encoding's first byte.
const COMPRESSED: u8 = 0x80;
const INFINITY: u8 = 0x40;
const SORT: u8 = 0x20;
const FLAGS: u8 = COMPRESSED | INFINITY | SORT;

/// What can be wrong with the encoding of one point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PointFault {
    /// The flag bits are not those of the expected encoding.
    Flags,
    /// A coordinate is not below the field's modulus p.
    NotCanonical,
    /// The coordinates belong to no point of the curve.
    OffCurve,
    /// The point lies outside the subgroup of order r.
    OffSubgroup,
    /// The point is at infinity, which is forbidden here.
    Infinity,
}

impl fmt::Display for PointFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Flags => "the flag bits are not those of the expected encoding",
            Self::NotCanonical => "a coordinate is not below the modulus p",
            Self::OffCurve => "the point is not on the curve",
            Self::OffSubgroup => "the point is not in the subgroup of order r",
            Self::Infinity => "the point is at infinity",
        })
    }
}

/// What G1 and G2 share here.
pub(crate) trait Point: Copy + Send + Sync {
    /// Bytes of an uncompressed encoding.
    const BYTES: usize;
    /// The point of an uncompressed encoding, whether on the curve or not.
    fn decode(bytes: &[u8]) -> Option<Self>;
    /// The point of a compressed encoding, on the curve but perhaps not in the subgroup.
    fn decompress(bytes: &[u8]) -> Option<Self>;
    fn is_infinity(&self) -> bool;
    fn on_curve(&self) -> bool;
    fn in_subgroup(&self) -> bool;
}

macro_rules! point {
    ($affine:ty, $bytes:expr) => {
        impl Point for $affine {
            const BYTES: usize = $bytes;

            fn decode(bytes: &[u8]) -> Option<Self> {
                Self::from_uncompressed_unchecked(bytes.try_into().ok()?).into()
            }

            fn decompress(bytes: &[u8]) -> Option<Self> {
                Self::from_compressed_unchecked(bytes.try_into().ok()?).into()
            }

            fn is_infinity(&self) -> bool {
                self.is_identity().into()
            }

            fn on_curve(&self) -> bool {
                self.is_on_curve().into()
            }

            fn in_subgroup(&self) -> bool {
                self.is_torsion_free().into()
            }
        }
    };
}

point!(G1Affine, G1_BYTES);
point!(G2Affine, G2_BYTES);

/// The point of an uncompressed encoding that is on the curve and not at infinity and, if `checks`
/// says so, in the subgroup.
pub(crate) fn uncompressed<P: Point>(bytes: &[u8], checks: Checks) -> Result<P, PointFault> {
    let point = P::decode(bytes).ok_or_else(|| encoding_fault(bytes, 0))?;
    if point.is_infinity() {
        return Err(PointFault::Infinity);
    }
    if !point.on_curve() {
        return Err(PointFault::OffCurve);
    }
    if checks == Checks::Full && !point.in_subgroup() {
        return Err(PointFault::OffSubgroup);
    }
    Ok(point)
}

/// The point of a compressed encoding that is in the subgroup and not at infinity.
pub(crate) fn compressed<P: Point>(bytes: &[u8]) -> Result<P, PointFault> {
    let point = P::decompress(bytes).ok_or_else(|| encoding_fault(bytes, COMPRESSED))?;
    if point.is_infinity() {
        return Err(PointFault::Infinity);
    }
    if !point.in_subgroup() {
        return Err(PointFault::OffSubgroup);
    }
    Ok(point)
}

/// Why `bytes` did not decode; `form` is the compression flag that was expected.
fn encoding_fault(bytes: &[u8], form: u8) -> PointFault {
    let flags = bytes.first().map_or(0, |byte| byte & FLAGS);
    let sort_is_allowed = form == COMPRESSED && flags & INFINITY == 0;
    if flags & COMPRESSED != form || (flags & SORT != 0 && !sort_is_allowed) {
        return PointFault::Flags;
    }
    let mut bytes = bytes.to_vec();
    if let Some(first) = bytes.first_mut() {
        *first &= !FLAGS;
    }
    if bytes.chunks(COORDINATE_BYTES).any(|coordinate| coordinate >= P_BYTES.as_slice()) {
        return PointFault::NotCanonical;
    }
    // What is left: an infinity whose coordinates are not zero, or an x without a y.
    if flags & INFINITY != 0 { PointFault::Flags } else { PointFault::OffCurve }
}

/// Checks every point of a query in parallel and reports the first bad one in the file's order.
pub(super) fn query<P: Point>(
    part: KeyPart,
    bytes: &[u8],
    check: impl Fn(&[u8]) -> Result<(), PointFault> + Sync,
    progress: Progress<'_>,
) -> Result<()> {
    let total = bytes.len() / P::BYTES;
    let done = AtomicUsize::new(0);
    let bad = bytes
        .par_chunks(P::BYTES * POINTS_PER_TASK)
        .enumerate()
        .filter_map(|(task, chunk)| {
            let bad = chunk
                .chunks_exact(P::BYTES)
                .map(&check)
                .enumerate()
                .find_map(|(i, outcome)| Some((task * POINTS_PER_TASK + i, outcome.err()?)));
            let points = chunk.len() / P::BYTES;
            let so_far = done.fetch_add(points, Ordering::Relaxed) + points;
            progress(part, so_far, total);
            bad
        })
        .min_by_key(|(element, _)| *element);
    match bad {
        None => Ok(()),
        Some((element, fault)) => {
            Err(Error::BadKey { part, element: Some(element), fault: KeyFault::Point(fault) })
        }
    }
}
