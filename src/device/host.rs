//! The host target: the kernels on this machine's threads, with memory, streams and events that
//! mean what CUDA's mean.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;

use super::backend::{Backend, Fault, RawEvent};
use crate::ffi::{self, RawStream, Status};

/// How the host target behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostConfig {
    /// The order of a block's threads and of streams' commands. 0: threads ascending, commands as
    /// late as possible; 1: threads descending, commands at once; 2: threads in random orders,
    /// commands late, and what somebody waits for after all else that can run, which shows a
    /// missing wait for a copy that is waited for later; others: random orders.
    pub seed: u64,
    /// Threads of this machine that run blocks, 1 to 4096.
    pub threads: usize,
    /// Bytes that device allocations may take together.
    pub memory_bytes: u64,
    /// Bytes of stack of one kernel thread, at least 16 KiB.
    pub stack_bytes: usize,
    /// Whether a doubtful use of a warp operation is an error, where a GPU would go on.
    pub strict: bool,
}

impl Default for HostConfig {
    /// Seed 0, all cores, 8 GiB of memory, stacks of 256 KiB, strict.
    fn default() -> Self {
        Self {
            seed: 0,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            memory_bytes: 8 << 30,
            stack_bytes: 256 << 10,
            strict: true,
        }
    }
}

/// An open host device.
#[derive(Debug)]
pub struct HostDevice {
    raw: *mut c_void,
}

// SAFETY: the runtime's functions may be called from any thread.
unsafe impl Send for HostDevice {}
// SAFETY: as above.
unsafe impl Sync for HostDevice {}

impl HostDevice {
    pub(super) fn open(config: HostConfig) -> Result<Self, Fault> {
        let raw_config = ffi::HostConfig {
            seed: config.seed,
            memory_bytes: config.memory_bytes,
            threads: u32::try_from(config.threads).unwrap_or(u32::MAX),
            stack_bytes: u32::try_from(config.stack_bytes).unwrap_or(u32::MAX),
            strict: u32::from(config.strict),
            reserved: 0,
        };
        let mut raw = null_mut();
        // SAFETY: both pointers are valid for the call.
        let status = unsafe { ffi::g16_host_open(&raw const raw_config, &raw mut raw) };
        if status != 0 {
            return Err(fault(status, String::new()));
        }
        Ok(Self { raw })
    }

    fn check(&self, status: Status) -> Result<(), Fault> {
        if status == 0 {
            return Ok(());
        }
        if status != ffi::HOST_OUT_OF_MEMORY && !is_lost(status) {
            return Err(fault(status, String::new()));
        }
        let mut text = [0_u8; 4096];
        // SAFETY: the buffer has the capacity that is passed.
        let told = unsafe {
            ffi::g16_host_error_detail(self.raw, text.as_mut_ptr().cast::<c_char>(), text.len())
        };
        let detail = match CStr::from_bytes_until_nul(&text) {
            Ok(detail) if told == 0 => detail.to_string_lossy().into_owned(),
            _ => String::new(),
        };
        Err(fault(status, detail))
    }
}

/// After a kernel's fault, as after one of a GPU's, nothing runs on the device any more.
fn is_lost(status: Status) -> bool {
    status >= ffi::HOST_KERNEL_DEADLOCK
}

fn fault(code: Status, detail: String) -> Fault {
    // SAFETY: the table lives for ever, and its function answers every status with a static text.
    let text = unsafe { CStr::from_ptr(((*ffi::g16_api_host()).status_text)(code)) };
    let mut text = text.to_string_lossy().into_owned();
    if !detail.is_empty() {
        text = format!("{text}: {detail}");
    }
    Fault { code, text, lost: is_lost(code), out_of_memory: code == ffi::HOST_OUT_OF_MEMORY }
}

impl Drop for HostDevice {
    fn drop(&mut self) {
        // SAFETY: the handle came from `g16_host_open`; streams, events and buffers held the device
        // alive and are gone.
        let status = unsafe { ffi::g16_host_close(self.raw) };
        if status != 0 {
            tracing::error!(status, "the host device was not closed");
        }
    }
}

// SAFETY: the runtime's contract (cuda/simt/host_api.h) is the trait's.
unsafe impl Backend for HostDevice {
    fn name(&self) -> &str {
        "host"
    }

    fn make_current(&self) -> Result<(), Fault> {
        Ok(())
    }

    fn api(&self) -> &'static ffi::Api {
        // SAFETY: the table is a static of the linked kernels.
        unsafe { &*ffi::g16_api_host() }
    }

    fn memory(&self) -> Result<(u64, u64), Fault> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: the out pointers are valid for the call.
        self.check(unsafe { ffi::g16_host_memory(self.raw, &raw mut free, &raw mut total) })?;
        Ok((free, total))
    }

    fn alloc(&self, bytes: usize) -> Result<*mut u8, Fault> {
        let mut pointer = null_mut();
        // SAFETY: the out pointer is valid for the call.
        self.check(unsafe { ffi::g16_host_alloc(self.raw, bytes, &raw mut pointer) })?;
        Ok(pointer.cast())
    }

    unsafe fn free(&self, pointer: *mut u8) -> Result<(), Fault> {
        // SAFETY: the caller's contract.
        self.check(unsafe { ffi::g16_host_free(self.raw, pointer.cast()) })
    }

    fn alloc_pinned(&self, bytes: usize) -> Result<*mut u8, Fault> {
        let lacks = || fault(ffi::HOST_OUT_OF_MEMORY, "host memory".into());
        let layout = std::alloc::Layout::from_size_align(bytes, 256).map_err(|_| lacks())?;
        // SAFETY: `bytes` is not 0: the only caller passes at least 1.
        let pointer = unsafe { std::alloc::alloc_zeroed(layout) };
        if pointer.is_null() { Err(lacks()) } else { Ok(pointer) }
    }

    unsafe fn free_pinned(&self, pointer: *mut u8, bytes: usize) -> Result<(), Fault> {
        if let Ok(layout) = std::alloc::Layout::from_size_align(bytes, 256) {
            // SAFETY: allocated with this layout, by the caller's contract.
            unsafe { std::alloc::dealloc(pointer, layout) };
        }
        Ok(())
    }

    fn stream_create(&self) -> Result<RawStream, Fault> {
        let mut stream = null_mut();
        // SAFETY: the out pointer is valid for the call.
        self.check(unsafe { ffi::g16_host_stream_create(self.raw, &raw mut stream) })?;
        Ok(stream)
    }

    unsafe fn stream_destroy(&self, stream: RawStream) -> Result<(), Fault> {
        // SAFETY: the caller's contract, as in every call below.
        self.check(unsafe { ffi::g16_host_stream_destroy(stream) })
    }

    unsafe fn stream_synchronize(&self, stream: RawStream) -> Result<(), Fault> {
        // SAFETY: the caller's contract.
        self.check(unsafe { ffi::g16_host_stream_synchronize(stream) })
    }

    unsafe fn stream_query(&self, stream: RawStream) -> Result<bool, Fault> {
        // SAFETY: the caller's contract.
        match unsafe { ffi::g16_host_stream_query(stream) } {
            ffi::HOST_NOT_READY => Ok(false),
            status => self.check(status).map(|()| true),
        }
    }

    unsafe fn stream_wait_event(&self, stream: RawStream, event: RawEvent) -> Result<(), Fault> {
        // SAFETY: the caller's contract.
        self.check(unsafe { ffi::g16_host_stream_wait_event(stream, event) })
    }

    fn event_create(&self) -> Result<RawEvent, Fault> {
        let mut event = null_mut();
        // SAFETY: the out pointer is valid for the call.
        self.check(unsafe { ffi::g16_host_event_create(self.raw, &raw mut event) })?;
        Ok(event)
    }

    unsafe fn event_destroy(&self, event: RawEvent) -> Result<(), Fault> {
        // SAFETY: the caller's contract.
        self.check(unsafe { ffi::g16_host_event_destroy(event) })
    }

    unsafe fn event_record(&self, event: RawEvent, stream: RawStream) -> Result<(), Fault> {
        // SAFETY: the caller's contract.
        self.check(unsafe { ffi::g16_host_event_record(event, stream) })
    }

    unsafe fn event_synchronize(&self, event: RawEvent) -> Result<(), Fault> {
        // SAFETY: the caller's contract.
        self.check(unsafe { ffi::g16_host_event_synchronize(event) })
    }

    unsafe fn event_query(&self, event: RawEvent) -> Result<bool, Fault> {
        // SAFETY: the caller's contract.
        match unsafe { ffi::g16_host_event_query(event) } {
            ffi::HOST_NOT_READY => Ok(false),
            status => self.check(status).map(|()| true),
        }
    }

    unsafe fn event_elapsed_ms(&self, start: RawEvent, end: RawEvent) -> Result<f32, Fault> {
        let mut ms = 0.0;
        // SAFETY: the caller's contract; the out pointer is valid for the call.
        self.check(unsafe { ffi::g16_host_event_elapsed_ms(start, end, &raw mut ms) })?;
        Ok(ms)
    }

    unsafe fn copy_to_device(
        &self,
        dst: *mut u8,
        src: *const u8,
        bytes: usize,
        stream: RawStream,
    ) -> Result<(), Fault> {
        // SAFETY: the caller's contract.
        self.check(unsafe { ffi::g16_host_copy(dst.cast(), src.cast(), bytes, stream) })
    }

    unsafe fn copy_to_host(
        &self,
        dst: *mut u8,
        src: *const u8,
        bytes: usize,
        stream: RawStream,
    ) -> Result<(), Fault> {
        // SAFETY: the caller's contract.
        self.check(unsafe { ffi::g16_host_copy(dst.cast(), src.cast(), bytes, stream) })
    }

    unsafe fn copy_within(
        &self,
        dst: *mut u8,
        src: *const u8,
        bytes: usize,
        stream: RawStream,
    ) -> Result<(), Fault> {
        // SAFETY: the caller's contract.
        self.check(unsafe { ffi::g16_host_copy(dst.cast(), src.cast(), bytes, stream) })
    }

    unsafe fn fill(
        &self,
        dst: *mut u8,
        value: u8,
        bytes: usize,
        stream: RawStream,
    ) -> Result<(), Fault> {
        // SAFETY: the caller's contract.
        self.check(unsafe { ffi::g16_host_fill(dst.cast(), value, bytes, stream) })
    }
}

#[cfg(test)]
mod tests;
