//! Transforms: tables of domains and cosets, and the passes over an array.

use std::ffi::c_void;
use std::ptr;

use bls12_381::Scalar;

use super::aligned;
use crate::device::{Device, Family, Stream, View, ViewMut};
use crate::error::{Error, Result};

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

/// Enqueues the building of a domain's tables; `root` has order 2^(`log_size` + 1).
pub(crate) fn build_domain(
    stream: &Stream,
    domain: ViewMut<'_, Scalar>,
    log_size: u32,
    root: &Scalar,
) -> Result<()> {
    check_tables("domain tables", domain.len(), domain_len(stream.device(), log_size))?;
    let memory = domain.ptr_on(stream)?.cast();
    let root = ptr::from_ref(root).cast();
    // SAFETY: the tables have the length that the launcher asks for; `root` is read in the call.
    let status =
        unsafe { (stream.api().ntt.domain_build)(memory, log_size, root, stream.handle()?) };
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

/// Enqueues transforms of 2^`log_size` elements each, in place.
pub(crate) fn transform(
    stream: &Stream,
    data: ViewMut<'_, Scalar>,
    domain: View<'_, Scalar>,
    coset: Option<View<'_, Scalar>>,
    log_size: u32,
    kind: Kind,
) -> Result<()> {
    check_tables("domain tables", domain.len(), domain_len(stream.device(), log_size))?;
    if let Some(coset) = &coset {
        check_tables("coset tables", coset.len(), coset_len(stream.device(), log_size))?;
    }
    let batch = batch(data.len(), log_size)?;
    if batch == 0 {
        return Ok(());
    }
    let data = data.ptr_on(stream)?.cast();
    aligned("ntt", "data", data)?;
    let domain: *const c_void = domain.ptr_on(stream)?.cast();
    let coset = coset.map_or(Ok(ptr::null()), |coset| coset.ptr_on(stream))?.cast();
    let (inverse, reversed_input) = (u32::from(kind.inverse), u32::from(kind.reversed_input));
    // SAFETY: `data` holds `batch` arrays, the tables have the domain's lengths, and all lie in
    // device memory, which is freed only after the device has drained.
    let status = unsafe {
        let transform = stream.api().ntt.transform;
        transform(data, domain, coset, log_size, batch, inverse, reversed_input, stream.handle()?)
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
pub(super) fn check_tables(what: &'static str, got: usize, expected: Option<usize>) -> Result<()> {
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
