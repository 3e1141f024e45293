//! The two groups as `bls12_381` has them, for tests that are written once for both.

use bls12_381::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
use groth16_cuda::repr::{CurveGroup, G1, G2};

/// 2^384 modulo p: one in the kernels' layout.
pub const FP_ONE: [u64; 6] = [
    0x7609_0000_0002_fffd,
    0xebf4_000b_c40c_0002,
    0x5f48_9857_53c7_58ba,
    0x77ce_5853_7052_5745,
    0x5c07_1a97_a256_ec6d,
    0x15f6_5ec3_fa80_e493,
];

/// p, big-endian.
pub const P_BYTES: [u8; 48] = [
    0x1a, 0x01, 0x11, 0xea, 0x39, 0x7f, 0xe6, 0x9a, 0x4b, 0x1b, 0xa7, 0xb6, 0x43, 0x4b, 0xac, 0xd7,
    0x64, 0x77, 0x4b, 0x84, 0xf3, 0x85, 0x12, 0xbf, 0x67, 0x30, 0xd2, 0xa0, 0xf6, 0xb0, 0xf6, 0x24,
    0x1e, 0xab, 0xff, 0xfe, 0xb1, 0x53, 0xff, 0xff, 0xb9, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xaa, 0xab,
];

/// What the tests need beyond layouts.
pub trait TestGroup: CurveGroup<AffinePoint: PartialEq + std::fmt::Debug> {
    /// k times the generator.
    fn multiple(k: Scalar) -> Self::AffinePoint;
    /// 0, 1, 2, … times the generator, so many.
    fn multiples(count: usize) -> Vec<Self::AffinePoint>;
    /// The opposite point.
    fn negated(point: Self::AffinePoint) -> Self::AffinePoint;
    /// The point in projective coordinates.
    fn point(point: Self::AffinePoint) -> Self::Point;
    /// The sum, one addition after the other.
    fn sum<'a>(points: impl IntoIterator<Item = &'a Self::AffinePoint>) -> Self::Point
    where
        Self::AffinePoint: 'a;
    /// A point of the curve outside of the subgroup.
    fn outside() -> Self::AffinePoint;
    /// A decoded point in extended Jacobian coordinates, with ZZ = ZZZ = 1.
    fn xyzz(affine: &Self::Affine) -> Self::Xyzz;
}

macro_rules! test_group {
    ($group:ty, $affine:ty, $projective:ty, $bytes:literal, $xyzz:expr) => {
        impl TestGroup for $group {
            fn multiple(k: Scalar) -> $affine {
                (<$projective>::generator() * k).into()
            }

            fn multiples(count: usize) -> Vec<$affine> {
                let next = |point: &$projective| Some(point + <$projective>::generator());
                let all = std::iter::successors(Some(<$projective>::identity()), next);
                let all: Vec<_> = all.take(count).collect();
                let mut affine = vec![<$affine>::identity(); count];
                <$projective>::batch_normalize(&all, &mut affine);
                affine
            }

            fn negated(point: $affine) -> $affine {
                -point
            }

            fn point(point: $affine) -> $projective {
                point.into()
            }

            fn sum<'a>(points: impl IntoIterator<Item = &'a $affine>) -> $projective {
                points.into_iter().fold(<$projective>::identity(), |sum, point| sum + point)
            }

            fn outside() -> $affine {
                (0..=255u8)
                    .filter_map(|x| {
                        let mut bytes = [0; $bytes];
                        bytes[0] = 0x80;
                        bytes[$bytes - 1] = x;
                        Option::<$affine>::from(<$affine>::from_compressed_unchecked(&bytes))
                    })
                    .find(|point| !bool::from(point.is_torsion_free()))
                    .expect("few points of the curve are in the subgroup")
            }

            fn xyzz(affine: &Self::Affine) -> Self::Xyzz {
                $xyzz(affine)
            }
        }
    };
}

test_group!(G1, G1Affine, G1Projective, 48, |affine: &groth16_cuda::repr::G1AffineRepr| {
    let mut limbs = [0; 24];
    limbs[..12].copy_from_slice(&affine.0);
    if affine.0 != [0; 12] {
        limbs[12..18].copy_from_slice(&FP_ONE);
        limbs[18..].copy_from_slice(&FP_ONE);
    }
    groth16_cuda::repr::G1XyzzRepr(limbs)
});

test_group!(G2, G2Affine, G2Projective, 96, |affine: &groth16_cuda::repr::G2AffineRepr| {
    let mut limbs = [0; 48];
    limbs[..24].copy_from_slice(&affine.0);
    if affine.0 != [0; 24] {
        limbs[24..30].copy_from_slice(&FP_ONE);
        limbs[36..42].copy_from_slice(&FP_ONE);
    }
    groth16_cuda::repr::G2XyzzRepr(limbs)
});
