//! Transforms: tables of domains and cosets, and the passes over an array.

use std::ptr;

use bls12_381::Scalar;

use super::aligned;
use crate::device::{Device, Family, Stream, View, ViewMut};
use crate::error::{Error, Result};
use crate::ffi;
use crate::repr::scalars_as_repr;

/// Scalars that the tables of a domain of 2^`log_size` points take; `None` where there is none.
pub(crate) fn domain_len(device: &Device, log_size: u32) -> Option<usize> {
    // SAFETY: a pure function of a number.
    let len = unsafe { (device.api().ntt.domain_len)(log_size) };
    (len > 0).then_some(len)
}

/// Scalars that the tables of a coset of that domain take; `None` where there is no such domain.
pub(crate) fn coset_len(device: &Device, log_size: u32) -> Option<usize> {
    // SAFETY: a pure function of a number.
    let len = unsafe { (device.api().ntt.coset_len)(log_size) };
    (len > 0).then_some(len)
}

/// A domain of 2^`log_size` points as the launchers take it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Domain<'a> {
    /// Its tables, from [`build_domain`].
    pub tables: View<'a, Scalar>,
    /// A root of order 2^(`log_size` + 1), whose square generates the domain.
    pub root: Scalar,
    /// The logarithm of its size.
    pub log_size: u32,
}

impl Domain<'_> {
    /// For a launch on `stream`; the tables' length is checked.
    pub(super) fn raw_on(&self, stream: &Stream) -> Result<ffi::Domain> {
        let expected = domain_len(stream.device(), self.log_size);
        check_tables("domain tables", self.tables.len(), expected)?;
        let tables = self.tables.ptr_on(stream)?.cast_mut().cast();
        let mut root = [0; 8];
        for (i, limb) in scalars_as_repr(&[self.root])[0].0.into_iter().enumerate() {
            root[2 * i] = limb as u32;
            root[2 * i + 1] = (limb >> 32) as u32;
        }
        Ok(ffi::Domain { tables, log_size: self.log_size, root, reserved: 0 })
    }
}

/// Enqueues the building of a domain's tables, which overwrites them.
pub(crate) fn build_domain(
    stream: &Stream,
    tables: ViewMut<'_, Scalar>,
    log_size: u32,
    root: Scalar,
) -> Result<()> {
    let domain = Domain { tables: tables.as_view(), root, log_size }.raw_on(stream)?;
    // SAFETY: the tables have the length that the launcher asks for and lie in device memory that
    // the caller may write; `domain` is read in the call.
    let status = unsafe { (stream.api().ntt.domain_build)(&raw const domain, stream.handle()?) };
    stream.launched(Family::Ntt, "ntt: domain tables", status)
}

/// Enqueues the building of a coset's tables.
pub(crate) fn build_coset(
    stream: &Stream,
    coset: ViewMut<'_, Scalar>,
    log_size: u32,
    shift: &Scalar,
    inverse_shift: &Scalar,
) -> Result<()> {
    check_tables("coset tables", coset.len(), coset_len(stream.device(), log_size))?;
    let memory = coset.ptr_on(stream)?.cast();
    let (shift, inverse_shift) = (ptr::from_ref(shift).cast(), ptr::from_ref(inverse_shift).cast());
    // SAFETY: the tables have the length that the launcher asks for; both numbers are read in the
    // call.
    let status = unsafe {
        let build = stream.api().ntt.coset_build;
        build(memory, log_size, shift, inverse_shift, stream.handle()?)
    };
    stream.launched(Family::Ntt, "ntt: coset tables", status)
}

/// What a transform does beside its domain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    /// From evaluations to coefficients.
    pub inverse: bool,
    /// From bit-reversed to natural order, else from natural to bit-reversed order.
    pub reversed_input: bool,
}

/// Enqueues transforms of the arrays in `data`, in place.
pub(crate) fn transform(
    stream: &Stream,
    data: ViewMut<'_, Scalar>,
    domain: Domain<'_>,
    coset: Option<View<'_, Scalar>>,
    kind: Kind,
) -> Result<()> {
    let log_size = domain.log_size;
    let domain = domain.raw_on(stream)?;
    if let Some(coset) = &coset {
        check_tables("coset tables", coset.len(), coset_len(stream.device(), log_size))?;
    }
    let batch = batch(data.len(), log_size)?;
    if batch == 0 {
        return Ok(());
    }
    let data = data.ptr_on(stream)?.cast();
    aligned("ntt", "data", data)?;
    let coset = coset.map_or(Ok(ptr::null()), |coset| coset.ptr_on(stream))?.cast();
    let (inverse, reversed_input) = (u32::from(kind.inverse), u32::from(kind.reversed_input));
    // SAFETY: `data` holds `batch` arrays, the tables have the domain's lengths, and all lie in
    // device memory, which is freed only after the device has drained.
    let status = unsafe {
        let (transform, domain) = (stream.api().ntt.transform, &raw const domain);
        transform(data, domain, coset, batch, inverse, reversed_input, stream.handle()?)
    };
    stream.launched(Family::Ntt, "ntt", status)
}

/// Enqueues the change between natural and bit-reversed order of arrays of 2^`log_size` elements.
pub(crate) fn bit_reverse(stream: &Stream, data: ViewMut<'_, Scalar>, log_size: u32) -> Result<()> {
    let batch = batch(data.len(), log_size)?;
    if batch == 0 {
        return Ok(());
    }
    let data = data.ptr_on(stream)?.cast();
    aligned("ntt", "data", data)?;
    // SAFETY: `data` holds `batch` arrays in device memory, which is freed only after the device
    // has drained.
    let status = unsafe { (stream.api().ntt.bit_reverse)(data, log_size, batch, stream.handle()?) };
    stream.launched(Family::Ntt, "ntt: bit reversal", status)
}

/// Checks the length of tables against what the launcher asks for.
fn check_tables(what: &'static str, got: usize, expected: Option<usize>) -> Result<()> {
    let expected = expected.unwrap_or(0);
    if got == expected && expected > 0 {
        return Ok(());
    }
    Err(Error::Length { operation: "ntt", what, got, expected })
}

/// How many arrays of 2^`log_size` elements `len` elements are.
fn batch(len: usize, log_size: u32) -> Result<u32> {
    if u32::try_from(len).is_err() {
        return Err(Error::TooMany { what: "ntt batch", got: len, limit: u32::MAX as usize });
    }
    let size = 1 << log_size;
    if !len.is_multiple_of(size) {
        let expected = len.next_multiple_of(size);
        return Err(Error::Length { operation: "ntt", what: "data", got: len, expected });
    }
    Ok((len / size) as u32)
}
