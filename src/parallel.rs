//! Vectors that many threads fill, and memory that may not be there.

use rayon::prelude::*;

use crate::{Error, Result};

/// An empty vector with room for `len` elements. Memory that the machine does not have is an
/// error, not an abort.
///
/// # Errors
///
/// [`Error::OutOfMemory`] names `what`.
pub(crate) fn with_room<T>(what: &'static str, len: usize) -> Result<Vec<T>> {
    let mut vector = Vec::new();
    let bytes = len.saturating_mul(size_of::<T>());
    vector.try_reserve_exact(len).map_err(|_| Error::OutOfMemory { what, bytes })?;
    Ok(vector)
}

/// Collects in order.
///
/// # Errors
///
/// As [`with_room`].
pub(crate) fn collect<T: Send>(
    what: &'static str,
    elements: impl IndexedParallelIterator<Item = T>,
) -> Result<Vec<T>> {
    let mut vector = with_room(what, elements.len())?;
    vector.par_extend(elements);
    Ok(vector)
}
