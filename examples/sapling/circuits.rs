//! Random instances of Zcash's Sapling circuits, with their statements made outside the circuits.

use bellman::gadgets::multipack;
use bellman::{Circuit, ConstraintSystem, SynthesisError};
use bls12_381::Scalar;
use ff::Field;
use group::Curve;
use rand::CryptoRng;
use sapling_crypto::circuit::{Output, Spend, ValueCommitmentOpening};
use sapling_crypto::keys::ExpandedSpendingKey;
use sapling_crypto::value::{NoteValue, ValueCommitTrapdoor, ValueCommitment};
use sapling_crypto::{
    Diversifier, NOTE_COMMITMENT_TREE_DEPTH, PaymentAddress, ProofGenerationKey, Rseed, merkle_hash,
};

/// One of the two circuits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Output,
    Spend,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Output => "output",
            Self::Spend => "spend",
        }
    }
}

/// A circuit with a witness.
#[allow(clippy::large_enum_variant)] // one at a time
pub enum Instance {
    Output(Output),
    Spend(Spend),
}

impl Circuit<Scalar> for Instance {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        match self {
            Self::Output(output) => output.synthesize(cs),
            Self::Spend(spend) => spend.synthesize(cs),
        }
    }
}

/// A note's random parts, which both circuits have.
struct Note {
    key: ProofGenerationKey,
    address: PaymentAddress,
    value: NoteValue,
    randomness: jubjub::Fr,
    trapdoor: ValueCommitTrapdoor,
}

impl Note {
    fn random(rng: &mut impl CryptoRng) -> Self {
        let key = loop {
            let mut seed = [0; 32];
            rng.fill_bytes(&mut seed);
            if let Some(key) = ExpandedSpendingKey::from_spending_key(&seed) {
                break key.proof_generation_key();
            }
        };
        let address = loop {
            let mut diversifier = [0; 11];
            rng.fill_bytes(&mut diversifier);
            let diversifier = Diversifier(diversifier);
            if let Some(address) = key.to_viewing_key().to_payment_address(diversifier) {
                break address;
            }
        };
        Self {
            key,
            address,
            value: NoteValue::from_raw(rng.next_u64()),
            randomness: jubjub::Fr::random(&mut *rng),
            trapdoor: ValueCommitTrapdoor::random(&mut *rng),
        }
    }

    fn opening(&self) -> ValueCommitmentOpening {
        ValueCommitmentOpening { value: self.value, randomness: self.trapdoor.inner() }
    }

    fn value_commitment(&self) -> [Scalar; 2] {
        let commitment = ValueCommitment::derive(self.value, self.trapdoor.clone());
        coordinates(&commitment.as_inner().to_affine())
    }

    fn note(&self) -> sapling_crypto::Note {
        self.address.create_note(self.value, Rseed::BeforeZip212(self.randomness))
    }

    fn commitment(&self) -> [u8; 32] {
        self.note().cmu().to_bytes()
    }
}

fn coordinates(point: &jubjub::AffinePoint) -> [Scalar; 2] {
    [point.get_u(), point.get_v()]
}

fn scalar(bytes: &[u8; 32]) -> Scalar {
    Option::from(Scalar::from_bytes(bytes)).expect("sapling-crypto encodes canonically")
}

/// A random instance and its public inputs.
pub fn random(kind: Kind, rng: &mut impl CryptoRng) -> (Instance, Vec<Scalar>) {
    match kind {
        Kind::Output => output(rng),
        Kind::Spend => spend(rng),
    }
}

/// Public inputs: the value commitment, the ephemeral key, the note commitment.
fn output(rng: &mut impl CryptoRng) -> (Instance, Vec<Scalar>) {
    let note = Note::random(rng);
    let esk = jubjub::Fr::random(&mut *rng);
    let base = note.address.diversifier().g_d().expect("an address has a valid diversifier");
    let epk = jubjub::ExtendedPoint::from(base * esk).to_affine();
    let mut inputs = note.value_commitment().to_vec();
    inputs.extend(coordinates(&epk));
    inputs.push(scalar(&note.commitment()));
    let instance = Output {
        value_commitment_opening: Some(note.opening()),
        payment_address: Some(note.address),
        commitment_randomness: Some(note.randomness),
        esk: Some(esk),
    };
    (Instance::Output(instance), inputs)
}

/// Public inputs: the randomized key, the value commitment, the anchor, the nullifier.
fn spend(rng: &mut impl CryptoRng) -> (Instance, Vec<Scalar>) {
    let note = Note::random(rng);
    let viewing_key = note.key.to_viewing_key();
    let randomizer = jubjub::Fr::random(&mut *rng);
    let rk = jubjub::AffinePoint::from_bytes(viewing_key.rk(randomizer).into());
    let mut inputs = coordinates(&Option::from(rk).expect("a key is a point")).to_vec();
    inputs.extend(note.value_commitment());

    // The path from the note to the tree's root.
    let (mut node, mut position, mut path) = (note.commitment(), 0_u64, Vec::new());
    for depth in 0..usize::from(NOTE_COMMITMENT_TREE_DEPTH) {
        let sibling = Scalar::random(&mut *rng);
        let on_the_right = rng.next_u32().is_multiple_of(2);
        let (left, right) =
            if on_the_right { (sibling.to_bytes(), node) } else { (node, sibling.to_bytes()) };
        node = merkle_hash(depth, &left, &right);
        position |= u64::from(on_the_right) << depth;
        path.push(Some((sibling, on_the_right)));
    }
    let anchor = scalar(&node);
    inputs.push(anchor);
    let nullifier = note.note().nf(viewing_key.nk(), position);
    inputs.extend(multipack::compute_multipacking::<Scalar>(&multipack::bytes_to_bits_le(
        &nullifier.0,
    )));

    let instance = Spend {
        value_commitment_opening: Some(note.opening()),
        proof_generation_key: Some(note.key),
        payment_address: Some(note.address),
        commitment_randomness: Some(note.randomness),
        ar: Some(randomizer),
        auth_path: path,
        anchor: Some(anchor),
    };
    (Instance::Spend(instance), inputs)
}
