//! A key's cache: a local file that holds a key already checked, and loads without decoding.
//!
//! The points stand there as in bellman's format, uncompressed and big-endian, for that is what a
//! [`ProvingKey`] holds and what travels to a device: the kernel that turns them into Montgomery
//! form, in place, costs a device next to nothing, while on the host the kernels' own layout would
//! have to be turned back for [`Query::bytes`]. What takes the time when a key is read is the check
//! of every point. A cache holds checked points and says that its bytes are still those that
//! were written.
//!
//! All numbers are little-endian.
//!
//! ```text
//! head    magic, version, checks, source, counts, their CRC-32      head.rs
//! table   the CRC-32 of every piece, and of the table
//! body    the verifying key in bellman's format; the points of h, l, a, b_g1, b_g2
//! ```
//!
//! Each part of the body is cut into pieces of 1 MiB, the last one shorter; nothing stands between
//! the parts. So every byte of the file is under one CRC-32 or is one, and none is
//! padding. A CRC-32 notices every change within 32 adjacent bits, whatever the length, so every
//! single byte; other damage to a piece passes once in 2^32 times. It runs at several GB/s on
//! each thread (crc32fast), faster than memory that was not used before can be had.
//!
//! The file is read into memory rather than mapped. A mapped file that another process cuts short
//! ends this one with a signal, and one that is written to changes under the checksums; read, both
//! are errors. The cost is that of fresh memory: with the file in the page cache, mapping was
//! six times as fast on two cores of a virtual machine (6 GB/s and 1), and from a disk as fast.

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use rayon::prelude::*;

use super::{Checks, KeyFault, KeyPart, ProvingKey, Query, read};
use crate::repr::{G1_BYTES, G2_BYTES};
use crate::{Error, Result, parallel};

mod head;
mod replace;
#[cfg(test)]
mod tests;

use head::{Counts, HEAD_BYTES, Head};

/// Bytes that one checksum covers, and that one task reads: they stay in a core's own cache
/// between the two.
const PIECE_BYTES: usize = 1 << 20;

const CRC_BYTES: usize = 4;

/// What is wrong with a key's cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheFault {
    /// The file does not begin as a cache does.
    Magic {
        /// How a cache begins.
        expected: [u8; 8],
        /// How the file does.
        found: [u8; 8],
    },
    /// The cache is of another version of the format.
    Version {
        /// This build's version.
        expected: u32,
        /// The file's.
        found: u32,
    },
    /// The file is shorter or longer than what it should hold.
    Length {
        /// Bytes that it should have; those of its head, if it is shorter than that.
        expected: u64,
        /// Bytes that it has.
        found: u64,
    },
    /// Bytes of the file are not those that were written.
    Checksum {
        /// The first byte under the checksum.
        first: u64,
        /// The byte after the last.
        end: u64,
        /// The checksum that was written.
        expected: u32,
        /// That of the bytes.
        found: u32,
    },
    /// A number in the head can mean nothing, though the head's checksum is right.
    Field {
        /// The number's name.
        field: &'static str,
        /// The number.
        found: u64,
    },
    /// A part of the key is impossible, though its checksum is right.
    Part {
        /// The part.
        part: KeyPart,
        /// What is wrong with it.
        fault: KeyFault,
    },
}

impl fmt::Display for CacheFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Magic { expected, found } => write!(
                f,
                "it is no key cache: it begins with \"{}\", expected \"{}\"",
                found.escape_ascii(),
                expected.escape_ascii()
            ),
            Self::Version { expected, found } => {
                write!(f, "the format's version is {found}, expected {expected}")
            }
            Self::Length { expected, found } => {
                write!(f, "the file has {found} bytes, expected {expected}")
            }
            Self::Checksum { first, end, expected, found } => write!(
                f,
                "bytes {first} to {end} are damaged: their checksum is {found:08x}, expected \
                 {expected:08x}"
            ),
            Self::Field { field, found } => write!(f, "{field} cannot be {found}"),
            Self::Part { part, fault } => write!(f, "{part}: {fault}"),
        }
    }
}

/// Why there is no key; the path comes with the [`Error`].
#[derive(Debug)]
enum Failure {
    Cache(CacheFault),
    Io(io::Error),
    Other(Error),
}

impl From<CacheFault> for Failure {
    fn from(fault: CacheFault) -> Self {
        Self::Cache(fault)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Failure {
    fn at(self, path: &Path) -> Error {
        let path = path.to_owned();
        match self {
            Self::Cache(fault) => Error::BadCache { path, fault },
            Self::Io(source) => Error::File { what: "key cache", path, source },
            Self::Other(error) => error,
        }
    }
}

/// What a cache holds, ready to be written.
struct Contents<'a> {
    head: [u8; HEAD_BYTES],
    table: Vec<u8>,
    vk: Vec<u8>,
    queries: [&'a [u8]; 5],
}

impl<'a> Contents<'a> {
    fn new(key: &'a ProvingKey, checks: Checks) -> Result<Self> {
        let counts = Counts::of(key)?;
        let head = Head { checks, counts, trailing_bytes: key.trailing_bytes }.encode();
        let mut vk = Vec::new();
        key.vk.write(&mut vk)?;
        let queries = key.queries().map(|(_, query)| query.bytes());
        let mut table = Vec::new();
        for part in [vk.as_slice()].iter().chain(&queries) {
            let sums: Vec<u32> = part.par_chunks(PIECE_BYTES).map(crc32fast::hash).collect();
            sums.iter().for_each(|crc| table.extend(crc.to_le_bytes()));
        }
        table.extend(crc32fast::hash(&table).to_le_bytes());
        Ok(Self { head, table, vk, queries })
    }

    fn write(&self, writer: &mut impl Write) -> io::Result<()> {
        writer.write_all(&self.head)?;
        writer.write_all(&self.table)?;
        writer.write_all(&self.vk)?;
        self.queries.iter().try_for_each(|query| writer.write_all(query))
    }
}

/// Writes `key`, whose points have passed `checks`, to `path`: whole or not at all.
pub(super) fn write(key: &ProvingKey, path: &Path, checks: Checks) -> Result<()> {
    let contents = Contents::new(key, checks)?;
    replace::file(path, |file| contents.write(file)).map_err(|error| Failure::from(error).at(path))
}

pub(super) fn read(path: &Path) -> Result<ProvingKey> {
    let key = || -> Result<ProvingKey, Failure> { Cache::open(path)?.key() };
    key().map_err(|failure| failure.at(path))
}

/// An open cache whose head and table are right, and whose length is theirs.
struct Cache {
    file: File,
    head: Head,
    sums: Vec<u32>,
}

impl Cache {
    fn open(path: &Path) -> Result<Self, Failure> {
        let file = File::open(path)?;
        let found = file.metadata()?.len();
        if found < HEAD_BYTES as u64 {
            return Err(CacheFault::Length { expected: HEAD_BYTES as u64, found }.into());
        }
        let mut head = [0; HEAD_BYTES];
        file.read_exact_at(&mut head, 0)?;
        let head = Head::decode(&head)?;
        head.counts.check()?;
        let pieces: u64 = part_bytes(&head.counts).map(pieces).iter().sum();
        let table_bytes = pieces * CRC_BYTES as u64;
        let body: u64 = part_bytes(&head.counts).iter().sum();
        let expected = HEAD_BYTES as u64 + table_bytes + CRC_BYTES as u64 + body;
        if found != expected {
            return Err(CacheFault::Length { expected, found }.into());
        }
        let mut cache = Self { file, head, sums: Vec::new() };
        cache.sums = cache.table(table_bytes)?;
        Ok(cache)
    }

    /// The checksums of the pieces, in the body's order.
    fn table(&self, bytes: u64) -> Result<Vec<u32>, Failure> {
        let first = HEAD_BYTES as u64;
        let mut table = zeroed(bytes)?;
        self.fill(&mut table, first)?;
        let mut crc = [0; CRC_BYTES];
        self.fill(&mut crc, first + bytes)?;
        check_sum(&table, first, u32::from_le_bytes(crc))?;
        Ok(table.as_chunks().0.iter().map(|crc| u32::from_le_bytes(*crc)).collect())
    }

    /// The bytes from `first` on; where the file has become shorter since it was opened, it is
    /// said to be.
    fn fill(&self, bytes: &mut [u8], first: u64) -> Result<(), Failure> {
        match self.file.read_exact_at(bytes, first) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                let (expected, found) = (first + bytes.len() as u64, self.file.metadata()?.len());
                Err(CacheFault::Length { expected, found }.into())
            }
            outcome => Ok(outcome?),
        }
    }

    /// The parts of the body, every piece checked.
    fn parts(&self) -> Result<[Vec<u8>; 6], Failure> {
        let mut sums = self.sums.as_slice();
        let mut first = (HEAD_BYTES + self.sums.len() * CRC_BYTES + CRC_BYTES) as u64;
        let mut parts: [Vec<u8>; 6] = Default::default();
        for (part, bytes) in parts.iter_mut().zip(part_bytes(&self.head.counts)) {
            *part = zeroed(bytes)?;
            let failed = part.par_chunks_mut(PIECE_BYTES).zip(sums).enumerate().find_map_first(
                |(piece, (bytes, crc))| {
                    let first = first + (piece * PIECE_BYTES) as u64;
                    let read = self.fill(bytes, first);
                    read.and_then(|()| Ok(check_sum(bytes, first, *crc)?)).err()
                },
            );
            if let Some(failure) = failed {
                return Err(failure);
            }
            first += bytes;
            sums = sums.get(part.len().div_ceil(PIECE_BYTES)..).unwrap_or_default();
        }
        Ok(parts)
    }

    fn key(&self) -> Result<ProvingKey, Failure> {
        let Counts { ic, h, l, a, b_g1, b_g2 } = self.head.counts;
        let [vk, parts @ ..] = self.parts()?;
        // The checksums say that these points were checked; the curve costs little for so few.
        let mut source = read::Source::new(vk.as_slice());
        let vk = read::verifying_key(&mut source, Checks::SkipSubgroup).map_err(
            |error| match error {
                Error::BadKey { part, fault, .. } => CacheFault::Part { part, fault }.into(),
                other => Failure::Other(other),
            },
        )?;
        if vk.ic.len() != ic as usize {
            let (got, rule) = (vk.ic.len(), "the head's");
            let fault = KeyFault::Count { got, rule };
            return Err(CacheFault::Part { part: KeyPart::Ic, fault }.into());
        }
        let query = |bytes, count: u32| Query { bytes, count: count as usize };
        let [h_bytes, l_bytes, a_bytes, b_g1_bytes, b_g2_bytes] = parts;
        Ok(ProvingKey {
            vk,
            h: query(h_bytes, h),
            l: query(l_bytes, l),
            a: query(a_bytes, a),
            b_g1: query(b_g1_bytes, b_g1),
            b_g2: query(b_g2_bytes, b_g2),
            trailing_bytes: self.head.trailing_bytes,
        })
    }
}

/// Bytes of the verifying key without the inputs' points: three points in G1, three in G2, a count.
const VK_BYTES: u64 = 3 * G1_BYTES as u64 + 3 * G2_BYTES as u64 + 4;

/// Bytes of the body's parts.
fn part_bytes(counts: &Counts) -> [u64; 6] {
    let g1 = |count: u32| u64::from(count) * G1_BYTES as u64;
    [
        VK_BYTES + g1(counts.ic),
        g1(counts.h),
        g1(counts.l),
        g1(counts.a),
        g1(counts.b_g1),
        u64::from(counts.b_g2) * G2_BYTES as u64,
    ]
}

fn pieces(bytes: u64) -> u64 {
    bytes.div_ceil(PIECE_BYTES as u64)
}

/// Compares the checksum of the bytes from `first` on.
fn check_sum(bytes: &[u8], first: u64, expected: u32) -> Result<(), CacheFault> {
    let found = crc32fast::hash(bytes);
    let end = first + bytes.len() as u64;
    if found == expected {
        Ok(())
    } else {
        Err(CacheFault::Checksum { first, end, expected, found })
    }
}

/// This many zeros. All threads take part, for fresh memory comes slower than the file's bytes.
fn zeroed(bytes: u64) -> Result<Vec<u8>, Failure> {
    const PAGE_BYTES: usize = 4096;
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    let pages = rayon::iter::repeat_n([0; PAGE_BYTES], bytes.div_ceil(PAGE_BYTES));
    let mut memory =
        parallel::collect("key cache", pages).map_err(Failure::Other)?.into_flattened();
    memory.truncate(bytes);
    Ok(memory)
}
