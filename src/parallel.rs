//! Vectors that many threads fill.

use rayon::prelude::*;

use crate::{Error, Result};

/// Collects in order. Memory that the machine does not have is an error, not an abort.
///
/// # Errors
///
/// [`Error::TooMany`] names `what`.
pub(crate) fn collect<T: Send>(
    what: &'static str,
    elements: impl IndexedParallelIterator<Item = T>,
) -> Result<Vec<T>> {
    let mut vector = Vec::new();
    let got = elements.len();
    let limit = isize::MAX as usize / size_of::<T>().max(1);
    vector.try_reserve_exact(got).map_err(|_| Error::TooMany { what, got, limit })?;
    vector.par_extend(elements);
    Ok(vector)
}
