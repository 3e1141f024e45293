//! A key's points on the device: decoding, checking and encoding.
//!
//! Points go to the device as a key file has them, uncompressed and big-endian, and are decoded
//! there in place. A refused point is named by its index.

use std::fmt;

use crate::device::launch;
use crate::device::{DeviceBuffer, Stream, View, ViewMut};
use crate::repr::CurveGroup;
use crate::{Error, Result};

/// Why a point is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PointFault {
    /// The flag of a compressed point is set.
    Compressed,
    /// The flag of the larger y is set, which only compressed points have.
    SortFlag,
    /// The point is infinity, and other bits are set.
    InfinityNotZero,
    /// The point is infinity where that is refused.
    Infinity,
    /// A coordinate is not below the field's modulus.
    Coordinate,
    /// The point is not on the curve.
    NotOnCurve,
    /// The point is on the curve but not in the subgroup of order r.
    NotInSubgroup,
    /// The kernels gave a reason that this build does not know.
    Unknown,
}

impl fmt::Display for PointFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Compressed => "compressed, where an uncompressed one is expected",
            Self::SortFlag => "the sign flag of a compressed point is set",
            Self::InfinityNotZero => "infinity with other bits set",
            Self::Infinity => "infinity, which is not allowed here",
            Self::Coordinate => "a coordinate is not below the modulus",
            Self::NotOnCurve => "not on the curve",
            Self::NotInSubgroup => "not in the subgroup of order r",
            Self::Unknown => "refused for a reason unknown to this build",
        })
    }
}

/// What is checked beyond the encoding itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks {
    /// That points are on the curve.
    pub curve: bool,
    /// That no point is infinity.
    pub refuse_infinity: bool,
    /// That points are in the subgroup of order r: a hundred times the work of the rest.
    pub subgroup: bool,
}

impl Checks {
    /// Flags and coordinates alone, for points that were checked before.
    pub const NONE: Self = Self { curve: false, refuse_infinity: false, subgroup: false };
    /// Everything that a key's points must satisfy.
    pub const ALL: Self = Self { curve: true, refuse_infinity: true, subgroup: true };
}

/// Enqueues the decoding of points in place: `points` holds uncompressed encodings (as bytes
/// written through [`ViewMut::cast`]) and then affine points. A refused one becomes infinity, and
/// `fault[0]` falls to a word that names the first, counted from `first`; see [`check_fault`]. The
/// caller fills `fault` with 0xff before. The subgroup is not checked here.
///
/// # Errors
///
/// [`Error::Length`] for other than one fault word, [`Error::TooMany`], [`Error::Alignment`],
/// [`Error::Device`].
pub fn decode<G: CurveGroup>(
    stream: &Stream,
    points: ViewMut<'_, G::Affine>,
    first: usize,
    checks: Checks,
    fault: ViewMut<'_, u32>,
) -> Result<()> {
    launch::points::decode::<G>(stream, points, first, checks, fault)
}

/// Enqueues the check that points of the curve are in the subgroup of order r; `fault` as in
/// [`decode`].
///
/// # Errors
///
/// As [`decode`].
pub fn check_subgroup<G: CurveGroup>(
    stream: &Stream,
    points: View<'_, G::Affine>,
    first: usize,
    fault: ViewMut<'_, u32>,
) -> Result<()> {
    launch::points::check_subgroup::<G>(stream, points, first, fault)
}

/// Enqueues the encoding of points in place, the inverse of [`decode`]: `points` holds affine
/// points and then, in the same bytes, uncompressed encodings (to be read through [`View::cast`]).
///
/// # Errors
///
/// [`Error::TooMany`], [`Error::Alignment`], [`Error::Device`].
pub fn encode<G: CurveGroup>(stream: &Stream, points: ViewMut<'_, G::Affine>) -> Result<()> {
    launch::points::encode::<G>(stream, points)
}

/// What a downloaded fault word says.
///
/// # Errors
///
/// [`Error::Point`] if it names a point.
pub fn check_fault<G: CurveGroup>(word: u32) -> Result<()> {
    match launch::points::fault_of(word) {
        Some((index, fault)) => Err(Error::Point { group: G::NAME, index, fault }),
        None => Ok(()),
    }
}

/// Uploads uncompressed points, decodes and checks them, and waits for it.
///
/// # Errors
///
/// [`Error::PointBytes`] if the bytes are not whole points, [`Error::Point`] for the first refused
/// point; [`Error::InsufficientVram`], [`Error::TooMany`], [`Error::Device`].
pub fn upload<G: CurveGroup>(
    stream: &Stream,
    bytes: &[u8],
    checks: Checks,
) -> Result<DeviceBuffer<G::Affine>> {
    if !bytes.len().is_multiple_of(G::BYTES) {
        return Err(Error::PointBytes { group: G::NAME, got: bytes.len(), size: G::BYTES });
    }
    let device = stream.device();
    let mut points = device.alloc::<G::Affine>(bytes.len() / G::BYTES)?;
    let mut fault = device.alloc(1)?;
    stream.upload(bytes, points.view_mut().cast()?)?;
    stream.fill(0xff, fault.view_mut())?;
    decode::<G>(stream, points.view_mut(), 0, checks, fault.view_mut())?;
    if checks.subgroup {
        check_subgroup::<G>(stream, points.view(), 0, fault.view_mut())?;
    }
    let mut word = [0];
    stream.download(fault.view(), &mut word)?;
    check_fault::<G>(word[0])?;
    Ok(points)
}
