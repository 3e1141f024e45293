//! EIP-2537's vectors (go-ethereum's test data): additions, multiplications, sums, pairings, and
//! the inputs that must be refused.

use bls12_381::{G1Affine, G1Projective, G2Affine, G2Prepared, G2Projective, Gt, Scalar};
use groth16_cuda::device::{Device, Stream};
use groth16_cuda::points::{self, Checks};
use groth16_cuda::repr::{CurveGroup, G1, G2};
use groth16_cuda::{batch_add, msm};
use serde_json::Value;

use crate::data;
use crate::device::device;

/// A point's field elements have 64 bytes here, of which the first 16 are zero.
const FIELD_BYTES: usize = 64;
/// A scalar's bytes.
const SCALAR_BYTES: usize = 32;

trait Eip: CurveGroup {
    const POINT_BYTES: usize = Self::BYTES / 48 * FIELD_BYTES;
    fn sum(device: &Device, points: &[Self::AffinePoint], scalars: &[Scalar]) -> Self::Point;
}

impl Eip for G1 {
    fn sum(device: &Device, points: &[G1Affine], scalars: &[Scalar]) -> G1Projective {
        msm::g1(device, points, scalars).expect("a sum")
    }
}

impl Eip for G2 {
    fn sum(device: &Device, points: &[G2Affine], scalars: &[Scalar]) -> G2Projective {
        msm::g2(device, points, scalars).expect("a sum")
    }
}

fn cases(name: &str) -> Vec<Value> {
    let Some(file) = data::file(&format!("eip2537/{name}.json")) else { return Vec::new() };
    let cases: Vec<Value> = serde_json::from_slice(&file).expect("a list of cases");
    assert!(cases.len() > 5, "{name}");
    cases
}

fn bytes(case: &Value, field: &str) -> Vec<u8> {
    hex::decode(case[field].as_str().expect("text")).expect("hex")
}

/// A point's uncompressed encoding, where c1 comes first; `None` unless the padding is zero.
fn encoding(point: &[u8]) -> Option<Vec<u8>> {
    let fields: Vec<&[u8]> = point.chunks(FIELD_BYTES).collect();
    if fields.iter().any(|field| field[..16].iter().any(|&byte| byte != 0)) {
        return None;
    }
    let mut encoding = Vec::new();
    for coordinate in fields.chunks(fields.len() / 2) {
        encoding.extend(coordinate.iter().rev().flat_map(|field| &field[16..]).copied());
    }
    if encoding.iter().all(|byte| *byte == 0) {
        encoding[0] = 0x40;
    }
    Some(encoding)
}

fn point<G: Eip>(bytes: &[u8]) -> G::Point {
    G::from_bytes(&encoding(bytes).expect("zero padding")).expect("a point")
}

/// A big-endian scalar of 256 bits, modulo r.
fn scalar(bytes: &[u8]) -> Scalar {
    let mut wide = [0; 64];
    for (to, from) in wide.iter_mut().zip(bytes.iter().rev()) {
        *to = *from;
    }
    Scalar::from_bytes_wide(&wide)
}

fn check_sums<G: Eip>(name: &str)
where
    G::AffinePoint: From<G::Point>,
{
    let device = device();
    for case in cases(name) {
        let input = bytes(&case, "Input");
        let terms = input.chunks(G::POINT_BYTES + SCALAR_BYTES);
        let points: Vec<G::AffinePoint> =
            terms.clone().map(|term| point::<G>(&term[..G::POINT_BYTES]).into()).collect();
        let scalars: Vec<_> = terms.map(|term| scalar(&term[G::POINT_BYTES..])).collect();
        let expected = point::<G>(&bytes(&case, "Expected"));
        assert_eq!(G::sum(&device, &points, &scalars), expected, "{}", case["Name"]);
    }
}

fn check_additions<G: Eip>(name: &str)
where
    G::AffinePoint: From<G::Point>,
{
    let stream = device().stream().expect("a stream");
    for case in cases(name) {
        let input = bytes(&case, "Input");
        let points: Vec<G::AffinePoint> =
            input.chunks(G::POINT_BYTES).map(|bytes| point::<G>(bytes).into()).collect();
        let sum = batch_add::sum_of::<G>(&stream, &points, None, &[0, 1]).expect("a sum");
        assert_eq!(sum, point::<G>(&bytes(&case, "Expected")), "{}", case["Name"]);
    }
}

#[test]
fn sums_and_multiples_in_g1() {
    check_sums::<G1>("blsG1MultiExp");
    check_sums::<G1>("blsG1Mul");
}

#[test]
fn sums_and_multiples_in_g2() {
    check_sums::<G2>("blsG2MultiExp");
    check_sums::<G2>("blsG2Mul");
}

#[test]
fn additions() {
    check_additions::<G1>("blsG1Add");
    check_additions::<G2>("blsG2Add");
}

/// The points go through the kernels' decoding and checks; the pairing is the host's.
#[test]
fn pairings() {
    let stream = device().stream().expect("a stream");
    let checks = Checks { refuse_infinity: false, ..Checks::ALL };
    for case in cases("blsPairing") {
        let input = bytes(&case, "Input");
        let mut product = Gt::identity();
        for pair in input.chunks(G1::POINT_BYTES + G2::POINT_BYTES) {
            let (p, q) = pair.split_at(G1::POINT_BYTES);
            let (p, q) = (encoding(p).expect("padding"), encoding(q).expect("padding"));
            points::upload::<G1>(&stream, &p, checks).expect("a point of G1");
            points::upload::<G2>(&stream, &q, checks).expect("a point of G2");
            let p = G1Affine::from(G1::from_bytes(&p).expect("a point"));
            let q = G2Affine::from(G2::from_bytes(&q).expect("a point"));
            product +=
                bls12_381::multi_miller_loop(&[(&p, &G2Prepared::from(q))]).final_exponentiation();
        }
        let one = bytes(&case, "Expected").last() == Some(&1);
        assert_eq!(product == Gt::identity(), one, "{}", case["Name"]);
    }
}

/// Whether the input is refused: its length, its padding, or a point. `subgroup`: additions take
/// any point of the curve.
fn refused(
    stream: &Stream,
    input: &[u8],
    g1: usize,
    g2: usize,
    rest: usize,
    subgroup: bool,
) -> bool {
    let checks = Checks { refuse_infinity: false, subgroup, curve: true };
    let bytes = g1 * G1::POINT_BYTES + g2 * G2::POINT_BYTES + rest;
    if input.is_empty() || !input.len().is_multiple_of(bytes) {
        return true;
    }
    input.chunks(bytes).any(|item| {
        let (first, item) = item.split_at(g1 * G1::POINT_BYTES);
        let second = &item[..g2 * G2::POINT_BYTES];
        let bad_g1 = first.chunks(G1::POINT_BYTES).any(|point| {
            encoding(point).is_none_or(|p| points::upload::<G1>(stream, &p, checks).is_err())
        });
        bad_g1
            || second.chunks(G2::POINT_BYTES).any(|point| {
                encoding(point).is_none_or(|p| points::upload::<G2>(stream, &p, checks).is_err())
            })
    })
}

#[test]
fn bad_inputs_are_refused() {
    let stream = device().stream().expect("a stream");
    let files = [
        ("fail-blsG1Add", 2, 0, 0, false),
        ("fail-blsG1MultiExp", 1, 0, SCALAR_BYTES, true),
        ("fail-blsG2MultiExp", 0, 1, SCALAR_BYTES, true),
        ("fail-blsPairing", 1, 1, 0, true),
    ];
    for (name, g1, g2, rest, subgroup) in files {
        for case in cases(name) {
            let input = bytes(&case, "Input");
            assert!(refused(&stream, &input, g1, g2, rest, subgroup), "{}", case["Name"]);
        }
    }
}
