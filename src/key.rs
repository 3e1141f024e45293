//! Proving and verifying keys in host memory, from bellman's parameters format.
//!
//! A key file holds the verifying key and five queries. The queries are kept as the file's own
//! bytes, big-endian and uncompressed, for that is how they travel to a device. Reading checks
//! the counts against each other before memory is claimed, and every point: canonical
//! coordinates, on the curve, not at infinity and, unless waived, in the subgroup.

use std::fmt;
use std::io::{Read, Write};
use std::path::Path;

use bls12_381::{G1Affine, G2Affine};

use crate::assignment::Assignment;
use crate::repr::{G1_BYTES, G2_BYTES};
use crate::{Error, Result};

#[cfg(feature = "bellman")]
mod bellman;
mod cache;
pub(crate) mod check;
mod loaded;
mod read;

pub use cache::CacheFault;
pub use check::PointFault;
pub use loaded::LoadedKey;
pub(crate) use loaded::Queries;

/// The largest domain is 2^31: the last root of unity is left to the coset, as in bellman.
pub const MAX_DOMAIN_LOG2: u32 = 31;

/// Told of progress: the part of the key, its points checked so far, its points in all. Calls may
/// come from several threads at once, and out of order.
pub type Progress<'a> = &'a (dyn Fn(KeyPart, usize, usize) + Sync);

/// How thoroughly a key's queries are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checks {
    /// Everything.
    Full,
    /// All but the subgroup, which takes nearly all the time: for a key that was checked before.
    SkipSubgroup,
}

/// A part of a key file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyPart {
    /// α in G1.
    AlphaG1,
    /// β in G1.
    BetaG1,
    /// β in G2.
    BetaG2,
    /// γ in G2.
    GammaG2,
    /// δ in G1.
    DeltaG1,
    /// δ in G2.
    DeltaG2,
    /// The public inputs' points.
    Ic,
    /// The query of the quotient's coefficients.
    H,
    /// The query of the variables that are no inputs.
    L,
    /// The query of A's polynomials.
    A,
    /// The query of B's polynomials in G1.
    BG1,
    /// The query of B's polynomials in G2.
    BG2,
}

impl fmt::Display for KeyPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AlphaG1 => "alpha_g1",
            Self::BetaG1 => "beta_g1",
            Self::BetaG2 => "beta_g2",
            Self::GammaG2 => "gamma_g2",
            Self::DeltaG1 => "delta_g1",
            Self::DeltaG2 => "delta_g2",
            Self::Ic => "ic",
            Self::H => "h",
            Self::L => "l",
            Self::A => "a",
            Self::BG1 => "b_g1",
            Self::BG2 => "b_g2",
        })
    }
}

/// What is wrong with a part of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyFault {
    /// The file ends within the part.
    Truncated {
        /// Bytes that the part has.
        needed: u64,
        /// Bytes that there were.
        got: u64,
    },
    /// The count of elements is impossible.
    Count {
        /// The count.
        got: usize,
        /// What it should be.
        rule: &'static str,
    },
    /// Host memory does not suffice for the part.
    OutOfMemory,
    /// A point may not stand in a key.
    Point(PointFault),
}

impl fmt::Display for KeyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { needed, got } => {
                write!(f, "the file ends after {got} of {needed} bytes")
            }
            Self::Count { got, rule } => write!(f, "the count is {got}, but must be {rule}"),
            Self::OutOfMemory => f.write_str("host memory does not suffice"),
            Self::Point(fault) => fault.fmt(f),
        }
    }
}

/// The key that verifies proofs; it is also the head of a proving key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey {
    /// α in G1.
    pub alpha_g1: G1Affine,
    /// β in G1, for the prover.
    pub beta_g1: G1Affine,
    /// β in G2.
    pub beta_g2: G2Affine,
    /// γ in G2.
    pub gamma_g2: G2Affine,
    /// δ in G1, for the prover.
    pub delta_g1: G1Affine,
    /// δ in G2.
    pub delta_g2: G2Affine,
    /// One point for each input, the constant's first.
    pub ic: Vec<G1Affine>,
}

impl VerifyingKey {
    /// Reads a key in bellman's format and checks every point; the bytes after it stay unread.
    ///
    /// # Errors
    ///
    /// [`Error::BadKey`] names the part, the element and what is wrong; [`Error::Io`] passes the
    /// reader's error on.
    pub fn read(reader: impl Read) -> Result<Self> {
        read::verifying_key(&mut read::Source::new(reader), Checks::Full)
    }

    /// Writes the key in bellman's format.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] passes the writer's error on.
    pub fn write(&self, mut writer: impl Write) -> Result<()> {
        let count = u32::try_from(self.ic.len()).map_err(|_| Error::TooMany {
            what: "ic",
            got: self.ic.len(),
            limit: u32::MAX as usize,
        })?;
        let mut bytes = Vec::new();
        bytes.extend(self.alpha_g1.to_uncompressed());
        bytes.extend(self.beta_g1.to_uncompressed());
        bytes.extend(self.beta_g2.to_uncompressed());
        bytes.extend(self.gamma_g2.to_uncompressed());
        bytes.extend(self.delta_g1.to_uncompressed());
        bytes.extend(self.delta_g2.to_uncompressed());
        bytes.extend(count.to_be_bytes());
        self.ic.iter().for_each(|point| bytes.extend(point.to_uncompressed()));
        writer.write_all(&bytes).map_err(|source| Error::Io { what: "verifying key", source })
    }
}

/// The points of one query, as a key file's bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    bytes: Vec<u8>,
    count: usize,
}

impl Query {
    /// The uncompressed encodings, one behind the other: 96 bytes a point in G1, 192 in G2.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// The lengths that a proof with a key depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyShape {
    /// The domain is 2 to this power.
    pub domain_log2: u32,
    /// Public inputs, with the constant.
    pub inputs: usize,
    /// The other variables: points of l.
    pub aux: usize,
    /// Points of a.
    pub a: usize,
    /// Points of b_g1, and of b_g2.
    pub b: usize,
}

impl KeyShape {
    /// The size of the domain: one more than h has points.
    pub fn domain(&self) -> usize {
        1_usize.checked_shl(self.domain_log2).unwrap_or(usize::MAX)
    }
}

/// A proving key in host memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvingKey {
    vk: VerifyingKey,
    h: Query,
    l: Query,
    a: Query,
    b_g1: Query,
    b_g2: Query,
    trailing_bytes: u64,
}

impl ProvingKey {
    /// Reads a key in bellman's format to the reader's end. Bytes after the key, as the files of
    /// the Zcash ceremony have them, are accepted and counted.
    ///
    /// Checks run in parallel on rayon's threads. A count never claims more memory than twice
    /// what the reader has delivered.
    ///
    /// # Errors
    ///
    /// [`Error::BadKey`] names the part, the element and what is wrong; [`Error::Io`] passes the
    /// reader's error on.
    pub fn read(reader: impl Read, checks: Checks) -> Result<Self> {
        read::proving_key(reader, checks, &|_, _, _| ())
    }

    /// As [`ProvingKey::read`], telling of progress.
    ///
    /// # Errors
    ///
    /// As [`ProvingKey::read`].
    pub fn read_with_progress(
        reader: impl Read,
        checks: Checks,
        progress: Progress<'_>,
    ) -> Result<Self> {
        read::proving_key(reader, checks, progress)
    }

    /// The key in groth16's parameters. Counts, curve and infinity are checked; the subgroup is
    /// not, for such parameters come from their generator or from reading with checks.
    /// [`ProvingKey::check_subgroups`] makes up for it.
    ///
    /// # Errors
    ///
    /// [`Error::BadKey`] as in [`ProvingKey::read`].
    #[cfg(feature = "bellman")]
    pub fn from_bellman(params: &groth16::Parameters<bls12_381::Bls12>) -> Result<Self> {
        bellman::proving_key(params)
    }

    /// Checks that every point of the queries is in the subgroup, in parallel.
    ///
    /// # Errors
    ///
    /// [`Error::BadKey`] names the first point that is not.
    pub fn check_subgroups(&self, progress: Progress<'_>) -> Result<()> {
        fn subgroup<P: check::Point>(bytes: &[u8]) -> Result<(), PointFault> {
            check::uncompressed::<P>(bytes, Checks::Full).map(|_| ())
        }
        for (part, query) in self.queries() {
            match part {
                KeyPart::BG2 => {
                    check::query::<G2Affine>(part, &query.bytes, subgroup::<G2Affine>, progress)?
                }
                _ => check::query::<G1Affine>(part, &query.bytes, subgroup::<G1Affine>, progress)?,
            }
        }
        Ok(())
    }

    /// Writes the key in bellman's format, without trailing bytes.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] passes the writer's error on.
    pub fn write(&self, mut writer: impl Write) -> Result<()> {
        let io = |source| Error::Io { what: "proving key", source };
        self.vk.write(&mut writer)?;
        for (_, query) in self.queries() {
            let limit = u32::MAX as usize;
            let count = u32::try_from(query.count).map_err(|_| Error::TooMany {
                what: "query",
                got: query.count,
                limit,
            })?;
            writer.write_all(&count.to_be_bytes()).map_err(io)?;
            writer.write_all(&query.bytes).map_err(io)?;
        }
        Ok(())
    }

    /// Writes the key to a local cache, which [`read_cache`](Self::read_cache) reads many times
    /// faster than [`read`](Self::read) reads bellman's format, for it need not check the points
    /// again. A process that is killed meanwhile, or a full disk, leaves no file at `path` that
    /// is read as a key: the cache is written beside it, as `.NAME.PID-N.part`, and gets its
    /// name when it has reached the disk.
    ///
    /// A cache belongs to the machine, not to the world: its format changes with this crate's
    /// versions.
    ///
    /// # Errors
    ///
    /// [`Error::File`] when the file cannot be written.
    pub fn write_cache(&self, path: impl AsRef<Path>) -> Result<()> {
        cache::write(self, path.as_ref(), Checks::SkipSubgroup)
    }

    /// Reads a key that [`write_cache`](Self::write_cache) wrote.
    ///
    /// Checksums cover every byte of the file: damage is noticed. Malice is not, for points are not
    /// checked again: **whoever can write the cache can replace the key.** Keep it where
    /// only those can write who may also choose the key.
    ///
    /// # Errors
    ///
    /// [`Error::BadCache`] for a file of any other content, with what was expected and
    /// what was found; [`Error::File`] when it cannot be read; [`Error::OutOfMemory`].
    pub fn read_cache(path: impl AsRef<Path>) -> Result<Self> {
        cache::read(path.as_ref())
    }

    /// A key out of the encodings of h, l, a, b_g1 and b_g2, which were made here and need no
    /// check.
    pub(crate) fn from_encodings(vk: VerifyingKey, queries: [Vec<u8>; 5]) -> Self {
        let query = |bytes: Vec<u8>, size| Query { count: bytes.len() / size, bytes };
        let [h, l, a, b_g1, b_g2] = queries;
        let [h, l, a, b_g1] = [h, l, a, b_g1].map(|bytes| query(bytes, G1_BYTES));
        Self { vk, h, l, a, b_g1, b_g2: query(b_g2, G2_BYTES), trailing_bytes: 0 }
    }

    fn queries(&self) -> [(KeyPart, &Query); 5] {
        [
            (KeyPart::H, &self.h),
            (KeyPart::L, &self.l),
            (KeyPart::A, &self.a),
            (KeyPart::BG1, &self.b_g1),
            (KeyPart::BG2, &self.b_g2),
        ]
    }

    /// The verifying key.
    pub fn vk(&self) -> &VerifyingKey {
        &self.vk
    }

    /// The query of the quotient's coefficients, in G1.
    pub fn h(&self) -> &Query {
        &self.h
    }

    /// The query of the variables that are no inputs, in G1.
    pub fn l(&self) -> &Query {
        &self.l
    }

    /// The query of A's polynomials, in G1: all inputs, then the others that occur in A.
    pub fn a(&self) -> &Query {
        &self.a
    }

    /// The query of B's polynomials, in G1: inputs and others that occur in B.
    pub fn b_g1(&self) -> &Query {
        &self.b_g1
    }

    /// The query of B's polynomials, in G2: the same variables as in G1.
    pub fn b_g2(&self) -> &Query {
        &self.b_g2
    }

    /// How many bytes followed the key in its file.
    pub fn trailing_bytes(&self) -> u64 {
        self.trailing_bytes
    }

    /// The key's lengths.
    pub fn shape(&self) -> KeyShape {
        KeyShape {
            domain_log2: (self.h.count + 1).trailing_zeros(),
            inputs: self.vk.ic.len(),
            aux: self.l.count,
            a: self.a.count,
            b: self.b_g1.count,
        }
    }
}

impl KeyShape {
    /// Compares every query's length with what the assignment needs.
    ///
    /// # Errors
    ///
    /// [`Error::WrongKey`] names the first query that does not fit.
    pub fn check(&self, assignment: &Assignment) -> Result<()> {
        let densities = assignment.densities();
        let a = self.inputs + densities.a_aux.count();
        let b = densities.b_inputs.count() + densities.b_aux.count();
        let pairs = [
            ("ic", self.inputs, assignment.inputs().len()),
            ("l", self.aux, assignment.aux().len()),
            ("h", self.domain() - 1, assignment.domain() - 1),
            ("a", self.a, a),
            ("b", self.b, b),
        ];
        for (what, key, needed) in pairs {
            if key != needed {
                return Err(Error::WrongKey { what, key, needed });
            }
        }
        Ok(())
    }
}
