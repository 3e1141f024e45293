//! Fixed-base multiplication: many multiples of one point.
//!
//! A table of the point's multiples, made once, leaves one addition for each window of a scalar: 17
//! in G1 where millions of multiples are asked for, more and shorter windows where few are.

use crate::device::launch::fixed_base as launch;
use crate::device::{Device, DeviceBuffer, Stream, View, ViewMut};
use crate::points::{self, Checks};
use crate::repr::{CurveGroup, FrRepr};
use crate::{Error, Result};

/// Multiples of one point, from a table in device memory.
#[derive(Debug)]
pub struct FixedBase<G: CurveGroup> {
    windows: u32,
    table: DeviceBuffer<G::Affine>,
}

impl<G: CurveGroup> FixedBase<G> {
    /// Builds the table on `stream`'s device and waits for it. `multiples` is how many points will
    /// be asked for in all; it chooses the windows, and any number may be asked for later. All
    /// multiples of infinity are infinity.
    ///
    /// While it is built, the table takes three times its bytes.
    ///
    /// # Errors
    ///
    /// [`Error::Point`] if `base` is not on the curve or not in the subgroup of order r,
    /// [`Error::InsufficientVram`], [`Error::Device`].
    pub fn new(stream: &Stream, base: &G::AffinePoint, multiples: usize) -> Result<Self> {
        const CHECKS: Checks = Checks { curve: true, refuse_infinity: false, subgroup: true };
        let device = stream.device();
        let windows = launch::windows::<G>(device, multiples);
        let bases = doublings::<G>(base, &launch::window_starts::<G>(device, windows));
        let bases = points::upload::<G>(stream, &G::to_bytes(&bases), CHECKS)?;
        let entries = launch::entries::<G>(device, windows);
        let mut table = device.alloc(entries)?;
        let mut work = device.alloc(launch::workspace::<G>(device, entries)?)?;
        launch::build::<G>(stream, bases.view(), table.view_mut(), work.view_mut())?;
        stream.synchronize()?;
        Ok(Self { windows, table })
    }

    /// Bytes of workspace that [`FixedBase::multiply`] needs for `n` scalars.
    ///
    /// # Errors
    ///
    /// [`Error::TooMany`].
    pub fn workspace(device: &Device, n: usize) -> Result<usize> {
        launch::workspace::<G>(device, n)
    }

    /// Bytes of device memory that the table for this many multiples takes.
    ///
    /// # Errors
    ///
    /// [`Error::TooMany`].
    pub fn table_bytes(device: &Device, multiples: usize) -> Result<usize> {
        let entries = launch::entries::<G>(device, launch::windows::<G>(device, multiples));
        let (what, limit) = ("fixed-base table", usize::MAX / size_of::<G::Affine>());
        let too_many = Error::TooMany { what, got: entries, limit };
        entries.checked_mul(size_of::<G::Affine>()).ok_or(too_many)
    }

    /// Enqueues `out[i] = scalars[i] · base`, affine in the kernels' layout; infinity where the
    /// scalar is zero. Scalars are in Montgomery form, below r.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] for other than one place in `out` for each scalar or too little workspace;
    /// [`Error::TooMany`], [`Error::Alignment`], [`Error::Device`].
    pub fn multiply(
        &self,
        stream: &Stream,
        scalars: View<'_, FrRepr>,
        out: ViewMut<'_, G::Affine>,
        workspace: ViewMut<'_, u8>,
    ) -> Result<()> {
        launch::multiply::<G>(stream, scalars, self.windows, self.table.view(), out, workspace)
    }
}

/// 2^start · base for ascending starts.
fn doublings<G: CurveGroup>(base: &G::AffinePoint, starts: &[u32]) -> Vec<G::AffinePoint> {
    let (mut multiple, mut at) = (*base, 0);
    let next = |&start: &u32| {
        multiple = G::doubled(&multiple, start - at);
        at = start;
        multiple
    };
    starts.iter().map(next).collect()
}

#[cfg(test)]
mod tests;
