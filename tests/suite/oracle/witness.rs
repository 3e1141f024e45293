//! The classes of scalars by comparing one after the other.

use bls12_381::Scalar;
use groth16_cuda::witness::Classes;

pub fn classes(scalars: &[Scalar]) -> Classes {
    let mut classes = Classes::default();
    for (i, scalar) in (0..).zip(scalars) {
        if *scalar == Scalar::one() {
            classes.ones.push(i);
        } else if *scalar != Scalar::zero() {
            classes.rest.push(i);
        }
    }
    classes
}
