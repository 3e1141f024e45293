//! Verification, against proofs that others made.

use std::collections::HashMap;

use bls12_381::{G1Affine, G2Affine, Scalar};
use groth16_cuda::assignment::scalars_from_bytes;
use groth16_cuda::{Error, PreparedVerifyingKey, Proof, Result, VerifyingKey, verify};
use rayon::prelude::*;

use crate::data;

fn chain_key(name: &str) -> PreparedVerifyingKey {
    let bytes = data::committed(&format!("zcash-chain-proofs/{name}.vk"));
    PreparedVerifyingKey::new(&VerifyingKey::read(bytes.as_slice()).expect("a good key"))
}

struct ChainProof {
    kind: String,
    proof: [u8; Proof::BYTES],
    inputs: Vec<Scalar>,
}

fn chain_proofs() -> Vec<ChainProof> {
    let text = String::from_utf8(data::committed("zcash-chain-proofs/proofs.txt")).expect("text");
    let proof = |line: &str| {
        let fields: Vec<&str> = line.split(' ').collect();
        let inputs = hex::decode(fields[6].replace(',', "")).expect("hex");
        ChainProof {
            kind: fields[0].to_owned(),
            proof: hex::decode(fields[5]).expect("hex").try_into().expect("192 bytes"),
            inputs: scalars_from_bytes("inputs", &inputs).expect("scalars"),
        }
    };
    let proofs: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).map(proof).collect();
    assert_eq!(proofs.len(), 110);
    proofs
}

fn chain_keys() -> HashMap<&'static str, PreparedVerifyingKey> {
    HashMap::from([
        ("sapling-output", chain_key("sapling-output")),
        ("sapling-spend", chain_key("sapling-spend")),
        ("sprout-joinsplit", chain_key("sprout-groth16")),
    ])
}

fn check(key: &PreparedVerifyingKey, bytes: &[u8; Proof::BYTES], inputs: &[Scalar]) -> Result<()> {
    verify(key, &Proof::from_bytes(bytes)?, inputs)
}

#[test]
fn proofs_out_of_blocks_hold_and_break_with_any_bit() {
    let keys = chain_keys();
    chain_proofs().par_iter().enumerate().for_each(|(index, chain)| {
        let key = &keys[chain.kind.as_str()];
        check(key, &chain.proof, &chain.inputs).expect("a block's proof");
        // One bit each of A, B and C, other bits for every proof.
        for (start, bits) in [(0, 384), (384, 768), (1152, 384)] {
            let bit = start + index * 181 % bits;
            let mut bytes = chain.proof;
            bytes[bit / 8] ^= 1 << (bit % 8);
            let error = check(key, &bytes, &chain.inputs).expect_err("a damaged proof");
            assert!(
                matches!(error, Error::BadProof { .. } | Error::InvalidProof),
                "bit {bit}: {error}"
            );
        }
        // The sign of each point: it decodes, and must fail to verify.
        for byte in [0, 48, 144] {
            let mut bytes = chain.proof;
            bytes[byte] ^= 0x20;
            let error = check(key, &bytes, &chain.inputs).expect_err("another point");
            assert!(matches!(error, Error::InvalidProof), "{error}");
        }
        let mut inputs = chain.inputs.clone();
        inputs[index % chain.inputs.len()] += Scalar::one();
        let error = check(key, &chain.proof, &inputs).expect_err("another statement");
        assert!(matches!(error, Error::InvalidProof), "{error}");
    });
}

#[test]
fn the_number_of_inputs_is_the_keys() {
    let chain = &chain_proofs()[0];
    let key = &chain_keys()[chain.kind.as_str()];
    let (inputs, expected) = (&chain.inputs, chain.inputs.len());
    for inputs in [&[], &inputs[1..], &[inputs.as_slice(), &[Scalar::one()]].concat()] {
        let error = check(key, &chain.proof, inputs).expect_err("refused");
        assert!(
            matches!(error, Error::Length { got, expected: e, .. }
                if got == inputs.len() && e == expected),
            "{error}"
        );
    }
}

/// Base64 as RFC 4648 has it, for the vectors' sake.
fn base64(text: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let digits: Vec<u8> = text.bytes().filter_map(digit).collect();
    let mut bytes = Vec::new();
    for chunk in digits.chunks(4) {
        let bits = chunk.iter().fold(0_u32, |bits, digit| bits << 6 | u32::from(*digit))
            << (6 * (4 - chunk.len()));
        bytes.extend(&bits.to_be_bytes()[1..chunk.len()]);
    }
    bytes
}

/// A compressed key by its form, a list of names such as `alpha1|beta2|ic... (compressed)`.
fn compressed_key(form: &str, bytes: &[u8]) -> Option<VerifyingKey> {
    let g1 = |bytes: &[u8]| {
        Option::<G1Affine>::from(G1Affine::from_compressed(bytes.try_into().expect("48 bytes")))
    };
    let g2 = |bytes: &[u8]| {
        Option::<G2Affine>::from(G2Affine::from_compressed(bytes.try_into().expect("96 bytes")))
    };
    let mut vk = VerifyingKey {
        alpha_g1: G1Affine::generator(),
        beta_g1: G1Affine::generator(),
        beta_g2: G2Affine::generator(),
        gamma_g2: G2Affine::generator(),
        delta_g1: G1Affine::generator(),
        delta_g2: G2Affine::generator(),
        ic: Vec::new(),
    };
    let mut rest = bytes;
    let mut take = |count| {
        let (head, tail) = rest.split_at(count);
        rest = tail;
        head
    };
    let mut count = None;
    for name in form.trim_end_matches(" (compressed)").split('|') {
        match name {
            "alpha1" => vk.alpha_g1 = g1(take(48))?,
            "beta1" => vk.beta_g1 = g1(take(48))?,
            "delta1" => vk.delta_g1 = g1(take(48))?,
            "beta2" => vk.beta_g2 = g2(take(96))?,
            "gamma2" => vk.gamma_g2 = g2(take(96))?,
            "delta2" => vk.delta_g2 = g2(take(96))?,
            "u32 be n" => {
                count = Some(u32::from_be_bytes(take(4).try_into().expect("4 bytes")) as usize);
            }
            _ => {
                assert!(name.starts_with("ic"), "{name}");
                let count = count.unwrap_or(rest.len() / 48);
                for point in rest.chunks_exact(48).take(count) {
                    vk.ic.push(g1(point)?);
                }
                break;
            }
        }
    }
    Some(vk)
}

fn big_endian_inputs(bytes: &[u8]) -> Option<Vec<Scalar>> {
    let scalar = |bytes: &[u8]| {
        let mut bytes: [u8; 32] = bytes.try_into().expect("32 bytes");
        bytes.reverse();
        Option::from(Scalar::from_bytes(&bytes))
    };
    bytes.chunks_exact(32).map(scalar).collect()
}

#[test]
fn verdicts_agree_with_other_verifiers() {
    let Some(file) = data::file("groth16-verify/bellman-era-bls12-381.json") else {
        return;
    };
    let cases: serde_json::Value = serde_json::from_slice(&file).expect("JSON");
    let cases = cases.as_array().expect("cases");
    assert_eq!(cases.len(), 35);
    let mut valid = 0;
    for (index, case) in cases.iter().enumerate() {
        let bytes = |name: &str| base64(case[name].as_str().expect("text"));
        let form = case["vk_form"].as_str().expect("text");
        let verdict = || {
            let key = compressed_key(form, &bytes("vk_base64"))?;
            let inputs = big_endian_inputs(&bytes("inputs_be_base64"))?;
            let proof = Proof::read(bytes("proof_base64").as_slice()).ok()?;
            verify(&PreparedVerifyingKey::new(&key), &proof, &inputs).ok()
        };
        let expected = case["valid"].as_bool().expect("a verdict");
        assert_eq!(verdict().is_some(), expected, "case {index}");
        valid += usize::from(expected);
    }
    assert!(valid > 10 && valid < 30, "{valid} valid cases");
}

#[cfg(feature = "bellman")]
#[test]
fn verdicts_agree_with_groth16() {
    for name in ["sapling-output", "sapling-spend"] {
        let bytes = data::committed(&format!("zcash-chain-proofs/{name}.vk"));
        let theirs = groth16::VerifyingKey::read(bytes.as_slice()).expect("a good key");
        let theirs = groth16::prepare_verifying_key(&theirs);
        let ours = chain_key(name);
        for chain in chain_proofs().iter().filter(|chain| chain.kind == name).take(3) {
            for other in 0..2_u64 {
                let mut inputs = chain.inputs.clone();
                inputs[0] += Scalar::from(other);
                let proof = Proof::from_bytes(&chain.proof).expect("a proof");
                let verdict = groth16::verify_proof(&theirs, &proof.into(), &inputs).is_ok();
                assert_eq!(verify(&ours, &proof, &inputs).is_ok(), verdict);
                assert_eq!(verdict, other == 0);
            }
        }
    }
}
