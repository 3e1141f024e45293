//! Chains of one operation, which benches time, against the operation repeated.

use bls12_381::Scalar;
use groth16_cuda::device::{DeviceBuffer, Stream};
use groth16_cuda::points::{Checks, upload};
use groth16_cuda::probe::{Curve, Field, FieldChain, FieldOp, PointChain};
use groth16_cuda::repr::{G1, G2, Plain};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::field::probes;
use crate::oracle::groups::TestGroup;

/// No element, chains without an element, blocks and more.
const LENGTHS: [usize; 8] = [0, 1, 2, 3, 127, 128, 256, 300];

const STEPS: u32 = 5;

fn on_device<T: Plain>(stream: &Stream, values: &[T]) -> DeviceBuffer<T> {
    let mut buffer = stream.device().alloc(values.len()).unwrap();
    stream.upload(values, buffer.view_mut()).unwrap();
    buffer
}

fn chains_of_a_field<const N: usize>()
where
    [u32; N]: Field,
{
    let mut rng = ChaCha8Rng::seed_from_u64(41);
    // The highest limb of each number is small: all are below their moduli.
    let top = if N == 24 { 12 } else { N };
    let mut random = || {
        let limb = |i: usize| if (i + 1).is_multiple_of(top) { 1 << 24 } else { rng.random() };
        std::array::from_fn(limb)
    };
    let (a, b): (Vec<[u32; N]>, Vec<[u32; N]>) = (0..300).map(|_| (random(), random())).unzip();
    for probe in probes() {
        for (chain, operation) in [
            (FieldChain::Mul, FieldOp::Mul),
            (FieldChain::MulCall, FieldOp::MulCall),
            (FieldChain::Sqr, FieldOp::Sqr),
        ] {
            let once = |x: Vec<[u32; N]>, _| probe.field(operation, &x, &b).unwrap();
            let expected = (0..STEPS).fold(a.clone(), once);
            for n in LENGTHS {
                let [left, right] = [&a, &b].map(|x| on_device(probe.stream(), &x[..n]));
                let mut out = probe.stream().device().alloc(n).unwrap();
                let to = out.view_mut();
                probe.chains(chain, left.view(), right.view(), STEPS, to).unwrap();
                let mut got = vec![[0; N]; n];
                probe.stream().download(out.view(), &mut got).unwrap();
                assert_eq!(got, expected[..n], "{chain:?} of {n} elements of {N} limbs");
            }
            let (left, right) = (on_device(probe.stream(), &a), on_device(probe.stream(), &b));
            let mut short = probe.stream().device().alloc::<[u32; N]>(299).unwrap();
            let to = short.view_mut();
            assert!(probe.chains(chain, left.view(), right.view(), STEPS, to).is_err());
        }
    }
}

#[test]
fn chains_are_the_operation_repeated() {
    chains_of_a_field::<12>(); // Fp
    chains_of_a_field::<8>(); // Fr
    chains_of_a_field::<24>(); // Fp2
}

/// Starts that are infinity, the same point and the opposite one among them.
fn chains_of_points<G: TestGroup + Curve>(kinds: &[PointChain]) {
    let multiple = |i: usize| G::multiple(Scalar::from(i as u64));
    let b: Vec<_> = (0..300).map(|i| multiple(i % 7)).collect();
    let start = |i: usize| if i.is_multiple_of(5) { G::negated(b[i]) } else { multiple(i % 11) };
    let a: Vec<_> = (0..300).map(start).collect();
    for probe in probes() {
        let stream = probe.stream();
        let points =
            |x: &[G::AffinePoint]| upload::<G>(stream, &G::to_bytes(x), Checks::NONE).unwrap();
        let (left, right) = (points(&a), points(&b));
        let mut there = vec![G::INFINITY; b.len()];
        stream.download(right.view(), &mut there).unwrap();
        let mut starts = vec![G::INFINITY; a.len()];
        stream.download(left.view(), &mut starts).unwrap();
        let once = |p: Vec<G::Xyzz>, _| probe.add_mixed::<G>(&p, &there).unwrap();
        let expected = (0..STEPS).fold(probe.from_affine::<G>(&starts).unwrap(), once);
        let expected = probe.to_affine::<G>(&expected).unwrap();
        for &kind in kinds {
            for n in LENGTHS {
                let mut out = stream.device().alloc(n).unwrap();
                let [left, right] = [&left, &right].map(|x| x.view().slice(0..n).unwrap());
                probe.point_chains::<G>(kind, left, right, STEPS, out.view_mut()).unwrap();
                let mut got = vec![G::ZERO; n];
                stream.download(out.view(), &mut got).unwrap();
                let got = probe.to_affine::<G>(&got).unwrap();
                assert_eq!(got, expected[..n], "{kind:?} of {n} points in {}", G::NAME);
            }
        }
    }
}

#[test]
fn chains_of_points_are_the_addition_repeated() {
    chains_of_points::<G1>(&[PointChain::AddMixed, PointChain::AddMixedInline]);
    chains_of_points::<G2>(&[PointChain::AddMixed]);
}

#[test]
fn chains_in_line_are_not_for_g2() {
    for probe in probes() {
        let none = probe.stream().device().alloc(0).unwrap();
        let mut out = probe.stream().device().alloc(0).unwrap();
        let (a, b, out) = (none.view(), none.view(), out.view_mut());
        assert!(probe.point_chains::<G2>(PointChain::AddMixedInline, a, b, 1, out).is_err());
    }
}
