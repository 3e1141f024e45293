//! The only owner of byte layouts that Rust and the kernels share.
//!
//! A kernel's `Fr` is eight 32-bit limbs, little-endian, in Montgomery form; on the little-endian
//! machines that this crate supports that is the memory of [`Scalar`] exactly. Points have no such
//! luck: the memory of `bls12_381`'s points holds uninitialised padding, so they travel as
//! big-endian uncompressed encodings ([`g1_to_bytes`]) that a kernel turns into the affine types
//! below.

use bls12_381::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
use rayon::prelude::*;

use crate::device::launch::Tables;
use crate::{Error, Result};

/// Bytes of an uncompressed G1 point.
pub const G1_BYTES: usize = 96;
/// Bytes of an uncompressed G2 point.
pub const G2_BYTES: usize = 192;

/// Points that one task of a parallel conversion takes; each costs 100 to 200 ns.
const POINTS_PER_TASK: usize = 1 << 10;

/// A type whose memory may be copied to and from a device.
///
/// # Safety
///
/// * The type has no padding and no uninitialised bytes.
/// * Every bit pattern of its size is a valid value of it, as far as memory safety goes.
/// * It holds no pointers and no references.
pub unsafe trait Plain: Copy + Send + Sync + 'static {}

macro_rules! plain {
    ($($type:ty),+ $(,)?) => {$(
        // SAFETY: an integer, or a `#[repr(C)]` struct of integer arrays without padding
        // (sizes are checked below).
        unsafe impl Plain for $type {}
    )+};
}

plain!(u8, u16, u32, u64, i8, i16, i32, i64);
plain!(FrRepr, G1AffineRepr, G2AffineRepr, G1XyzzRepr, G2XyzzRepr);

// SAFETY: an array adds no padding between its elements.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

// SAFETY: `Scalar` is a struct around one `[u64; 4]`; with the size and alignment that are checked
// below there is no room for anything else. An unreduced value is wrong arithmetic, not unsound.
unsafe impl Plain for Scalar {}

/// A scalar in the kernels' layout: Montgomery form (R = 2^256), limbs from the lowest.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrRepr(pub [u64; 4]);

/// An affine G1 point in the kernels' layout: x and y in Montgomery form (R = 2^384), limbs from
/// the lowest; infinity is all zeros.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct G1AffineRepr(pub [u64; 12]);

/// An affine G2 point in the kernels' layout: x.c0, x.c1, y.c0, y.c1 as in [`G1AffineRepr`].
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct G2AffineRepr(pub [u64; 24]);

/// A G1 point in the kernels' extended Jacobian coordinates x, y, zz, zzz: the affine point is
/// (x / zz, y / zzz), and infinity has zz = 0.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct G1XyzzRepr(pub [u64; 24]);

/// A G2 point in extended Jacobian coordinates, as [`G1XyzzRepr`].
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct G2XyzzRepr(pub [u64; 48]);

/// One of the curve's two groups, as far as layouts go: [`G1`] or [`G2`].
pub trait CurveGroup: Tables + Copy + Send + Sync + 'static {
    /// An affine point in the kernels' layout.
    type Affine: Plain + std::fmt::Debug + PartialEq;
    /// A point in the kernels' extended Jacobian coordinates.
    type Xyzz: Plain + std::fmt::Debug + PartialEq;
    /// An affine point as `bls12_381` has it.
    type AffinePoint: Copy + Send + Sync;
    /// A point as `bls12_381` adds it.
    type Point: Copy + Send + Sync + std::fmt::Debug + PartialEq;
    /// The group's name.
    const NAME: &'static str;
    /// Bytes of an uncompressed point.
    const BYTES: usize;
    /// The infinite point in the kernels' affine layout.
    const INFINITY: Self::Affine;
    /// The infinite point in the kernels' extended Jacobian coordinates.
    const XYZZ_INFINITY: Self::Xyzz;
    /// The uncompressed encodings of `points`, made in parallel.
    fn to_bytes(points: &[Self::AffinePoint]) -> Vec<u8>;
    /// The point with this uncompressed encoding; neither curve nor subgroup is checked.
    fn from_bytes(bytes: &[u8]) -> Option<Self::Point>;
    /// 2^`times` · `point`.
    fn doubled(point: &Self::AffinePoint, times: u32) -> Self::AffinePoint;
}

/// The group over Fp.
#[derive(Clone, Copy, Debug)]
pub struct G1;

/// The group over Fp2.
#[derive(Clone, Copy, Debug)]
pub struct G2;

impl CurveGroup for G1 {
    type Affine = G1AffineRepr;
    type Xyzz = G1XyzzRepr;
    type AffinePoint = G1Affine;
    type Point = G1Projective;
    const NAME: &'static str = "G1";
    const BYTES: usize = G1_BYTES;
    const INFINITY: G1AffineRepr = G1AffineRepr::INFINITY;
    const XYZZ_INFINITY: G1XyzzRepr = G1XyzzRepr([0; 24]);
    fn to_bytes(points: &[G1Affine]) -> Vec<u8> {
        g1_to_bytes(points)
    }
    fn from_bytes(bytes: &[u8]) -> Option<G1Projective> {
        g1_from_bytes(bytes.try_into().ok()?)
    }
    fn doubled(point: &G1Affine, times: u32) -> G1Affine {
        (0..times).fold(G1Projective::from(point), |multiple, _| multiple.double()).into()
    }
}

impl CurveGroup for G2 {
    type Affine = G2AffineRepr;
    type Xyzz = G2XyzzRepr;
    type AffinePoint = G2Affine;
    type Point = G2Projective;
    const NAME: &'static str = "G2";
    const BYTES: usize = G2_BYTES;
    const INFINITY: G2AffineRepr = G2AffineRepr::INFINITY;
    const XYZZ_INFINITY: G2XyzzRepr = G2XyzzRepr([0; 48]);
    fn to_bytes(points: &[G2Affine]) -> Vec<u8> {
        g2_to_bytes(points)
    }
    fn from_bytes(bytes: &[u8]) -> Option<G2Projective> {
        g2_from_bytes(bytes.try_into().ok()?)
    }
    fn doubled(point: &G2Affine, times: u32) -> G2Affine {
        (0..times).fold(G2Projective::from(point), |multiple, _| multiple.double()).into()
    }
}

impl G1AffineRepr {
    /// The point at infinity.
    pub const INFINITY: Self = Self([0; 12]);
}

impl G2AffineRepr {
    /// The point at infinity.
    pub const INFINITY: Self = Self([0; 24]);
}

const _: () = {
    assert!(cfg!(target_endian = "little"), "the kernels' limbs are little-endian");
    assert!(size_of::<Scalar>() == 32 && align_of::<Scalar>() == 8);
    assert!(size_of::<FrRepr>() == 32);
    assert!(size_of::<G1AffineRepr>() == 96 && size_of::<G2AffineRepr>() == 192);
    assert!(size_of::<G1XyzzRepr>() == 192 && size_of::<G2XyzzRepr>() == 384);
};

/// The memory of `values`.
pub fn bytes_of<T: Plain>(values: &[T]) -> &[u8] {
    // SAFETY: `Plain` types have no uninitialised bytes, and u8 needs no alignment.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// The memory of `values`, for writing.
pub fn bytes_of_mut<T: Plain>(values: &mut [T]) -> &mut [u8] {
    // SAFETY: as in `bytes_of`; every bit pattern is a valid value of a `Plain` type.
    unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(values)) }
}

/// The Montgomery limbs of `scalars`, in place.
pub fn scalars_as_repr(scalars: &[Scalar]) -> &[FrRepr] {
    // SAFETY: equal size and alignment (checked above); both are `Plain`.
    unsafe { std::slice::from_raw_parts(scalars.as_ptr().cast(), scalars.len()) }
}

/// 1, 7 and −1 with their Montgomery limbs: 2^256, 7·2^256 and −2^256 modulo r.
fn known_scalars() -> [(Scalar, FrRepr); 3] {
    let one = [
        0x0000_0001_ffff_fffe,
        0x5884_b7fa_0003_4802,
        0x998c_4fef_ecbc_4ff5,
        0x1824_b159_acc5_056f,
    ];
    let seven = [
        0x0000_000e_ffff_fff1,
        0x17e3_63d3_0018_9c0f,
        0xff9c_5787_6f84_57b0,
        0x3513_3220_8fc5_a8c4,
    ];
    let minus_one = [
        0xffff_fffd_0000_0003,
        0xfb38_ec08_fffb_13fc,
        0x99ad_8818_1ce5_880f,
        0x5bc8_f5f9_7cd8_77d8,
    ];
    [
        (Scalar::one(), FrRepr(one)),
        (Scalar::from(7), FrRepr(seven)),
        (-Scalar::one(), FrRepr(minus_one)),
    ]
}

/// Compares the memory of known scalars with their Montgomery limbs. Every device does this when
/// it is opened, so that another layout of `Scalar` is an error and never a wrong proof.
///
/// # Errors
///
/// [`Error::ScalarLayout`] if this build's `bls12_381` keeps scalars in another form.
pub fn check_scalar_layout() -> Result<()> {
    let same =
        known_scalars().iter().all(|(scalar, limbs)| scalars_as_repr(&[*scalar]) == [*limbs]);
    if same { Ok(()) } else { Err(Error::ScalarLayout) }
}

/// Encodes every point into `size` bytes: in parallel, but few points on this thread alone, for its
/// caller may hold what rayon's threads wait for.
fn encode<P: Sync>(points: &[P], size: usize, encode: impl Fn(&P, &mut [u8]) + Sync) -> Vec<u8> {
    let mut bytes = vec![0; points.len() * size];
    let task = |(out, points): (&mut [u8], &[P])| {
        out.chunks_exact_mut(size).zip(points).for_each(|(out, point)| encode(point, out));
    };
    if points.len() <= POINTS_PER_TASK {
        task((&mut bytes, points));
    } else {
        let outs = bytes.par_chunks_mut(size * POINTS_PER_TASK);
        outs.zip(points.par_chunks(POINTS_PER_TASK)).for_each(task);
    }
    bytes
}

/// The uncompressed encodings of `points`, one behind the other, made in parallel.
pub fn g1_to_bytes(points: &[G1Affine]) -> Vec<u8> {
    encode(points, G1_BYTES, |point, out| out.copy_from_slice(&point.to_uncompressed()))
}

/// The uncompressed encodings of `points`, one behind the other, made in parallel.
pub fn g2_to_bytes(points: &[G2Affine]) -> Vec<u8> {
    encode(points, G2_BYTES, |point, out| out.copy_from_slice(&point.to_uncompressed()))
}

/// The point that the kernels' side has encoded; `None` if the bytes are no encoding. Neither
/// curve nor subgroup is checked.
pub fn g1_from_bytes(bytes: &[u8; G1_BYTES]) -> Option<G1Projective> {
    Option::<G1Affine>::from(G1Affine::from_uncompressed_unchecked(bytes)).map(Into::into)
}

/// As [`g1_from_bytes`].
pub fn g2_from_bytes(bytes: &[u8; G2_BYTES]) -> Option<G2Projective> {
    Option::<G2Affine>::from(G2Affine::from_uncompressed_unchecked(bytes)).map(Into::into)
}
