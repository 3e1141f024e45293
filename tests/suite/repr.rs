//! Byte layouts that Rust and the kernels share.

use bls12_381::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
use groth16_cuda::repr;

#[test]
fn scalars_are_montgomery_limbs() {
    repr::check_scalar_layout().unwrap();
    // `from_raw` takes the canonical limbs of x and keeps those of x * 2^256.
    let r_mod = Scalar::from(2).pow_vartime(&[256, 0, 0, 0]);
    let limbs = repr::scalars_as_repr(std::slice::from_ref(&r_mod))[0].0;
    let one = repr::scalars_as_repr(&[Scalar::one()])[0].0;
    assert_eq!(Scalar::from_raw(one), r_mod);
    assert_eq!(Scalar::from_raw(limbs), r_mod * r_mod);
    assert_eq!(repr::bytes_of(&[Scalar::zero()]), [0; 32]);
}

#[test]
fn points_travel_as_uncompressed_bytes() {
    let g1: Vec<G1Affine> = (0..2049u64)
        .scan(G1Projective::identity(), |sum, _| {
            let point = G1Affine::from(*sum);
            *sum += G1Projective::generator();
            Some(point)
        })
        .collect();
    let bytes = repr::g1_to_bytes(&g1);
    assert_eq!(bytes.len(), g1.len() * repr::G1_BYTES);
    for (encoding, point) in bytes.as_chunks::<96>().0.iter().zip(&g1) {
        assert_eq!(repr::g1_from_bytes(encoding).map(G1Affine::from), Some(*point));
    }
    let g2 = [G2Affine::identity(), G2Affine::generator(), -G2Affine::generator()];
    let bytes = repr::g2_to_bytes(&g2);
    for (encoding, point) in bytes.as_chunks::<192>().0.iter().zip(&g2) {
        assert_eq!(repr::g2_from_bytes(encoding), Some(G2Projective::from(*point)));
    }
    assert_eq!(repr::g1_from_bytes(&[0xff; 96]), None);
}
