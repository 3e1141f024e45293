//! Proofs' bytes.

use bls12_381::{G1Affine, G2Affine};
use groth16_cuda::key::PointFault;
use groth16_cuda::{Error, Proof};

use crate::data;

fn recorded() -> Vec<u8> {
    data::committed("sapling/output.proof.bin")
}

#[test]
fn bytes_come_back() {
    let bytes = recorded();
    let proof = Proof::read(bytes.as_slice()).expect("a proof");
    assert_eq!(proof.to_bytes().as_slice(), bytes);
    let mut again = Vec::new();
    proof.write(&mut again).expect("memory");
    assert_eq!(again, bytes);
    assert_eq!(hex::encode(bytes), data::stages("output")["proof"]);
}

#[cfg(feature = "bellman")]
#[test]
fn proofs_are_groth16s() {
    let bytes = recorded();
    let theirs = groth16::Proof::read(bytes.as_slice()).expect("a proof");
    let ours = Proof::from(theirs.clone());
    assert_eq!(ours, Proof::read(bytes.as_slice()).expect("a proof"));
    assert!(groth16::Proof::from(ours) == theirs);
}

#[test]
fn short_and_long_inputs() {
    let mut bytes = recorded();
    for got in 0..Proof::BYTES {
        let error = Proof::read(&bytes[..got]).expect_err("short");
        assert!(
            matches!(error, Error::Length { got: g, expected: 192, .. } if g == got),
            "{error}"
        );
    }
    bytes.push(0);
    Proof::read(bytes.as_slice()).expect("what follows stays unread");
}

#[test]
fn bad_points_are_named() {
    let good: [u8; Proof::BYTES] = recorded().try_into().expect("192 bytes");
    let refuse = |place: usize, with: &[u8]| {
        let mut bytes = good;
        bytes[place..place + with.len()].copy_from_slice(with);
        Proof::from_bytes(&bytes).expect_err("refused")
    };
    let p = hex::decode("9a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f624")
        .expect("hex");
    let p = [p, hex::decode("1eabfffeb153ffffb9feffffffffaaab").expect("hex")].concat();
    for (place, name, size) in [(0, "A", 48), (48, "B", 96), (144, "C", 48)] {
        let infinity = if size == 48 {
            G1Affine::identity().to_compressed().to_vec()
        } else {
            G2Affine::identity().to_compressed().to_vec()
        };
        let mut bad_infinity = infinity.clone();
        bad_infinity[size - 1] = 1;
        // x = 0 gives (0, 2) in G1, of order 3; no x = 0 in G2. x = 1 is on neither curve or off
        // the subgroup; which one is a matter of the curve.
        let mut small = vec![0; size];
        (small[0], small[size - 1]) = (0x80, 1);
        let cases: [(&[u8], &[PointFault]); 5] = [
            (&infinity, &[PointFault::Infinity]),
            (&bad_infinity, &[PointFault::Flags]),
            (&[good[place] & 0x7f], &[PointFault::Flags]),
            (&p, &[PointFault::NotCanonical]),
            (&small, &[PointFault::OffCurve, PointFault::OffSubgroup]),
        ];
        for (bytes, expected) in cases {
            let error = refuse(place, bytes);
            assert!(
                matches!(error, Error::BadProof { part, fault }
                    if part == name && expected.contains(&fault)),
                "{name}: {error}; expected {expected:?}"
            );
        }
    }
    let mut order_three = [0; 48];
    order_three[0] = 0x80;
    let error = refuse(0, &order_three);
    assert!(
        matches!(error, Error::BadProof { part: "A", fault: PointFault::OffSubgroup }),
        "{error}"
    );
}
