//! Proofs and their 192 bytes.

use std::io::{ErrorKind, Read, Write};

use bls12_381::{G1Affine, G2Affine};

use crate::key::check;
use crate::{Error, Result};

const G1_COMPRESSED_BYTES: usize = 48;
const G2_COMPRESSED_BYTES: usize = 96;

/// A Groth16 proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    /// A, in G1.
    pub a: G1Affine,
    /// B, in G2.
    pub b: G2Affine,
    /// C, in G1.
    pub c: G1Affine,
}

impl Proof {
    /// Bytes of a proof: A, B and C compressed, as bellman writes them.
    pub const BYTES: usize = 2 * G1_COMPRESSED_BYTES + G2_COMPRESSED_BYTES;

    /// The proof's encoding.
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        let (a, rest) = bytes.split_at_mut(G1_COMPRESSED_BYTES);
        let (b, c) = rest.split_at_mut(G2_COMPRESSED_BYTES);
        a.copy_from_slice(&self.a.to_compressed());
        b.copy_from_slice(&self.b.to_compressed());
        c.copy_from_slice(&self.c.to_compressed());
        bytes
    }

    /// The proof of an encoding, with every point checked: canonical, on the curve, in the
    /// subgroup, not at infinity.
    ///
    /// # Errors
    ///
    /// [`Error::BadProof`] names the point and what is wrong with it.
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Result<Self> {
        let (a, rest) = bytes.split_at(G1_COMPRESSED_BYTES);
        let (b, c) = rest.split_at(G2_COMPRESSED_BYTES);
        let bad = |part| move |fault| Error::BadProof { part, fault };
        Ok(Self {
            a: check::compressed(a).map_err(bad("A"))?,
            b: check::compressed(b).map_err(bad("B"))?,
            c: check::compressed(c).map_err(bad("C"))?,
        })
    }

    /// Reads a proof; what follows it stays unread.
    ///
    /// # Errors
    ///
    /// [`Error::BadProof`] as in [`Proof::from_bytes`]; [`Error::Length`] if there are fewer
    /// than 192 bytes; [`Error::Io`] passes the reader's error on.
    pub fn read(mut reader: impl Read) -> Result<Self> {
        let mut bytes = [0; Self::BYTES];
        let mut got = 0;
        while got < Self::BYTES {
            match reader.read(&mut bytes[got..]) {
                Ok(0) => {
                    let (operation, what) = ("proof", "bytes");
                    return Err(Error::Length { operation, what, got, expected: Self::BYTES });
                }
                Ok(read) => got += read,
                Err(source) if source.kind() == ErrorKind::Interrupted => {}
                Err(source) => return Err(Error::Io { what: "proof", source }),
            }
        }
        Self::from_bytes(&bytes)
    }

    /// Writes the proof's 192 bytes.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] passes the writer's error on.
    pub fn write(&self, mut writer: impl Write) -> Result<()> {
        writer.write_all(&self.to_bytes()).map_err(|source| Error::Io { what: "proof", source })
    }
}

#[cfg(feature = "bellman")]
impl From<Proof> for groth16::Proof<bls12_381::Bls12> {
    fn from(Proof { a, b, c }: Proof) -> Self {
        Self { a, b, c }
    }
}

#[cfg(feature = "bellman")]
impl From<groth16::Proof<bls12_381::Bls12>> for Proof {
    fn from(proof: groth16::Proof<bls12_381::Bls12>) -> Self {
        Self { a: proof.a, b: proof.b, c: proof.c }
    }
}
