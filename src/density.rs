//! Which variables have a point in a query.
//!
//! A Groth16 query keeps points only for the variables that occur in its polynomials. The prover
//! works on lists of variables; a [`DensityMap`] turns a variable into the number of its point:
//! the rank of its bit.

use crate::device::{Device, DeviceBuffer, Stream, View};
use crate::{Error, Result, ffi};

const WORD_BITS: usize = u32::BITS as usize;

/// A bitmap over variables with the rank of each of its words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DensityMap {
    bitmap: Vec<u32>,
    rank: Vec<u32>,
    len: usize,
    count: usize,
}

impl DensityMap {
    /// The most variables that a map can cover.
    pub const MAX_LEN: usize = (u32::MAX - 1) as usize;

    /// A map over as many variables as `bits` yields; a variable whose bit is true has a point.
    ///
    /// # Errors
    ///
    /// [`Error::TooMany`] beyond [`Self::MAX_LEN`] variables.
    pub fn from_bits(bits: impl IntoIterator<Item = bool>) -> Result<Self> {
        let bits = bits.into_iter();
        check_len(bits.size_hint().0)?;
        let mut words = Vec::with_capacity(bits.size_hint().0.div_ceil(WORD_BITS));
        let mut len = 0usize;
        for bit in bits {
            if len.is_multiple_of(WORD_BITS) {
                words.push(0);
            }
            if let (true, Some(word)) = (bit, words.last_mut()) {
                *word |= 1 << (len % WORD_BITS);
            }
            len += 1;
        }
        Self::from_words(words, len)
    }

    /// A map over `len` variables out of its words: variable v is bit v % 32 of word v / 32. Bits
    /// beyond `len` are cleared.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if the words are not as many as `len` needs, [`Error::TooMany`] beyond
    /// [`Self::MAX_LEN`] variables.
    pub fn from_words(mut bitmap: Vec<u32>, len: usize) -> Result<Self> {
        check_len(len)?;
        let expected = len.div_ceil(WORD_BITS);
        if bitmap.len() != expected {
            let (operation, what) = ("density map", "bitmap");
            return Err(Error::Length { operation, what, got: bitmap.len(), expected });
        }
        if let (Some(last), true) = (bitmap.last_mut(), !len.is_multiple_of(WORD_BITS)) {
            *last &= (1 << (len % WORD_BITS)) - 1;
        }
        let mut count = 0;
        let rank = bitmap
            .iter()
            .map(|word| {
                let before = count;
                count += word.count_ones();
                before
            })
            .collect();
        Ok(Self { bitmap, rank, len, count: count as usize })
    }

    /// A map of `len` variables that all have a point.
    ///
    /// # Errors
    ///
    /// [`Error::TooMany`] beyond [`Self::MAX_LEN`] variables.
    pub fn full(len: usize) -> Result<Self> {
        check_len(len)?;
        Self::from_words(vec![u32::MAX; len.div_ceil(WORD_BITS)], len)
    }

    /// A map of `len` variables without points.
    ///
    /// # Errors
    ///
    /// [`Error::TooMany`] beyond [`Self::MAX_LEN`] variables.
    pub fn empty(len: usize) -> Result<Self> {
        check_len(len)?;
        Self::from_words(vec![0; len.div_ceil(WORD_BITS)], len)
    }

    /// The variables of the first map, then those of the second.
    ///
    /// # Errors
    ///
    /// [`Error::TooMany`] beyond [`Self::MAX_LEN`] variables.
    pub fn concat(first: &Self, second: &Self) -> Result<Self> {
        let len = first.len.saturating_add(second.len);
        check_len(len)?;
        let mut words = first.bitmap.clone();
        words.resize(len.div_ceil(WORD_BITS), 0);
        let (word, shift) = (first.len / WORD_BITS, first.len % WORD_BITS);
        for (i, &bits) in second.bitmap.iter().enumerate() {
            words[word + i] |= bits << shift;
            if shift > 0
                && let Some(next) = words.get_mut(word + i + 1)
            {
                *next |= bits >> (WORD_BITS - shift);
            }
        }
        Self::from_words(words, len)
    }

    /// How many variables the map covers.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the map covers no variables.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many variables have a point.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The words: variable v is bit v % 32 of word v / 32.
    pub fn bitmap(&self) -> &[u32] {
        &self.bitmap
    }

    /// For each word, the points of the variables before it.
    pub fn rank(&self) -> &[u32] {
        &self.rank
    }

    /// The number of the variable's point, if it has one.
    pub fn position(&self, variable: usize) -> Option<usize> {
        let (word, bit) = (variable / WORD_BITS, variable % WORD_BITS);
        let bits = *self.bitmap.get(word)?;
        let before = bits & ((1 << bit) - 1);
        (bits >> bit & 1 == 1).then(|| self.rank[word] as usize + before.count_ones() as usize)
    }
}

fn check_len(got: usize) -> Result<()> {
    let limit = DensityMap::MAX_LEN;
    if got > limit { Err(Error::TooMany { what: "density", got, limit }) } else { Ok(()) }
}

/// A [`DensityMap`] on a device.
#[derive(Debug)]
pub struct DeviceDensity {
    bitmap: DeviceBuffer<u32>,
    rank: DeviceBuffer<u32>,
    len: usize,
    count: usize,
}

impl DeviceDensity {
    /// Copies a map to the device and waits for it.
    ///
    /// # Errors
    ///
    /// [`Error::InsufficientVram`], [`Error::Device`].
    pub fn upload(stream: &Stream, map: &DensityMap) -> Result<Self> {
        let device: &Device = stream.device();
        let mut bitmap = device.alloc(map.bitmap.len())?;
        let mut rank = device.alloc(map.rank.len())?;
        stream.upload(&map.bitmap, bitmap.view_mut())?;
        stream.upload(&map.rank, rank.view_mut())?;
        Ok(Self { bitmap, rank, len: map.len, count: map.count })
    }

    /// How many variables have a point.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The map for kernels.
    pub fn map(&self) -> IndexMap<'_> {
        let words = Some((self.bitmap.view(), self.rank.view()));
        IndexMap { words, variables: self.len, first: 0 }
    }
}

/// From variables to a query's points, as kernels take it. A variable without a point, and one
/// whose point lies outside of the points given to the kernel, is skipped.
#[derive(Clone, Copy, Debug)]
pub struct IndexMap<'a> {
    words: Option<(View<'a, u32>, View<'a, u32>)>,
    variables: usize,
    first: usize,
}

impl<'a> IndexMap<'a> {
    /// Variable v has point v.
    pub fn identity(variables: usize) -> Self {
        Self { words: None, variables, first: 0 }
    }

    /// The map with these words, laid out as [`DensityMap::bitmap`] and [`DensityMap::rank`].
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if the words are not as many as `variables` need.
    pub fn ranked(bitmap: View<'a, u32>, rank: View<'a, u32>, variables: usize) -> Result<Self> {
        let expected = variables.div_ceil(WORD_BITS);
        for (what, got) in [("bitmap", bitmap.len()), ("rank", rank.len())] {
            if got != expected {
                return Err(Error::Length { operation: "index map", what, got, expected });
            }
        }
        Ok(Self { words: Some((bitmap, rank)), variables, first: 0 })
    }

    /// The same map for a chunk of the query that starts with its point number `first`.
    pub fn from_point(self, first: usize) -> Self {
        Self { first, ..self }
    }

    /// The map for a launch on `stream` over a chunk of `points` points.
    pub(crate) fn raw_on(&self, stream: &Stream, points: usize) -> Result<ffi::IndexMap> {
        let narrow = |what, got: usize| {
            let limit = DensityMap::MAX_LEN;
            u32::try_from(got).map_err(|_| Error::TooMany { what, got, limit })
        };
        let (bitmap, rank) = match &self.words {
            Some((bitmap, rank)) => (bitmap.ptr_on(stream)?, rank.ptr_on(stream)?),
            None => (std::ptr::null(), std::ptr::null()),
        };
        Ok(ffi::IndexMap {
            bitmap,
            rank,
            variables: narrow("variables", self.variables)?,
            first: narrow("first point", self.first)?,
            points: narrow("points", points)?,
            reserved: 0,
        })
    }
}
