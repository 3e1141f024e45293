//! The kernels' launchers as safe functions over views: lengths and workspace are checked, then one
//! function pointer of the target's table is called. One module for each family.

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
