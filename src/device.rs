//! Devices, their memory, streams and events.
//!
//! A [`Device`] is one GPU, or the host target that runs the same kernels on CPU threads.
//! Everything that is enqueued runs asynchronously on a [`Stream`]; memory is reached through
//! [`View`]s only, never from the CPU.
//!
//! Why safe code cannot break memory safety here: device memory lives in a [`DeviceBuffer`], and
//! dropping one drains the device before it frees, so enqueued work never outlives what it touches.
//! A view can be used on streams of its own device only. Host memory is either copied while the
//! caller waits, or borrowed for a [`Stream::scope`], which drains the stream before it returns.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};
use crate::ffi;
use crate::repr::Plain;

#[allow(unsafe_code)] // the contract of a target's runtime
mod backend;
#[allow(unsafe_code)] // owns device memory
mod buffer;
#[cfg(feature = "cuda")]
#[allow(unsafe_code)] // the driver's calls
mod cuda;
mod family;
#[allow(unsafe_code)] // the host runtime's calls
mod host;
#[allow(unsafe_code)] // the kernels' launchers, one module for each family
pub(crate) mod launch;
#[allow(unsafe_code)] // owns page-locked memory
mod pinned;
#[allow(unsafe_code)] // owns streams and events
mod stream;

pub use buffer::{DeviceBuffer, View, ViewMut};
pub use family::{Family, LaunchCounts};
pub use host::HostConfig;
pub use pinned::PinnedBuffer;
pub(crate) use stream::drained;
pub use stream::{Event, Scope, Stream};

use backend::{Backend, Fault};

/// One GPU, or the host target. Clones are handles to the same device.
#[derive(Clone)]
pub struct Device {
    inner: Arc<Inner>,
}

struct Inner {
    backend: Box<dyn Backend>,
    launches: LaunchCounts,
    lost: AtomicBool,
}

impl Device {
    /// The host target: the same kernels, compiled for this machine and run on its threads.
    ///
    /// # Errors
    /// [`Error::Device`] when the configuration is unusable (no threads, a tiny stack).
    pub fn host(config: HostConfig) -> Result<Self> {
        let backend = host::HostDevice::open(config);
        Self::with_backend(backend.map_err(|f| fault_error("open", "host", f))?)
    }

    /// The NVIDIA GPU with this ordinal.
    ///
    /// # Errors
    /// [`Error::NoDriver`] without a usable driver, [`Error::NoSuchDevice`] for a wrong ordinal,
    /// [`Error::Device`] for what the driver reports else.
    #[cfg(feature = "cuda")]
    pub fn cuda(ordinal: u32) -> Result<Self> {
        Self::with_backend(cuda::CudaDevice::open(ordinal)?)
    }

    fn with_backend(backend: impl Backend + 'static) -> Result<Self> {
        crate::repr::check_scalar_layout()?;
        let inner = Inner {
            backend: Box::new(backend),
            launches: LaunchCounts::default(),
            lost: AtomicBool::new(false),
        };
        let device = Self { inner: Arc::new(inner) };
        let expected = std::mem::size_of::<ffi::Api>();
        let got = device.api().size_bytes as usize;
        if got != expected {
            return Err(Error::Length { operation: "open", what: "kernel table", got, expected });
        }
        launch::load(&device)?;
        Ok(device)
    }

    /// `host`, or `cuda:N`.
    pub fn name(&self) -> &str {
        self.inner.backend.name()
    }

    /// Free and total device memory in bytes. A call for start-up: it is not made while proofs run.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn memory(&self) -> Result<(u64, u64)> {
        self.ok("memory query", self.inner.backend.memory())
    }

    /// Allocates `len` elements of device memory. A call for start-up and single operations; proofs
    /// take their memory from an arena.
    ///
    /// # Errors
    /// [`Error::InsufficientVram`] when there is not enough, else [`Error::Device`].
    pub fn alloc<T: Plain>(&self, len: usize) -> Result<DeviceBuffer<T>> {
        DeviceBuffer::new(self, len)
    }

    /// A new stream, independent of every other.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn stream(&self) -> Result<Stream> {
        Stream::new(self)
    }

    /// How many launches each kernel family has made on this device since it was opened.
    pub fn launches(&self) -> &LaunchCounts {
        &self.inner.launches
    }

    /// Whether the device has reported a fault after which nothing runs on it.
    pub fn is_lost(&self) -> bool {
        self.inner.lost.load(Ordering::Acquire)
    }

    pub(crate) fn api(&self) -> &'static ffi::Api {
        self.inner.backend.api()
    }

    /// Tells open devices apart: a view holds it while its buffer holds the device.
    fn id(&self) -> usize {
        Arc::as_ptr(&self.inner).addr()
    }

    fn backend(&self) -> &dyn Backend {
        &*self.inner.backend
    }

    /// Turns a backend's answer into this crate's, and remembers a lost device.
    fn ok<T>(&self, operation: &'static str, result: std::result::Result<T, Fault>) -> Result<T> {
        result.map_err(|fault| {
            if fault.lost {
                self.inner.lost.store(true, Ordering::Release);
                tracing::error!(device = self.name(), operation, text = fault.text, "device lost");
            }
            fault_error(operation, self.name(), fault)
        })
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(&self.name()).finish()
    }
}

fn fault_error(operation: &'static str, device: &str, fault: Fault) -> Error {
    Error::Device { operation, device: device.to_owned(), code: fault.code, text: fault.text }
}
