//! Page-locked host memory.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use super::Device;
use crate::error::{Error, Result};
use crate::repr::Plain;

/// Page-locked host memory for `len` elements of `T`, zeroed: copies from it run at the bus's speed
/// and beside the CPU. Allocation and release belong to start-up and shutdown.
#[derive(Debug)]
pub struct PinnedBuffer<T> {
    device: Device,
    ptr: *mut T,
    len: usize,
    marker: PhantomData<T>,
}

// SAFETY: the buffer owns its memory, as a `Vec` does.
unsafe impl<T: Plain> Send for PinnedBuffer<T> {}
// SAFETY: as above.
unsafe impl<T: Plain> Sync for PinnedBuffer<T> {}

impl<T: Plain> PinnedBuffer<T> {
    /// Takes page-locked memory.
    ///
    /// # Errors
    /// [`Error::Device`] when the system has no more of it.
    pub fn new(device: &Device, len: usize) -> Result<Self> {
        let bytes = len.checked_mul(size_of::<T>()).filter(|&b| b <= isize::MAX as usize);
        let Some(bytes) = bytes else {
            let (operation, what) = ("alloc pinned", "length");
            let expected = isize::MAX as usize / size_of::<T>().max(1);
            return Err(Error::Length { operation, what, got: len, expected });
        };
        let ptr = device.ok("alloc pinned", device.backend().alloc_pinned(bytes.max(1)))?;
        Ok(Self { device: device.clone(), ptr: ptr.cast(), len, marker: PhantomData })
    }
}

impl<T> Deref for PinnedBuffer<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        // SAFETY: `alloc_pinned` gave zeroed, aligned memory for `len` elements, and every bit
        // pattern is a `Plain` value.
        unsafe { std::slice::from_raw_parts(self.ptr, self.len) }
    }
}

impl<T> DerefMut for PinnedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`; the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.ptr, self.len) }
    }
}

impl<T> Drop for PinnedBuffer<T> {
    fn drop(&mut self) {
        let bytes = (self.len * size_of::<T>()).max(1);
        // SAFETY: the pointer came from `alloc_pinned` with these bytes; copies from it have run,
        // for they borrowed it.
        let freed = unsafe { self.device.backend().free_pinned(self.ptr.cast(), bytes) };
        if let Err(error) = self.device.ok("free pinned", freed) {
            tracing::error!(%error, "page-locked memory was not freed");
        }
    }
}
