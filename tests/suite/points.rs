//! Decoding and checking of points against `bls12_381`.

use bls12_381::Scalar;
use ff::Field;
use groth16_cuda::Error;
use groth16_cuda::batch_add;
use groth16_cuda::device::Stream;
use groth16_cuda::points::{self, Checks, PointFault};
use groth16_cuda::repr::{G1, G2};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::data;
use crate::device::device;
use crate::oracle::groups::{P_BYTES, TestGroup};

const CURVE: Checks = Checks { curve: true, refuse_infinity: false, subgroup: false };
const SUBGROUP: Checks = Checks { curve: true, refuse_infinity: false, subgroup: true };

/// Decodes on the device and turns every point back into an encoding's point.
fn decoded<G: TestGroup>(stream: &Stream, bytes: &[u8], checks: Checks) -> Vec<G::Point> {
    let points = points::upload::<G>(stream, bytes, checks).unwrap();
    let mut affine = vec![G::INFINITY; points.len()];
    stream.download(points.view(), &mut affine).unwrap();
    affine.iter().map(|point| batch_add::finish::<G>(&[G::xyzz(point)]).unwrap()).collect()
}

fn good_points<G: TestGroup>() {
    let stream = device().stream().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    for n in [0, 1, 2, 127, 128, 129, 300] {
        let mut expected: Vec<_> = (0..n).map(|_| G::multiple(Scalar::random(&mut rng))).collect();
        if n > 2 {
            expected[n / 2] = G::multiple(Scalar::zero());
        }
        let got = decoded::<G>(&stream, &G::to_bytes(&expected), CURVE);
        let expected: Vec<_> = expected.into_iter().map(G::point).collect();
        assert_eq!(got, expected);
    }
}

/// k·G for k = 0…999 as others wrote them.
fn vectors<G: TestGroup>() {
    let name = G::NAME.to_lowercase();
    let path = format!("zkcrypto/{name}_uncompressed_valid_test_vectors.dat");
    let Some(bytes) = data::file(&path) else { return };
    let stream = device().stream().unwrap();
    let got = decoded::<G>(&stream, &bytes, SUBGROUP);
    assert_eq!(got.len(), 1000);
    for (k, got) in (0u64..).zip(got) {
        assert_eq!(got, G::point(G::multiple(Scalar::from(k))), "{k} times the generator");
    }
}

/// The fault that is found after `change` at each of several places among good points.
fn refused<G: TestGroup>(checks: Checks, fault: PointFault, change: impl Fn(&mut [u8])) {
    let stream = device().stream().unwrap();
    let good = G::to_bytes(&[G::multiple(Scalar::from(5))]).repeat(200);
    for bad in [0, 127, 128, 198] {
        let mut bytes = good.clone();
        for index in [bad, 199] {
            change(&mut bytes[index * G::BYTES..(index + 1) * G::BYTES]);
        }
        match points::upload::<G>(&stream, &bytes, checks) {
            Err(Error::Point { group, index, fault: found }) => {
                assert_eq!((group, index, found), (G::NAME, bad, fault));
            }
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("{fault:?} at {bad} was not seen"),
        }
    }
}

fn bad_points<G: TestGroup>() {
    refused::<G>(Checks::NONE, PointFault::Compressed, |point| point[0] |= 0x80);
    refused::<G>(Checks::NONE, PointFault::Compressed, |point| point[0] |= 0xe0);
    refused::<G>(Checks::NONE, PointFault::SortFlag, |point| point[0] |= 0x20);
    refused::<G>(Checks::NONE, PointFault::SortFlag, |point| point[0] |= 0x60);
    refused::<G>(Checks::NONE, PointFault::InfinityNotZero, |point| point[0] |= 0x40);
    for byte in [0, 1, G::BYTES - 1] {
        refused::<G>(Checks::NONE, PointFault::InfinityNotZero, |point| {
            point.fill(0);
            point[byte] = 1;
            point[0] |= 0x40;
        });
    }
    let all_but_subgroup = Checks { subgroup: false, ..Checks::ALL };
    refused::<G>(all_but_subgroup, PointFault::Infinity, |point| {
        point.fill(0);
        point[0] = 0x40;
    });
    for coordinate in 0..G::BYTES / 48 {
        let place = 48 * coordinate..48 * (coordinate + 1);
        refused::<G>(Checks::NONE, PointFault::Coordinate, |point| {
            point[place.clone()].copy_from_slice(&P_BYTES);
        });
        refused::<G>(Checks::NONE, PointFault::Coordinate, |point| {
            point[place.clone()].fill(0xff);
            point[0] &= 0x1f;
        });
        // p - 1 is a coordinate, though of no such point.
        refused::<G>(CURVE, PointFault::NotOnCurve, |point| {
            point[place.clone()].copy_from_slice(&P_BYTES);
            point[place.end - 1] -= 1;
        });
    }
    refused::<G>(CURVE, PointFault::NotOnCurve, |point| point[G::BYTES - 1] ^= 1);
    // (0, 0) stands for infinity in the kernels, but not in a file.
    refused::<G>(CURVE, PointFault::NotOnCurve, |point| point.fill(0));
    let outside = G::to_bytes(&[G::outside()]);
    refused::<G>(SUBGROUP, PointFault::NotInSubgroup, |point| point.copy_from_slice(&outside));
}

/// Without the check, a point outside of the subgroup is decoded like any other.
fn unchecked_points<G: TestGroup>() {
    let stream = device().stream().unwrap();
    let outside = G::outside();
    let got = decoded::<G>(&stream, &G::to_bytes(&[outside]), CURVE);
    assert_eq!(got, [G::point(outside)]);
}

fn part_of_a_point<G: TestGroup>() {
    let stream = device().stream().unwrap();
    let bytes = vec![0; G::BYTES + 1];
    let result = points::upload::<G>(&stream, &bytes, Checks::NONE);
    assert!(matches!(result, Err(Error::PointBytes { got, .. }) if got == G::BYTES + 1));
}

/// Uploads encodings without checks, encodes the points again and compares.
fn encoded_again<G: TestGroup>(stream: &Stream, bytes: &[u8]) {
    let mut points = points::upload::<G>(stream, bytes, Checks::NONE).unwrap();
    points::encode::<G>(stream, points.view_mut()).unwrap();
    let mut back = vec![0xa5; bytes.len()];
    stream.download(points.view().cast().unwrap(), &mut back).unwrap();
    for (i, (got, expected)) in back.chunks(G::BYTES).zip(bytes.chunks(G::BYTES)).enumerate() {
        assert_eq!(got, expected, "point {i} of {}", bytes.len() / G::BYTES);
    }
}

fn encoding<G: TestGroup>() {
    let stream = device().stream().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for n in [0, 1, 2, 127, 128, 129, 300] {
        let mut points: Vec<_> = (0..n).map(|_| G::multiple(Scalar::random(&mut rng))).collect();
        if n > 2 {
            points[0] = G::negated(points[1]);
            points[n / 2] = G::multiple(Scalar::zero());
            points[n - 1] = points[n / 2];
        }
        encoded_again::<G>(&stream, &G::to_bytes(&points));
    }
}

/// Coordinates of no such point, each at one place among zeros and at all places: p − 1 and every
/// bit.
fn encoding_of_edge_values<G: TestGroup>() {
    let stream = device().stream().unwrap();
    let mut values = vec![P_BYTES];
    values[0][47] -= 1;
    for bit in 0..380 {
        let mut value = [0; 48];
        value[47 - bit / 8] = 1 << (bit % 8);
        values.push(value);
    }
    let mut bytes = Vec::new();
    for value in &values {
        bytes.extend(value.repeat(G::BYTES / 48));
        for place in 0..G::BYTES / 48 {
            let mut point = vec![0; G::BYTES];
            point[48 * place..48 * (place + 1)].copy_from_slice(value);
            bytes.extend(point);
        }
    }
    encoded_again::<G>(&stream, &bytes);
}

macro_rules! for_both_groups {
    ($($test:ident)*) => {
        mod g1 {
            $(#[test] fn $test() { super::$test::<super::G1>() })*
        }
        mod g2 {
            $(#[test] fn $test() { super::$test::<super::G2>() })*
        }
    };
}

for_both_groups! {
    good_points vectors bad_points unchecked_points part_of_a_point encoding encoding_of_edge_values
}
