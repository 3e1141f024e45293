//! An NVIDIA GPU through the driver: the primary context, own non-blocking streams, timed events,
//! device and page-locked memory, asynchronous copies.
//!
//! The calls are `cust::sys`'s, with their statuses taken as plain integers: newer drivers return
//! codes that cust's enumeration lacks. Streams are made here because `cust::stream::Stream` drops
//! the flag `NON_BLOCKING`, and then synchronises with the default stream.
//!
//! The library loads each module when it is first used; the table's `load` touches every kernel
//! while the device is opened, so nothing is loaded later, whatever `CUDA_MODULE_LOADING` says.

use std::ffi::{CStr, c_char, c_uint, c_void};
use std::ptr::null_mut;

use cust::sys::{self, CUcontext, CUdevice, CUdeviceptr, CUevent, CUresult, CUstream};

use super::backend::{Backend, Fault, RawEvent};
use crate::error::Error;
use crate::ffi::{self, RawStream, Status};

/// Names a conversion of a driver function to one that returns its status as an integer.
macro_rules! returning_status {
    ($($name:ident($($t:ident),*);)*) => {$(
        fn $name<$($t),*>(
            function: unsafe extern "C" fn($($t),*) -> CUresult,
        ) -> unsafe extern "C" fn($($t),*) -> Status {
            // SAFETY: CUresult is an enumeration with the representation of i32, so the two
            // function types have the same ABI; every bit pattern is a valid i32.
            unsafe { std::mem::transmute(function) }
        }
    )*};
}
returning_status! {
    status0();
    status1(A);
    status2(A, B);
    status3(A, B, C);
    status4(A, B, C, D);
}

/// Codes after which the context cannot run anything more: the fault stays with it.
const LOST: [Status; 16] = [
    4,   // deinitialized
    46,  // device unavailable
    214, // uncorrectable memory error
    220, // uncorrectable NVLink error
    226, // contained fault
    700, // illegal address
    702, // launch timeout
    709, // context destroyed
    710, // device-side assertion
    714, // hardware stack error
    715, // illegal instruction
    716, // misaligned address
    717, // invalid address space
    718, // invalid program counter
    719, // launch failed
    999, // unknown: the driver itself is in doubt
];
const OUT_OF_MEMORY: Status = 2;
const NO_DEVICE: Status = 100;
const NOT_READY: Status = 600;

/// `CU_STREAM_NON_BLOCKING`: no synchronisation with the default stream.
const STREAM_NON_BLOCKING: c_uint = 1;
/// `CU_EVENT_DEFAULT`: with times, and waiting threads spin.
const EVENT_DEFAULT: c_uint = 0;
/// `CU_MEMHOSTALLOC_PORTABLE`: page-locked for every context.
const HOST_ALLOC_PORTABLE: c_uint = 1;

/// An open GPU; holds its primary context.
#[derive(Debug)]
pub struct CudaDevice {
    name: String,
    device: CUdevice,
    context: CUcontext,
}

// SAFETY: the driver's functions may be called from any thread, and each call here makes the
// context current on its thread first.
unsafe impl Send for CudaDevice {}
// SAFETY: as above.
unsafe impl Sync for CudaDevice {}

impl CudaDevice {
    /// Retains the primary context of the device `ordinal`.
    pub(super) fn open(ordinal: u32) -> Result<Self, Error> {
        let missing = ffi::g16_driver_missing();
        if !missing.is_null() {
            // SAFETY: the text is a static of the trampolines.
            let text = unsafe { CStr::from_ptr(missing) }.to_string_lossy().into_owned();
            return Err(Error::NoDriver { text });
        }
        let name = format!("cuda:{ordinal}");
        // SAFETY: the flags must be 0.
        let status = unsafe { status1(sys::cuInit)(0) };
        if status != 0 && status != NO_DEVICE {
            return Err(Error::NoDriver { text: fault(status).text });
        }
        let opened = |status| check(status).map_err(|f| super::fault_error("open", &name, f));
        let mut count = 0;
        if status != NO_DEVICE {
            // SAFETY: the out pointer is valid for the call, as in all below.
            opened(unsafe { status1(sys::cuDeviceGetCount)(&raw mut count) })?;
        }
        let count = u32::try_from(count).unwrap_or(0);
        let index = match i32::try_from(ordinal) {
            Ok(index) if ordinal < count => index,
            _ => return Err(Error::NoSuchDevice { ordinal, count }),
        };
        let mut device = 0;
        // SAFETY: the ordinal is below the count.
        opened(unsafe { status2(sys::cuDeviceGet)(&raw mut device, index) })?;
        let mut context = null_mut();
        // SAFETY: `device` is a device; the context is released in `drop`.
        opened(unsafe { status2(sys::cuDevicePrimaryCtxRetain)(&raw mut context, device) })?;
        Ok(Self { name, device, context })
    }

    /// Makes the context current on this thread, then checks what `call` returns.
    fn call(&self, call: impl FnOnce() -> Status) -> Result<(), Fault> {
        self.make_current()?;
        check(call())
    }

    /// As `call`, for queries: `false` while the work is not done.
    fn query(&self, call: impl FnOnce() -> Status) -> Result<bool, Fault> {
        self.make_current()?;
        match call() {
            NOT_READY => Ok(false),
            status => check(status).map(|()| true),
        }
    }
}

impl Drop for CudaDevice {
    fn drop(&mut self) {
        // SAFETY: retained in `open`; streams, events and buffers held the device and are gone.
        let status = unsafe { status1(sys::cuDevicePrimaryCtxRelease_v2)(self.device) };
        if let Err(fault) = check(status) {
            tracing::error!(device = self.name, text = fault.text, "context not released");
        }
    }
}

fn check(status: Status) -> Result<(), Fault> {
    if status == 0 { Ok(()) } else { Err(fault(status)) }
}

fn fault(code: Status) -> Fault {
    let get_text: unsafe extern "C" fn(CUresult, *mut *const c_char) -> CUresult =
        sys::cuGetErrorString;
    // SAFETY: as in `returning_status`; the function takes any integer.
    let get_text: unsafe extern "C" fn(Status, *mut *const c_char) -> Status =
        unsafe { std::mem::transmute(get_text) };
    let mut text = std::ptr::null();
    // SAFETY: the out pointer is valid for the call.
    let known = unsafe { get_text(code, &raw mut text) } == 0 && !text.is_null();
    let text = if known {
        // SAFETY: the driver's texts are static.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    } else {
        "an error that the driver does not name".to_owned()
    };
    Fault { code, text, lost: LOST.contains(&code), out_of_memory: code == OUT_OF_MEMORY }
}

fn address(pointer: *const u8) -> CUdeviceptr {
    pointer as CUdeviceptr
}

fn stream_of(stream: RawStream) -> CUstream {
    stream.cast()
}

fn event_of(event: RawEvent) -> CUevent {
    event.cast()
}

// SAFETY: the driver's contract is the trait's: memory lives until it is freed, a stream runs in
// order.
unsafe impl Backend for CudaDevice {
    fn name(&self) -> &str {
        &self.name
    }

    fn make_current(&self) -> Result<(), Fault> {
        // SAFETY: the context is retained.
        check(unsafe { status1(sys::cuCtxSetCurrent)(self.context) })
    }

    fn api(&self) -> &'static ffi::Api {
        // SAFETY: the table is a static of the linked kernels.
        unsafe { &*ffi::g16_api_cuda() }
    }

    fn memory(&self) -> Result<(u64, u64), Fault> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: the out pointers are valid for the call.
        self.call(|| unsafe { status2(sys::cuMemGetInfo_v2)(&raw mut free, &raw mut total) })?;
        Ok((free as u64, total as u64))
    }

    fn alloc(&self, bytes: usize) -> Result<*mut u8, Fault> {
        let mut pointer: CUdeviceptr = 0;
        // SAFETY: the out pointer is valid for the call.
        self.call(|| unsafe { status2(sys::cuMemAlloc_v2)(&raw mut pointer, bytes.max(1)) })?;
        Ok(pointer as *mut u8)
    }

    unsafe fn free(&self, pointer: *mut u8) -> Result<(), Fault> {
        // SAFETY: waits for the current context; no pointer is involved.
        let drained = self.call(|| unsafe { status0(sys::cuCtxSynchronize)() });
        // SAFETY: the pointer came from `alloc`, by the caller's contract.
        self.call(|| unsafe { status1(sys::cuMemFree_v2)(address(pointer)) })?;
        drained
    }

    fn alloc_pinned(&self, bytes: usize) -> Result<*mut u8, Fault> {
        let bytes = bytes.max(1);
        let mut pointer: *mut c_void = null_mut();
        // SAFETY: the out pointer is valid for the call.
        self.call(|| unsafe {
            status3(sys::cuMemHostAlloc)(&raw mut pointer, bytes, HOST_ALLOC_PORTABLE)
        })?;
        // SAFETY: the driver has just allocated that many bytes.
        unsafe { pointer.cast::<u8>().write_bytes(0, bytes) };
        Ok(pointer.cast())
    }

    unsafe fn free_pinned(&self, pointer: *mut u8, _bytes: usize) -> Result<(), Fault> {
        // SAFETY: the pointer came from `alloc_pinned`, by the caller's contract.
        self.call(|| unsafe { status1(sys::cuMemFreeHost)(pointer.cast()) })
    }

    fn stream_create(&self) -> Result<RawStream, Fault> {
        let mut stream: CUstream = null_mut();
        let create = status3(sys::cuStreamCreateWithPriority);
        // SAFETY: the out pointer is valid for the call; priority 0 is the default.
        self.call(|| unsafe { create(&raw mut stream, STREAM_NON_BLOCKING, 0) })?;
        Ok(stream.cast())
    }

    unsafe fn stream_destroy(&self, stream: RawStream) -> Result<(), Fault> {
        // SAFETY: the stream is alive, by the caller's contract.
        let drained = unsafe { self.stream_synchronize(stream) };
        // SAFETY: as above, and not used again.
        self.call(|| unsafe { status1(sys::cuStreamDestroy_v2)(stream_of(stream)) })?;
        drained
    }

    unsafe fn stream_synchronize(&self, stream: RawStream) -> Result<(), Fault> {
        // SAFETY: the stream is alive, by the caller's contract; as in every call below.
        self.call(|| unsafe { status1(sys::cuStreamSynchronize)(stream_of(stream)) })
    }

    unsafe fn stream_query(&self, stream: RawStream) -> Result<bool, Fault> {
        // SAFETY: the caller's contract.
        self.query(|| unsafe { status1(sys::cuStreamQuery)(stream_of(stream)) })
    }

    unsafe fn stream_wait_event(&self, stream: RawStream, event: RawEvent) -> Result<(), Fault> {
        let wait = status3(sys::cuStreamWaitEvent);
        // SAFETY: the caller's contract; the flags are 0.
        self.call(|| unsafe { wait(stream_of(stream), event_of(event), 0) })
    }

    fn event_create(&self) -> Result<RawEvent, Fault> {
        let mut event: CUevent = null_mut();
        // SAFETY: the out pointer is valid for the call.
        self.call(|| unsafe { status2(sys::cuEventCreate)(&raw mut event, EVENT_DEFAULT) })?;
        Ok(event.cast())
    }

    unsafe fn event_destroy(&self, event: RawEvent) -> Result<(), Fault> {
        // SAFETY: the caller's contract.
        self.call(|| unsafe { status1(sys::cuEventDestroy_v2)(event_of(event)) })
    }

    unsafe fn event_record(&self, event: RawEvent, stream: RawStream) -> Result<(), Fault> {
        // SAFETY: the caller's contract.
        self.call(|| unsafe { status2(sys::cuEventRecord)(event_of(event), stream_of(stream)) })
    }

    unsafe fn event_synchronize(&self, event: RawEvent) -> Result<(), Fault> {
        // SAFETY: the caller's contract.
        self.call(|| unsafe { status1(sys::cuEventSynchronize)(event_of(event)) })
    }

    unsafe fn event_query(&self, event: RawEvent) -> Result<bool, Fault> {
        // SAFETY: the caller's contract.
        self.query(|| unsafe { status1(sys::cuEventQuery)(event_of(event)) })
    }

    unsafe fn event_elapsed_ms(&self, start: RawEvent, end: RawEvent) -> Result<f32, Fault> {
        let mut ms = 0.0_f32;
        let elapsed = status3(sys::cuEventElapsedTime);
        // SAFETY: the caller's contract; the out pointer is valid for the call.
        self.call(|| unsafe { elapsed(&raw mut ms, event_of(start), event_of(end)) })?;
        Ok(ms)
    }

    unsafe fn copy_to_device(
        &self,
        dst: *mut u8,
        src: *const u8,
        bytes: usize,
        stream: RawStream,
    ) -> Result<(), Fault> {
        let copy = status4(sys::cuMemcpyHtoDAsync_v2);
        // SAFETY: the caller's contract.
        self.call(|| unsafe { copy(address(dst), src.cast(), bytes, stream_of(stream)) })
    }

    unsafe fn copy_to_host(
        &self,
        dst: *mut u8,
        src: *const u8,
        bytes: usize,
        stream: RawStream,
    ) -> Result<(), Fault> {
        let copy = status4(sys::cuMemcpyDtoHAsync_v2);
        // SAFETY: the caller's contract.
        self.call(|| unsafe { copy(dst.cast(), address(src), bytes, stream_of(stream)) })
    }

    unsafe fn copy_within(
        &self,
        dst: *mut u8,
        src: *const u8,
        bytes: usize,
        stream: RawStream,
    ) -> Result<(), Fault> {
        let copy = status4(sys::cuMemcpyDtoDAsync_v2);
        // SAFETY: the caller's contract.
        self.call(|| unsafe { copy(address(dst), address(src), bytes, stream_of(stream)) })
    }

    unsafe fn fill(
        &self,
        dst: *mut u8,
        value: u8,
        bytes: usize,
        stream: RawStream,
    ) -> Result<(), Fault> {
        let fill = status4(sys::cuMemsetD8Async);
        // SAFETY: the caller's contract.
        self.call(|| unsafe { fill(address(dst), value, bytes, stream_of(stream)) })
    }
}
