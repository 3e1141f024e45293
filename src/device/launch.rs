//! The kernels' launchers as safe functions over views: lengths and workspace are checked, then one
//! function pointer of the target's table is called. One module for each family.

mod tables;

pub(crate) mod batch_add;
pub(crate) mod fixed_base;
pub(crate) mod msm;
pub(crate) mod ntt;
pub(crate) mod points;
pub(crate) mod probe;
pub(crate) mod quotient;
pub(crate) mod witness;

pub use tables::Tables;

use std::ffi::CStr;

use super::Device;
use crate::error::{Error, Result};
use crate::ffi::Status;

/// Touches every kernel of the device, so that nothing is loaded while proofs run.
pub(super) fn load(device: &Device) -> Result<()> {
    device.ok("load", device.backend().make_current())?;
    // SAFETY: the function takes nothing; the table's size was checked before.
    let status = unsafe { (device.api().load)() };
    check(device, "load", status)
}

/// Turns a launcher's status into a result.
pub(super) fn check(device: &Device, operation: &'static str, status: Status) -> Result<()> {
    if status == 0 {
        return Ok(());
    }
    // SAFETY: the function answers every status with a NUL-terminated text that lives for ever.
    let text = unsafe { CStr::from_ptr((device.api().status_text)(status)) };
    let text = text.to_string_lossy().into_owned();
    Err(Error::Device { operation, device: device.name().to_owned(), code: status, text })
}

/// The alignment that the kernels' vector loads need, in bytes.
const ALIGN: usize = 16;

/// Refuses an address that the kernels cannot load vectors from.
fn aligned<T>(operation: &'static str, what: &'static str, pointer: *const T) -> Result<()> {
    match pointer as usize % ALIGN {
        0 => Ok(()),
        offset => Err(Error::Alignment { operation, what, offset }),
    }
}

/// Refuses a length other than `expected`.
fn exactly(operation: &'static str, what: &'static str, got: usize, expected: usize) -> Result<()> {
    if got == expected { Ok(()) } else { Err(Error::Length { operation, what, got, expected }) }
}

/// Refuses a length below `expected`.
fn at_least(
    operation: &'static str,
    what: &'static str,
    got: usize,
    expected: usize,
) -> Result<()> {
    if got >= expected { Ok(()) } else { Err(Error::Length { operation, what, got, expected }) }
}

/// The most elements that one launch numbers: a thread's index may run past the end by a grid.
const MAX_COUNT: usize = 1 << 31;

/// A number of elements for the kernels' 32-bit indices.
fn index_count(what: &'static str, got: usize) -> Result<u32> {
    match u32::try_from(got) {
        Ok(count) if got <= MAX_COUNT => Ok(count),
        _ => Err(Error::TooMany { what, got, limit: MAX_COUNT }),
    }
}
