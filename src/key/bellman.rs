//! Keys from groth16's types, and verifying keys to them.

use bls12_381::{Bls12, G1Affine, G2Affine};

use super::check::{self, Point, PointFault};
use super::read::rules;
use super::{Checks, KeyFault, KeyPart, ProvingKey, Query, VerifyingKey};
use crate::repr::{g1_to_bytes, g2_to_bytes};
use crate::{Error, Result};

impl From<&groth16::VerifyingKey<Bls12>> for VerifyingKey {
    fn from(vk: &groth16::VerifyingKey<Bls12>) -> Self {
        Self {
            alpha_g1: vk.alpha_g1,
            beta_g1: vk.beta_g1,
            beta_g2: vk.beta_g2,
            gamma_g2: vk.gamma_g2,
            delta_g1: vk.delta_g1,
            delta_g2: vk.delta_g2,
            ic: vk.ic.clone(),
        }
    }
}

impl From<&VerifyingKey> for groth16::VerifyingKey<Bls12> {
    fn from(vk: &VerifyingKey) -> Self {
        Self {
            alpha_g1: vk.alpha_g1,
            beta_g1: vk.beta_g1,
            beta_g2: vk.beta_g2,
            gamma_g2: vk.gamma_g2,
            delta_g1: vk.delta_g1,
            delta_g2: vk.delta_g2,
            ic: vk.ic.clone(),
        }
    }
}

pub(super) fn proving_key(params: &groth16::Parameters<Bls12>) -> Result<ProvingKey> {
    let vk = VerifyingKey::from(&params.vk);
    verifying_points(&vk)?;
    let (inputs, aux) = (vk.ic.len(), params.l.len());
    let counts = [
        (KeyPart::H, params.h.len(), rules::h(params.h.len(), inputs)),
        (KeyPart::A, params.a.len(), rules::a(params.a.len(), inputs, aux)),
        (KeyPart::BG1, params.b_g1.len(), rules::b_g1(params.b_g1.len(), inputs, aux)),
        (KeyPart::BG2, params.b_g2.len(), rules::b_g2(params.b_g2.len(), params.b_g1.len())),
    ];
    for (part, got, rule) in counts {
        let fault =
            |rule| Error::BadKey { part, element: None, fault: KeyFault::Count { got, rule } };
        rule.map_err(fault)?;
    }
    let key = ProvingKey {
        vk,
        h: g1(&params.h),
        l: g1(&params.l),
        a: g1(&params.a),
        b_g1: g1(&params.b_g1),
        b_g2: Query { bytes: g2_to_bytes(&params.b_g2), count: params.b_g2.len() },
        trailing_bytes: 0,
    };
    for (part, query) in key.queries() {
        let quiet = &|_, _, _| ();
        match part {
            KeyPart::BG2 => check::query::<G2Affine>(part, &query.bytes, curve::<G2Affine>, quiet)?,
            _ => check::query::<G1Affine>(part, &query.bytes, curve::<G1Affine>, quiet)?,
        }
    }
    Ok(key)
}

fn g1(points: &[G1Affine]) -> Query {
    Query { bytes: g1_to_bytes(points), count: points.len() }
}

fn curve<P: Point>(bytes: &[u8]) -> Result<(), PointFault> {
    check::uncompressed::<P>(bytes, Checks::SkipSubgroup).map(|_| ())
}

/// The verifying key's points by the same rules as those of a file.
fn verifying_points(vk: &VerifyingKey) -> Result<()> {
    let mut bytes = Vec::new();
    vk.write(&mut bytes)?;
    VerifyingKey::read(bytes.as_slice()).map(|_| ())
}
