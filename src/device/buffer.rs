//! Device memory: owned buffers and typed views.

use std::marker::PhantomData;
use std::ops::Range;

use super::{Device, Stream};
use crate::error::{Error, Result};
use crate::repr::Plain;

/// Owned device memory for `len` elements of `T`. Dropping it drains the device first.
#[derive(Debug)]
pub struct DeviceBuffer<T> {
    device: Device,
    ptr: *mut u8,
    len: usize,
    marker: PhantomData<T>,
}

// SAFETY: the pointer names device memory, which no thread reaches except through enqueued work.
unsafe impl<T: Plain> Send for DeviceBuffer<T> {}
// SAFETY: as above; a shared buffer only hands out views.
unsafe impl<T: Plain> Sync for DeviceBuffer<T> {}

impl<T: Plain> DeviceBuffer<T> {
    pub(super) fn new(device: &Device, len: usize) -> Result<Self> {
        let bytes = len.checked_mul(size_of::<T>()).filter(|&b| b <= isize::MAX as usize);
        let Some(bytes) = bytes else {
            let needed = u64::try_from(len as u128 * size_of::<T>() as u128).unwrap_or(u64::MAX);
            return Err(Error::InsufficientVram { needed, available: device.memory()?.1 });
        };
        let ptr = match device.backend().alloc(bytes.max(1)) {
            Err(fault) if fault.out_of_memory => {
                let available = device.memory()?.0;
                return Err(Error::InsufficientVram { needed: bytes as u64, available });
            }
            other => device.ok("alloc", other)?,
        };
        Ok(Self { device: device.clone(), ptr, len, marker: PhantomData })
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the buffer holds no element.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device that the memory belongs to.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The whole buffer, to be read by kernels.
    pub fn view(&self) -> View<'_, T> {
        View { ptr: self.ptr, len: self.len, device: self.device.id(), marker: PhantomData }
    }

    /// The whole buffer, to be written by kernels.
    pub fn view_mut(&mut self) -> ViewMut<'_, T> {
        self.shared_view_mut()
    }

    /// As `view_mut`, for owners that hand out disjoint parts by their own bookkeeping (the arena).
    ///
    /// Exclusiveness of a `ViewMut` guards against mistakes; memory safety does not rest on it,
    /// because the CPU never follows the pointer.
    pub(crate) fn shared_view_mut(&self) -> ViewMut<'_, T> {
        ViewMut { ptr: self.ptr, len: self.len, device: self.device.id(), marker: PhantomData }
    }
}

impl<T> Drop for DeviceBuffer<T> {
    fn drop(&mut self) {
        // SAFETY: the pointer came from `alloc`; `free` drains the device, and no view outlives us.
        let freed = unsafe { self.device.backend().free(self.ptr) };
        if let Err(error) = self.device.ok("free", freed) {
            tracing::error!(%error, "device memory was not freed");
        }
    }
}

/// Part of a device buffer, to be read by enqueued work.
#[derive(Debug)]
pub struct View<'a, T> {
    ptr: *const u8,
    len: usize,
    device: usize,
    marker: PhantomData<&'a [T]>,
}

impl<T> Clone for View<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for View<'_, T> {}

/// Part of a device buffer, to be written by enqueued work.
#[derive(Debug)]
pub struct ViewMut<'a, T> {
    ptr: *mut u8,
    len: usize,
    device: usize,
    marker: PhantomData<&'a mut [T]>,
}

fn check_range(what: &'static str, len: usize, range: &Range<usize>) -> Result<()> {
    if range.start <= range.end && range.end <= len {
        return Ok(());
    }
    Err(Error::Length { operation: "view", what, got: range.end, expected: len })
}

fn check_device(view: usize, stream: &Stream) -> Result<()> {
    if view == stream.device().id() {
        return Ok(());
    }
    Err(Error::Device {
        operation: "launch",
        device: stream.device().name().to_owned(),
        code: 0,
        text: "a view of one device's memory was used on another device's stream".into(),
    })
}

impl<'a, T: Plain> View<'a, T> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the view holds no element.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Elements `range` of this view.
    ///
    /// # Errors
    /// [`Error::Length`] when the range does not lie inside.
    pub fn slice(&self, range: Range<usize>) -> Result<View<'a, T>> {
        check_range("range", self.len, &range)?;
        // SAFETY: the offset stays inside the allocation, as just checked.
        let ptr = unsafe { self.ptr.add(range.start * size_of::<T>()) };
        Ok(View { ptr, len: range.len(), device: self.device, marker: PhantomData })
    }

    /// The same bytes as elements of another type; a remainder at the end is left out.
    ///
    /// # Errors
    /// [`Error::Length`] when the start is not aligned for `U`.
    pub fn cast<U: Plain>(self) -> Result<View<'a, U>> {
        let misaligned = self.ptr as usize % align_of::<U>();
        if misaligned != 0 {
            let what = "alignment";
            return Err(Error::Length { operation: "view", what, got: misaligned, expected: 0 });
        }
        let bytes = self.len * size_of::<T>();
        let Some(len) = bytes.checked_div(size_of::<U>()) else {
            let (operation, what) = ("view", "element size");
            return Err(Error::Length { operation, what, got: 0, expected: 1 });
        };
        Ok(View { ptr: self.ptr, len, device: self.device, marker: PhantomData })
    }

    /// The address for a launch on `stream`; refused when the stream is another device's.
    pub(crate) fn ptr_on(&self, stream: &Stream) -> Result<*const T> {
        check_device(self.device, stream)?;
        Ok(self.ptr.cast())
    }
}

impl<'a, T: Plain> ViewMut<'a, T> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the view holds no element.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The same elements, to be read.
    pub fn as_view(&self) -> View<'_, T> {
        View { ptr: self.ptr, len: self.len, device: self.device, marker: PhantomData }
    }

    /// The same elements for as long as the view lasts, to be read.
    pub fn into_view(self) -> View<'a, T> {
        View { ptr: self.ptr, len: self.len, device: self.device, marker: PhantomData }
    }

    /// The same elements, for a shorter time.
    pub fn reborrow(&mut self) -> ViewMut<'_, T> {
        ViewMut { ptr: self.ptr, len: self.len, device: self.device, marker: PhantomData }
    }

    /// Elements `range` of this view.
    ///
    /// # Errors
    /// [`Error::Length`] when the range does not lie inside.
    pub fn slice(self, range: Range<usize>) -> Result<ViewMut<'a, T>> {
        check_range("range", self.len, &range)?;
        // SAFETY: the offset stays inside the allocation, as just checked.
        let ptr = unsafe { self.ptr.add(range.start * size_of::<T>()) };
        Ok(ViewMut { ptr, len: range.len(), device: self.device, marker: PhantomData })
    }

    /// The elements before and from `middle`.
    ///
    /// # Errors
    /// [`Error::Length`] when `middle` lies outside.
    pub fn split_at(mut self, middle: usize) -> Result<(ViewMut<'a, T>, ViewMut<'a, T>)> {
        let len = self.len;
        let twin = ViewMut { ptr: self.ptr, len, device: self.device, marker: PhantomData };
        self = self.slice(0..middle.min(len))?;
        let tail = twin.slice(middle..len.max(middle))?;
        Ok((self, tail))
    }

    /// The same bytes as elements of another type; a remainder at the end is left out.
    ///
    /// # Errors
    /// [`Error::Length`] when the start is not aligned for `U`.
    pub fn cast<U: Plain>(self) -> Result<ViewMut<'a, U>> {
        let misaligned = self.ptr as usize % align_of::<U>();
        if misaligned != 0 {
            let what = "alignment";
            return Err(Error::Length { operation: "view", what, got: misaligned, expected: 0 });
        }
        let bytes = self.len * size_of::<T>();
        let Some(len) = bytes.checked_div(size_of::<U>()) else {
            let (operation, what) = ("view", "element size");
            return Err(Error::Length { operation, what, got: 0, expected: 1 });
        };
        Ok(ViewMut { ptr: self.ptr, len, device: self.device, marker: PhantomData })
    }

    /// The address for a launch on `stream`; refused when the stream is another device's.
    pub(crate) fn ptr_on(&self, stream: &Stream) -> Result<*mut T> {
        check_device(self.device, stream)?;
        Ok(self.ptr.cast())
    }
}
