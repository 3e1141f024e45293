//! What a target must be able to do: CUDA's driver calls, as few as the crate needs.

use std::fmt::Debug;

use crate::ffi::{self, RawStream, Status};

/// An event's handle on its target.
pub type RawEvent = *mut std::ffi::c_void;

/// A failed call: the target's code and text. The caller adds the operation and the device.
#[derive(Debug, Clone)]
pub struct Fault {
    /// The target's error code.
    pub code: Status,
    /// The driver's or the runtime's text.
    pub text: String,
    /// Whether nothing can run on the device any more.
    pub lost: bool,
    /// Whether memory was what lacked.
    pub out_of_memory: bool,
}

/// One device of one target. Every call makes the device current on the calling thread first.
///
/// # Safety
///
/// An implementation hands out pointers that stay valid until `free`, and its streams run what is
/// enqueued in order; the safe types of this module rely on both.
pub unsafe trait Backend: Send + Sync + Debug {
    /// `host`, or `cuda:N`.
    fn name(&self) -> &str;
    /// Makes the device current on the calling thread; the table's launchers need it.
    fn make_current(&self) -> Result<(), Fault>;
    /// The kernels of this target.
    fn api(&self) -> &'static ffi::Api;
    /// Free and total device memory in bytes. For start-up only.
    fn memory(&self) -> Result<(u64, u64), Fault>;
    /// Allocates device memory, aligned to 256 bytes. For start-up only.
    fn alloc(&self, bytes: usize) -> Result<*mut u8, Fault>;
    /// Frees device memory after the device has drained.
    ///
    /// # Safety
    /// `pointer` came from `alloc` and is not used again.
    unsafe fn free(&self, pointer: *mut u8) -> Result<(), Fault>;
    /// Allocates page-locked host memory, aligned to 256 bytes, zeroed.
    fn alloc_pinned(&self, bytes: usize) -> Result<*mut u8, Fault>;
    /// Frees page-locked host memory.
    ///
    /// # Safety
    /// `pointer` came from `alloc_pinned` with `bytes` and is not used again.
    unsafe fn free_pinned(&self, pointer: *mut u8, bytes: usize) -> Result<(), Fault>;
    /// A stream that does not synchronise with the default stream.
    fn stream_create(&self) -> Result<RawStream, Fault>;
    /// Destroys a stream after draining it.
    ///
    /// # Safety
    /// `stream` came from `stream_create` and is not used again.
    unsafe fn stream_destroy(&self, stream: RawStream) -> Result<(), Fault>;
    /// Waits until the stream has run everything; reports kernels' errors.
    ///
    /// # Safety
    /// `stream` is alive, as in every call below.
    unsafe fn stream_synchronize(&self, stream: RawStream) -> Result<(), Fault>;
    /// Whether the stream has run everything.
    ///
    /// # Safety
    /// See `stream_synchronize`.
    unsafe fn stream_query(&self, stream: RawStream) -> Result<bool, Fault>;
    /// Later work of `stream` waits for the latest record of `event`.
    ///
    /// # Safety
    /// See `stream_synchronize`.
    unsafe fn stream_wait_event(&self, stream: RawStream, event: RawEvent) -> Result<(), Fault>;
    /// An event that takes times.
    fn event_create(&self) -> Result<RawEvent, Fault>;
    /// Destroys an event.
    ///
    /// # Safety
    /// `event` came from `event_create` and is not used again.
    unsafe fn event_destroy(&self, event: RawEvent) -> Result<(), Fault>;
    /// Records the event behind the stream's work so far.
    ///
    /// # Safety
    /// See `stream_synchronize`.
    unsafe fn event_record(&self, event: RawEvent, stream: RawStream) -> Result<(), Fault>;
    /// Waits on the host for the event.
    ///
    /// # Safety
    /// See `stream_synchronize`.
    unsafe fn event_synchronize(&self, event: RawEvent) -> Result<(), Fault>;
    /// Whether the event has happened.
    ///
    /// # Safety
    /// See `stream_synchronize`.
    unsafe fn event_query(&self, event: RawEvent) -> Result<bool, Fault>;
    /// Milliseconds from one event to the other; both have happened.
    ///
    /// # Safety
    /// See `stream_synchronize`.
    unsafe fn event_elapsed_ms(&self, start: RawEvent, end: RawEvent) -> Result<f32, Fault>;
    /// Enqueues a copy from host memory, read when the copy runs.
    ///
    /// # Safety
    /// Both ranges are valid until the stream has run the copy; nobody writes `src` meanwhile.
    unsafe fn copy_to_device(
        &self,
        dst: *mut u8,
        src: *const u8,
        bytes: usize,
        stream: RawStream,
    ) -> Result<(), Fault>;
    /// Enqueues a copy to host memory.
    ///
    /// # Safety
    /// Both ranges are valid until the stream has run the copy; nobody touches `dst` meanwhile.
    unsafe fn copy_to_host(
        &self,
        dst: *mut u8,
        src: *const u8,
        bytes: usize,
        stream: RawStream,
    ) -> Result<(), Fault>;
    /// Enqueues a copy within the device.
    ///
    /// # Safety
    /// Both ranges are valid until the stream has run the copy.
    unsafe fn copy_within(
        &self,
        dst: *mut u8,
        src: *const u8,
        bytes: usize,
        stream: RawStream,
    ) -> Result<(), Fault>;
    /// Enqueues a fill.
    ///
    /// # Safety
    /// The range is valid until the stream has run the fill.
    unsafe fn fill(
        &self,
        dst: *mut u8,
        value: u8,
        bytes: usize,
        stream: RawStream,
    ) -> Result<(), Fault>;
}
