//! Keys: reading bellman's format, and every way in which a file can be bad.

use std::sync::atomic::{AtomicUsize, Ordering};

use bls12_381::{G1Affine, G2Affine};
use groth16_cuda::key::{Checks, KeyFault, KeyPart, PointFault};
use groth16_cuda::{Error, ProvingKey, Result, VerifyingKey};

use crate::circuits::{sample, samples};
use crate::data;

const G1: usize = 96;
const G2: usize = 192;

/// A key file with the place of each part's count and points.
struct File {
    bytes: Vec<u8>,
    /// Part, offset of its first point, bytes of a point, number of points.
    parts: Vec<(KeyPart, usize, usize, usize)>,
}

impl File {
    fn new() -> Self {
        let params = sample().params();
        let mut bytes = Vec::new();
        params.write(&mut bytes).expect("memory");
        let mut parts = Vec::new();
        let mut offset = 0;
        let points = [
            (KeyPart::AlphaG1, G1),
            (KeyPart::BetaG1, G1),
            (KeyPart::BetaG2, G2),
            (KeyPart::GammaG2, G2),
            (KeyPart::DeltaG1, G1),
            (KeyPart::DeltaG2, G2),
        ];
        for (part, size) in points {
            parts.push((part, offset, size, 1));
            offset += size;
        }
        let queries = [
            (KeyPart::Ic, G1, params.vk.ic.len()),
            (KeyPart::H, G1, params.h.len()),
            (KeyPart::L, G1, params.l.len()),
            (KeyPart::A, G1, params.a.len()),
            (KeyPart::BG1, G1, params.b_g1.len()),
            (KeyPart::BG2, G2, params.b_g2.len()),
        ];
        for (part, size, count) in queries {
            offset += 4;
            parts.push((part, offset, size, count));
            offset += size * count;
        }
        assert_eq!(offset, bytes.len());
        Self { bytes, parts }
    }

    fn read(&self) -> Result<ProvingKey> {
        ProvingKey::read(self.bytes.as_slice(), Checks::Full)
    }

    /// Every part with one of its elements: the last.
    fn elements(&self) -> impl Iterator<Item = (KeyPart, usize, usize, Option<usize>)> {
        self.parts.iter().map(|&(part, offset, size, count)| {
            let is_query = !matches!(
                part,
                KeyPart::AlphaG1
                    | KeyPart::BetaG1
                    | KeyPart::BetaG2
                    | KeyPart::GammaG2
                    | KeyPart::DeltaG1
                    | KeyPart::DeltaG2
            );
            let place = offset + (count - 1) * size;
            (part, place, size, is_query.then(|| count - 1))
        })
    }

    /// Damages an element of every part in turn; each must be refused for `fault`.
    fn each_refused(&self, fault: PointFault, damage: impl Fn(&mut [u8])) {
        for (part, place, size, element) in self.elements() {
            let mut bytes = self.bytes.clone();
            damage(&mut bytes[place..place + size]);
            for checks in [Checks::Full, Checks::SkipSubgroup] {
                let error = ProvingKey::read(bytes.as_slice(), checks).expect_err("refused");
                assert_bad(&error, part, element, KeyFault::Point(fault));
            }
        }
    }
}

fn assert_bad(error: &Error, part: KeyPart, element: Option<usize>, fault: KeyFault) {
    assert!(
        matches!(error, Error::BadKey { part: p, element: e, fault: f }
            if (*p, *e, *f) == (part, element, fault)),
        "{error}; expected {part}, {element:?}, {fault}"
    );
}

#[test]
fn keys_read_as_groth16_wrote_them() {
    for sample in samples().iter().step_by(7) {
        let params = sample.params();
        let mut bytes = Vec::new();
        params.write(&mut bytes).expect("memory");
        let key = ProvingKey::read(bytes.as_slice(), Checks::Full).expect("a good key");
        assert_eq!(key, ProvingKey::from_bellman(&params).expect("a good key"));
        assert_eq!(*key.vk(), VerifyingKey::from(&params.vk));
        assert_eq!(key.h().len(), params.h.len());
        assert_eq!(key.b_g2().bytes().len(), params.b_g2.len() * G2);
        let mut again = Vec::new();
        key.write(&mut again).expect("memory");
        assert_eq!(again, bytes);
    }
}

#[test]
fn bytes_after_the_key_are_counted() {
    let mut file = File::new();
    assert_eq!(file.read().expect("a good key").trailing_bytes(), 0);
    file.bytes.extend([0x5a; 1234]);
    assert_eq!(file.read().expect("a good key").trailing_bytes(), 1234);
}

#[test]
fn the_real_output_key_reads() {
    let bytes = wagyu_zcash_parameters_6::load_partial_parameters();
    let points = AtomicUsize::new(0);
    let key = ProvingKey::read_with_progress(
        bytes.as_slice(),
        Checks::SkipSubgroup,
        &|_, done, total| {
            points.fetch_max(done, Ordering::Relaxed);
            assert!(done <= total);
        },
    )
    .expect("the ceremony's key");
    let shape = key.shape();
    assert_eq!((shape.domain(), shape.inputs, shape.aux), (1 << 13, 6, 7821));
    assert_eq!((shape.a, shape.b), (6298, 4850));
    assert_eq!(points.into_inner(), 8191);
    assert_eq!(key.trailing_bytes(), 52_836);
    let vk = data::committed("zcash-chain-proofs/sapling-output.vk");
    assert_eq!(*key.vk(), VerifyingKey::read(vk.as_slice()).expect("the same key's head"));
}

#[test]
fn verifying_keys_read_and_write() {
    for (name, inputs) in [("sapling-output", 6), ("sapling-spend", 8), ("sprout-groth16", 10)] {
        let bytes = data::committed(&format!("zcash-chain-proofs/{name}.vk"));
        let vk = VerifyingKey::read(bytes.as_slice()).expect("a good key");
        assert_eq!(vk.ic.len(), inputs);
        let mut again = Vec::new();
        vk.write(&mut again).expect("memory");
        assert_eq!(again, bytes);
        let groth16 = groth16::VerifyingKey::from(&vk);
        assert_eq!(VerifyingKey::from(&groth16), vk);
        for cut in (0..bytes.len()).step_by(31) {
            assert!(VerifyingKey::read(&bytes[..cut]).is_err());
        }
    }
}

#[test]
fn truncated_files_are_refused_with_the_part() {
    let file = File::new();
    for &(part, offset, size, count) in &file.parts {
        let end = offset + size * count;
        for cut in [offset, offset + 1, end - size, end - 1] {
            let error =
                ProvingKey::read(&file.bytes[..cut], Checks::SkipSubgroup).expect_err("truncated");
            assert!(
                matches!(error, Error::BadKey {
                    part: p, element: None, fault: KeyFault::Truncated { needed, got }
                } if p == part && needed == (size * count) as u64 && got == (cut - offset) as u64),
                "{part} cut at {cut}: {error}"
            );
        }
    }
    // Within a count.
    for &(part, offset, ..) in &file.parts[6..] {
        let error =
            ProvingKey::read(&file.bytes[..offset - 2], Checks::SkipSubgroup).expect_err("cut");
        assert_bad(&error, part, None, KeyFault::Truncated { needed: 4, got: 2 });
    }
}

#[test]
fn wrong_counts_are_refused() {
    let file = File::new();
    for &(part, offset, size, count) in &file.parts[6..] {
        for wrong in [0, count - 1, count + 1, 2 * count, 0x7fff_ffff, 0xffff_ffff] {
            let mut bytes = file.bytes.clone();
            let wrong = u32::try_from(wrong).expect("32 bits");
            bytes[offset - 4..offset].copy_from_slice(&wrong.to_be_bytes());
            let error = ProvingKey::read(bytes.as_slice(), Checks::SkipSubgroup)
                .expect_err("a wrong count");
            assert!(matches!(error, Error::BadKey { .. }), "{part}, {wrong}: {error}");
            // A count larger than the file runs into its end rather than into the allocator.
            if let Error::BadKey { part: p, fault: KeyFault::Truncated { needed, got }, .. } = error
                && p == part
            {
                assert_eq!(needed, u64::from(wrong) * size as u64);
                assert_eq!(got, (bytes.len() - offset) as u64);
            }
        }
    }
}

#[test]
fn counts_that_contradict_each_other_are_named() {
    let file = File::new();
    for (part, index, wrong) in
        [(KeyPart::Ic, 6, 0_u32), (KeyPart::H, 7, 5), (KeyPart::A, 9, 1), (KeyPart::BG1, 10, 999)]
    {
        let offset = file.parts[index].1;
        let mut bytes = file.bytes.clone();
        bytes[offset - 4..offset].copy_from_slice(&wrong.to_be_bytes());
        let error = ProvingKey::read(bytes.as_slice(), Checks::Full).expect_err("a wrong count");
        assert!(
            matches!(error, Error::BadKey { part: p, fault: KeyFault::Count { got, .. }, .. }
                if p == part && got == wrong as usize),
            "{error}"
        );
    }
    let mut params = sample().params();
    std::sync::Arc::make_mut(&mut params.b_g2).pop();
    let error = ProvingKey::from_bellman(&params).expect_err("a wrong count");
    assert!(
        matches!(error, Error::BadKey { part: KeyPart::BG2, fault: KeyFault::Count { .. }, .. }),
        "{error}"
    );
}

#[test]
fn coordinates_are_below_p() {
    let p = hex::decode(concat!(
        "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf",
        "6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab"
    ))
    .expect("hex");
    let file = File::new();
    file.each_refused(PointFault::NotCanonical, |point| point[..48].copy_from_slice(&p));
    file.each_refused(PointFault::NotCanonical, |point| {
        let y = point.len() - 48;
        point[y..].copy_from_slice(&p);
    });
    file.each_refused(PointFault::NotCanonical, |point| point[48..96].fill(0xff));
}

#[test]
fn points_are_on_the_curve() {
    File::new().each_refused(PointFault::OffCurve, |point| {
        let last = point.len() - 1;
        point[last] ^= 1;
    });
    File::new().each_refused(PointFault::OffCurve, |point| point.fill(0));
}

#[test]
fn points_are_not_at_infinity() {
    File::new().each_refused(PointFault::Infinity, |point| {
        point.fill(0);
        point[0] = 0x40;
    });
}

#[test]
fn flags_are_those_of_uncompressed_points() {
    for flag in [0x80, 0x40, 0x20, 0xe0] {
        File::new().each_refused(PointFault::Flags, |point| point[0] |= flag);
    }
}

/// A point on the curve that is not in the subgroup.
fn outside_the_subgroup_g1() -> [u8; G1] {
    (1..=u8::MAX)
        .find_map(|x| {
            let mut bytes = [0; 48];
            (bytes[0], bytes[47]) = (0x80, x);
            let point = Option::<G1Affine>::from(G1Affine::from_compressed_unchecked(&bytes))?;
            (!bool::from(point.is_torsion_free())).then(|| point.to_uncompressed())
        })
        .expect("nearly every point of the curve is outside")
}

fn outside_the_subgroup_g2() -> [u8; G2] {
    (1..=u8::MAX)
        .find_map(|x| {
            let mut bytes = [0; 96];
            (bytes[0], bytes[95]) = (0x80, x);
            let point = Option::<G2Affine>::from(G2Affine::from_compressed_unchecked(&bytes))?;
            (!bool::from(point.is_torsion_free())).then(|| point.to_uncompressed())
        })
        .expect("nearly every point of the curve is outside")
}

#[test]
fn points_are_in_the_subgroup_unless_waived() {
    let file = File::new();
    let (g1, g2) = (outside_the_subgroup_g1(), outside_the_subgroup_g2());
    for (part, place, size, element) in file.elements() {
        let mut bytes = file.bytes.clone();
        bytes[place..place + size].copy_from_slice(if size == G1 { &g1 } else { &g2 });
        let fault = KeyFault::Point(PointFault::OffSubgroup);
        let error = ProvingKey::read(bytes.as_slice(), Checks::Full).expect_err("outside");
        assert_bad(&error, part, element, fault);
        let waived = ProvingKey::read(bytes.as_slice(), Checks::SkipSubgroup);
        if matches!(part, KeyPart::H | KeyPart::L | KeyPart::A | KeyPart::BG1 | KeyPart::BG2) {
            let error = waived.expect("waived").check_subgroups(&|_, _, _| ());
            assert_bad(&error.expect_err("outside"), part, element, fault);
        } else {
            assert_bad(&waived.expect_err("never waived"), part, element, fault);
        }
    }
    file.read().expect("a good key").check_subgroups(&|_, _, _| ()).expect("a good key");
}

#[test]
fn the_first_of_several_bad_elements_is_named() {
    let file = File::new();
    let (part, offset, size, count) = file.parts[7];
    let mut bytes = file.bytes.clone();
    for element in [count - 1, 17, 9] {
        bytes[offset + element * size + size - 1] ^= 1;
        let error = ProvingKey::read(bytes.as_slice(), Checks::Full).expect_err("damaged");
        assert_bad(&error, part, Some(element), KeyFault::Point(PointFault::OffCurve));
    }
}

#[test]
fn errors_read_as_sentences() {
    let mut file = File::new();
    let place = file.parts[9].1 + 2 * G1;
    file.bytes[place] |= 0x80;
    let text = file.read().expect_err("damaged").to_string();
    assert_eq!(text, "key, a, element 2: the flag bits are not those of the expected encoding");
}

/// A reader that fails.
struct Broken;

impl std::io::Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(std::io::Error::other("unplugged"))
    }
}

#[test]
fn a_readers_error_is_passed_on() {
    let error = ProvingKey::read(Broken, Checks::Full).expect_err("unplugged");
    assert!(matches!(error, Error::Io { .. }), "{error}");
}
