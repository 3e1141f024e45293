//! EIP-2537: additions, multiplications, sums and pairings, and the inputs that must be refused; by
//! go-ethereum's vectors where they are, and by cases made here from the specification's rules.
//! Mapping to the curve is not this crate's.

use bls12_381::{G1Affine, G1Projective, G2Affine, G2Prepared, G2Projective, Gt, Scalar};
use groth16_cuda::device::{Device, Stream};
use groth16_cuda::points::{self, Checks, PointFault};
use groth16_cuda::repr::{G1, G2};
use groth16_cuda::{Error, batch_add, msm};
use serde_json::Value;

use crate::data;
use crate::device::device;
use crate::oracle::groups::{P_BYTES, TestGroup};

/// A point's field elements have 64 bytes here, of which the first 16 are zero.
const FIELD_BYTES: usize = 64;
/// The zero bytes.
const TOP_BYTES: usize = 16;
/// A scalar's bytes.
const SCALAR_BYTES: usize = 32;

/// Why an input is refused.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Refusal {
    Length,
    TopBytes,
    Coordinate,
    Curve,
    Subgroup,
}

impl Refusal {
    /// As go-ethereum words it.
    fn from_text(text: &str) -> Self {
        match text {
            "invalid input length" => Self::Length,
            "invalid field element top bytes" => Self::TopBytes,
            "invalid fp.Element encoding" => Self::Coordinate,
            "invalid point: not on curve" => Self::Curve,
            _ if text.ends_with("point is not on correct subgroup") => Self::Subgroup,
            _ => panic!("{text}"),
        }
    }
}

/// What an operation's input is made of.
#[derive(Clone, Copy, Debug)]
struct Operation {
    /// In its vectors' names.
    name: &'static str,
    /// Points of G1, then points of G2, then bytes of scalar, of one item.
    item: (usize, usize, usize),
    /// Whether there may be several items.
    several: bool,
    /// Whether points must be in the subgroup: additions take any point of the curve.
    subgroup: bool,
}

const OPERATIONS: [Operation; 7] = [
    Operation { name: "blsG1Add", item: (2, 0, 0), several: false, subgroup: false },
    Operation { name: "blsG2Add", item: (0, 2, 0), several: false, subgroup: false },
    Operation { name: "blsG1Mul", item: (1, 0, SCALAR_BYTES), several: false, subgroup: true },
    Operation { name: "blsG2Mul", item: (0, 1, SCALAR_BYTES), several: false, subgroup: true },
    Operation { name: "blsG1MultiExp", item: (1, 0, SCALAR_BYTES), several: true, subgroup: true },
    Operation { name: "blsG2MultiExp", item: (0, 1, SCALAR_BYTES), several: true, subgroup: true },
    Operation { name: "blsPairing", item: (1, 1, 0), several: true, subgroup: true },
];

/// An input's points and scalars, in their order.
#[derive(Debug, Default)]
struct Operands {
    g1: Vec<G1Affine>,
    g2: Vec<G2Affine>,
    scalars: Vec<Scalar>,
}

impl Operation {
    fn named(name: &str) -> Self {
        OPERATIONS.into_iter().find(|operation| operation.name == name).expect("an operation")
    }

    fn item_bytes(&self) -> usize {
        let (g1, g2, scalar) = self.item;
        g1 * G1::POINT_BYTES + g2 * G2::POINT_BYTES + scalar
    }

    /// The input's operands, whose points the kernels have decoded and checked.
    fn read(&self, stream: &Stream, input: &[u8]) -> Result<Operands, Refusal> {
        let items = input.len() / self.item_bytes();
        let whole = input.len().is_multiple_of(self.item_bytes());
        if !whole || items == 0 || (items > 1 && !self.several) {
            return Err(Refusal::Length);
        }
        let checks = Checks { refuse_infinity: false, subgroup: self.subgroup, curve: true };
        let (mut g1, mut g2, mut scalars) = (Vec::new(), Vec::new(), Vec::new());
        for item in input.chunks(self.item_bytes()) {
            let (of_g1, rest) = item.split_at(self.item.0 * G1::POINT_BYTES);
            let (of_g2, rest) = rest.split_at(self.item.1 * G2::POINT_BYTES);
            for point in of_g1.chunks(G1::POINT_BYTES) {
                g1.extend(encoding(point)?);
            }
            for point in of_g2.chunks(G2::POINT_BYTES) {
                g2.extend(encoding(point)?);
            }
            scalars.extend(rest.chunks(SCALAR_BYTES).map(scalar));
        }
        Ok(Operands {
            g1: G1::checked(stream, &g1, checks)?,
            g2: G2::checked(stream, &g2, checks)?,
            scalars,
        })
    }
}

trait Eip: TestGroup {
    const POINT_BYTES: usize = Self::BYTES / 48 * FIELD_BYTES;
    fn operands(operands: &Operands) -> &[Self::AffinePoint];
    fn sum_of(device: &Device, points: &[Self::AffinePoint], scalars: &[Scalar]) -> Self::Point;
    fn affine(point: Self::Point) -> Self::AffinePoint;

    /// The points of these encodings, unless the kernels refuse one.
    fn checked(
        stream: &Stream,
        encodings: &[u8],
        checks: Checks,
    ) -> Result<Vec<Self::AffinePoint>, Refusal> {
        match points::upload::<Self>(stream, encodings, checks) {
            Ok(_) => {}
            Err(Error::Point { fault: PointFault::Coordinate, .. }) => {
                return Err(Refusal::Coordinate);
            }
            Err(Error::Point { fault: PointFault::NotOnCurve, .. }) => return Err(Refusal::Curve),
            Err(Error::Point { fault: PointFault::NotInSubgroup, .. }) => {
                return Err(Refusal::Subgroup);
            }
            Err(error) => panic!("{error}"),
        }
        let point = |bytes| Self::affine(Self::from_bytes(bytes).expect("a point"));
        Ok(encodings.chunks(Self::BYTES).map(point).collect())
    }

    /// A point as inputs have it.
    fn input(point: Self::AffinePoint) -> Vec<u8> {
        let mut encoding = Self::to_bytes(&[point]);
        encoding[0] &= 0x1f;
        let fields: Vec<&[u8]> = encoding.chunks(48).collect();
        let field = |field: &&[u8]| [&[0; TOP_BYTES], *field].concat();
        fields.chunks(fields.len() / 2).flat_map(|c| c.iter().rev().flat_map(field)).collect()
    }
}

impl Eip for G1 {
    fn operands(operands: &Operands) -> &[G1Affine] {
        &operands.g1
    }

    fn sum_of(device: &Device, points: &[G1Affine], scalars: &[Scalar]) -> G1Projective {
        msm::g1(device, points, scalars).expect("a sum")
    }

    fn affine(point: G1Projective) -> G1Affine {
        point.into()
    }
}

impl Eip for G2 {
    fn operands(operands: &Operands) -> &[G2Affine] {
        &operands.g2
    }

    fn sum_of(device: &Device, points: &[G2Affine], scalars: &[Scalar]) -> G2Projective {
        msm::g2(device, points, scalars).expect("a sum")
    }

    fn affine(point: G2Projective) -> G2Affine {
        point.into()
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

/// A point's uncompressed encoding, where c1 comes first, and flags stand in the first byte's upper
/// bits, which no field element has.
fn encoding(point: &[u8]) -> Result<Vec<u8>, Refusal> {
    let fields: Vec<&[u8]> = point.chunks(FIELD_BYTES).collect();
    if fields.iter().any(|field| field[..TOP_BYTES].iter().any(|&byte| byte != 0)) {
        return Err(Refusal::TopBytes);
    }
    let mut encoding = Vec::new();
    for coordinate in fields.chunks(fields.len() / 2) {
        encoding.extend(coordinate.iter().rev().flat_map(|field| &field[TOP_BYTES..]).copied());
    }
    if encoding[0] & 0xe0 != 0 {
        return Err(Refusal::Coordinate);
    }
    if encoding.iter().all(|byte| *byte == 0) {
        encoding[0] = 0x40;
    }
    Ok(encoding)
}

fn point<G: Eip>(bytes: &[u8]) -> G::Point {
    G::from_bytes(&encoding(bytes).expect("an encoding")).expect("a point")
}

/// A big-endian scalar of 256 bits, modulo r.
fn scalar(bytes: &[u8]) -> Scalar {
    let mut wide = [0; 64];
    for (to, from) in wide.iter_mut().zip(bytes.iter().rev()) {
        *to = *from;
    }
    Scalar::from_bytes_wide(&wide)
}

fn check_sums<G: Eip>(name: &str) {
    let device = device();
    let stream = device.stream().expect("a stream");
    for case in cases(name) {
        let input = bytes(&case, "Input");
        let operands = Operation::named(name).read(&stream, &input).expect("valid operands");
        let expected = point::<G>(&bytes(&case, "Expected"));
        let sum = G::sum_of(&device, G::operands(&operands), &operands.scalars);
        assert_eq!(sum, expected, "{}", case["Name"]);
    }
}

/// By batch addition, and as a sum of multiples by one.
fn check_additions<G: Eip>(name: &str) {
    let device = device();
    let stream = device.stream().expect("a stream");
    for case in cases(name) {
        let input = bytes(&case, "Input");
        let operands = Operation::named(name).read(&stream, &input).expect("valid operands");
        let (points, expected) = (G::operands(&operands), point::<G>(&bytes(&case, "Expected")));
        let sum = batch_add::sum_of::<G>(&stream, points, None, &[0, 1]).expect("a sum");
        assert_eq!(sum, expected, "{}", case["Name"]);
        let sum = G::sum_of(&device, points, &[Scalar::one(); 2]);
        assert_eq!(sum, expected, "{}", case["Name"]);
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
    for case in cases("blsPairing") {
        let input = bytes(&case, "Input");
        let operands = Operation::named("blsPairing").read(&stream, &input).expect("valid");
        let pairs = operands.g1.iter().zip(&operands.g2).map(|(p, q)| (p, G2Prepared::from(*q)));
        let pairs: Vec<_> = pairs.collect();
        let pairs: Vec<_> = pairs.iter().map(|(p, q)| (*p, q)).collect();
        let product = bls12_381::multi_miller_loop(&pairs).final_exponentiation();
        let one = bytes(&case, "Expected").last() == Some(&1);
        assert_eq!(product == Gt::identity(), one, "{}", case["Name"]);
    }
}

#[test]
fn bad_inputs_are_refused() {
    let stream = device().stream().expect("a stream");
    for operation in OPERATIONS {
        for case in cases(&format!("fail-{}", operation.name)) {
            let input = bytes(&case, "Input");
            let expected = Refusal::from_text(case["ExpectedError"].as_str().expect("text"));
            let refusal = operation.read(&stream, &input).expect_err("a refusal");
            assert_eq!(refusal, expected, "{}", case["Name"]);
        }
    }
}

/// An input of valid items: multiples of the generators, and scalars above r among them.
fn valid_input(operation: &Operation, items: usize) -> Vec<u8> {
    let (g1, g2, scalar) = operation.item;
    let mut input = Vec::new();
    for k in (1..=items as u64).map(|k| Scalar::from(7 * k)) {
        input.extend((0..g1 as u64).flat_map(|i| G1::input(G1::multiple(k + Scalar::from(i)))));
        input.extend((0..g2 as u64).flat_map(|i| G2::input(G2::multiple(k + Scalar::from(i)))));
        input.extend(std::iter::repeat_n(0xff, scalar));
    }
    input
}

/// A point of an item: where it lies in the item, its bytes, one outside of the subgroup, infinity.
type Place = (usize, [Vec<u8>; 2]);

fn places(operation: &Operation) -> Vec<Place> {
    let (g1, g2, _) = operation.item;
    let of_g1 = (0..g1).map(|i| {
        (i * G1::POINT_BYTES, [G1::input(G1::outside()), G1::input(G1::multiple(Scalar::zero()))])
    });
    let of_g2 = (0..g2).map(|i| {
        let outside = G2::input(G2::outside());
        let at = g1 * G1::POINT_BYTES + i * G2::POINT_BYTES;
        (at, [outside, G2::input(G2::multiple(Scalar::zero()))])
    });
    of_g1.chain(of_g2).collect()
}

/// The rules of the specification, one broken at a time: in each field of each point of an input's
/// last item, and in its length.
#[test]
fn every_rule_of_an_input_is_kept() {
    let stream = device().stream().expect("a stream");
    for operation in OPERATIONS {
        let items = if operation.several { 3 } else { 1 };
        let valid = valid_input(&operation, items);
        let read = |input: &[u8]| operation.read(&stream, input).map(|_| ());
        assert_eq!(read(&valid), Ok(()), "{operation:?}");
        let longer = [&valid[..], &[0]].concat();
        for input in [&[], &valid[1..], &longer[..]] {
            assert_eq!(read(input), Err(Refusal::Length), "{operation:?}, {}", input.len());
        }
        let twice = if operation.several { Ok(()) } else { Err(Refusal::Length) };
        assert_eq!(read(&[&valid[..], &valid[..]].concat()), twice, "{operation:?}");
        let last = valid.len() - operation.item_bytes();
        let changed = |at: usize, bytes: &[u8]| {
            let mut input = valid.clone();
            input[at..at + bytes.len()].copy_from_slice(bytes);
            read(&input)
        };
        for (place, [outside, infinity]) in places(&operation) {
            let at = last + place;
            let of_subgroup = if operation.subgroup { Err(Refusal::Subgroup) } else { Ok(()) };
            assert_eq!(changed(at, &outside), of_subgroup, "{operation:?}");
            assert_eq!(changed(at, &infinity), Ok(()), "{operation:?}");
            for field in (at..at + infinity.len()).step_by(FIELD_BYTES) {
                assert_fields_are_checked(field, &valid, &changed);
            }
        }
    }
}

/// Breaks the rules for one field of a point, which starts at this byte.
fn assert_fields_are_checked(
    field: usize,
    valid: &[u8],
    changed: &impl Fn(usize, &[u8]) -> Result<(), Refusal>,
) {
    let value = field + TOP_BYTES;
    for top in [field, value - 1] {
        assert_eq!(changed(top, &[1]), Err(Refusal::TopBytes), "byte {top}");
    }
    // p, all bits, and the bits that are flags in other encodings.
    assert_eq!(changed(value, &P_BYTES), Err(Refusal::Coordinate), "byte {value}");
    assert_eq!(changed(value, &[0xff; 48]), Err(Refusal::Coordinate), "byte {value}");
    for flag in [0x20, 0x40, 0x80] {
        let with_flag = valid[value] | flag;
        assert_eq!(changed(value, &[with_flag]), Err(Refusal::Coordinate), "byte {value}");
    }
    let low = value + 47;
    assert_eq!(changed(low, &[valid[low] ^ 1]), Err(Refusal::Curve), "byte {low}");
}
