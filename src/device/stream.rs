//! Streams, events, and the copies between host and device.

use std::marker::PhantomData;

use super::backend::RawEvent;
use super::{Device, Family, LaunchCounts, View, ViewMut};
use crate::error::{Error, Result};
use crate::ffi::{Api, RawStream, Status};
use crate::repr::Plain;

/// A queue of work on one device. Work of one stream runs in order; streams run side by side.
#[derive(Debug)]
pub struct Stream {
    device: Device,
    raw: RawStream,
    launches: LaunchCounts,
}

// SAFETY: both targets' stream handles may be used from any thread.
unsafe impl Send for Stream {}
// SAFETY: as above; calls on one handle are ordered by the target.
unsafe impl Sync for Stream {}

impl Stream {
    pub(super) fn new(device: &Device) -> Result<Self> {
        let raw = device.ok("stream create", device.backend().stream_create())?;
        Ok(Self { device: device.clone(), raw, launches: LaunchCounts::default() })
    }

    /// How many launches each kernel family has made on this stream.
    pub fn launches(&self) -> &LaunchCounts {
        &self.launches
    }

    /// The stream's device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Waits until everything enqueued so far has run.
    ///
    /// # Errors
    /// [`Error::Device`] with what a kernel or copy of this device reported.
    pub fn synchronize(&self) -> Result<()> {
        // SAFETY: the handle is alive as long as `self`.
        let done = unsafe { self.device.backend().stream_synchronize(self.raw) };
        self.device.ok("stream synchronize", done)
    }

    /// Whether everything enqueued so far has run.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn is_idle(&self) -> Result<bool> {
        // SAFETY: the handle is alive as long as `self`.
        let idle = unsafe { self.device.backend().stream_query(self.raw) };
        self.device.ok("stream query", idle)
    }

    /// Copies host memory to the device and waits for it.
    ///
    /// # Errors
    /// [`Error::Length`] when the lengths differ, [`Error::Device`].
    pub fn upload<T: Plain>(&self, src: &[T], dst: ViewMut<'_, T>) -> Result<()> {
        self.scope(|scope| scope.upload(src, dst))
    }

    /// Copies device memory to the host and waits for it.
    ///
    /// # Errors
    /// [`Error::Length`] when the lengths differ, [`Error::Device`].
    pub fn download<T: Plain>(&self, src: View<'_, T>, dst: &mut [T]) -> Result<()> {
        same_length("download", dst.len(), src.len())?;
        let bytes = size_of_val(dst);
        let from = src.ptr_on(self)?.cast();
        let guard = Drain(self);
        // SAFETY: both ranges have `bytes`; `guard` drains the stream before `dst` is released.
        let copied = unsafe {
            self.device.backend().copy_to_host(dst.as_mut_ptr().cast(), from, bytes, self.raw)
        };
        self.device.ok("copy to host", copied)?;
        guard.finish()
    }

    /// Enqueues a copy within the device.
    ///
    /// # Errors
    /// [`Error::Length`] when the lengths differ, [`Error::Device`].
    pub fn copy<T: Plain>(&self, src: View<'_, T>, dst: ViewMut<'_, T>) -> Result<()> {
        same_length("copy", src.len(), dst.len())?;
        let (from, to) = (src.ptr_on(self)?.cast(), dst.ptr_on(self)?.cast());
        // SAFETY: both ranges are device memory, which is freed only after the device has drained.
        let copied = unsafe {
            self.device.backend().copy_within(to, from, src.len() * size_of::<T>(), self.raw)
        };
        self.device.ok("copy within the device", copied)
    }

    /// Enqueues a fill of every byte of `dst`.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn fill<T: Plain>(&self, value: u8, dst: ViewMut<'_, T>) -> Result<()> {
        let to = dst.ptr_on(self)?.cast();
        // SAFETY: the range is device memory, which is freed only after the device has drained.
        let filled =
            unsafe { self.device.backend().fill(to, value, dst.len() * size_of::<T>(), self.raw) };
        self.device.ok("fill", filled)
    }

    /// Runs `body`, which may enqueue copies from memory that outlives the scope, and drains the
    /// stream before it returns or unwinds.
    ///
    /// # Errors
    /// The body's error, else [`Error::Device`] of the drain.
    pub fn scope<'env, R>(
        &'env self,
        body: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> Result<R>,
    ) -> Result<R> {
        let guard = Drain(self);
        let scope = Scope { stream: self, scope: PhantomData, env: PhantomData };
        let result = body(&scope)?;
        guard.finish()?;
        Ok(result)
    }

    /// Later work of this stream waits for the latest record of `event`.
    ///
    /// # Errors
    /// [`Error::Device`], also for another device's event.
    pub fn wait(&self, event: &Event) -> Result<()> {
        same_device(&self.device, &event.device)?;
        // SAFETY: both handles are alive as long as their owners.
        let waits = unsafe { self.device.backend().stream_wait_event(self.raw, event.raw) };
        self.device.ok("stream wait", waits)
    }

    /// A new event behind everything enqueued so far.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn record(&self) -> Result<Event> {
        let event = Event::new(&self.device)?;
        event.record(self)?;
        Ok(event)
    }

    pub(crate) fn api(&self) -> &'static Api {
        self.device.api()
    }

    /// The handle for a launch, with the device made current on the calling thread.
    pub(crate) fn handle(&self) -> Result<RawStream> {
        self.device.ok("make current", self.device.backend().make_current())?;
        Ok(self.raw)
    }

    /// Checks a launcher's status and counts the launch.
    pub(crate) fn launched(
        &self,
        family: Family,
        operation: &'static str,
        status: Status,
    ) -> Result<()> {
        super::launch::check(&self.device, operation, status)?;
        self.device.inner.launches.add(family);
        self.launches.add(family);
        Ok(())
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: the handle came from `stream_create` and is not used again.
        let destroyed = unsafe { self.device.backend().stream_destroy(self.raw) };
        if let Err(error) = self.device.ok("stream destroy", destroyed) {
            tracing::error!(%error, "stream was not destroyed");
        }
    }
}

/// Drains a stream however its scope is left.
struct Drain<'a>(&'a Stream);

impl Drain<'_> {
    fn finish(self) -> Result<()> {
        let stream = self.0;
        std::mem::forget(self);
        stream.synchronize()
    }
}

impl Drop for Drain<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.0.synchronize() {
            tracing::error!(%error, "a scope's stream reported an error while it drained");
        }
    }
}

/// Runs `body` and drains all of these streams before it returns or unwinds.
///
/// # Errors
/// The body's error, else [`Error::Device`] of the first drain that fails.
pub(crate) fn drained<R>(streams: &[Stream], body: impl FnOnce() -> Result<R>) -> Result<R> {
    let guards: Vec<_> = streams.iter().map(Drain).collect();
    let result = body()?;
    guards.into_iter().map(Drain::finish).fold(Ok(()), Result::and)?;
    Ok(result)
}

/// A stretch of code in which a stream may read borrowed host memory; see [`Stream::scope`].
#[derive(Debug)]
pub struct Scope<'scope, 'env: 'scope> {
    stream: &'env Stream,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

impl<'env> Scope<'_, 'env> {
    /// Enqueues a copy to the device; `src` is read when the copy runs.
    ///
    /// # Errors
    /// [`Error::Length`] when the lengths differ, [`Error::Device`].
    pub fn upload<T: Plain>(&self, src: &'env [T], dst: ViewMut<'_, T>) -> Result<()> {
        same_length("upload", src.len(), dst.len())?;
        let to = dst.ptr_on(self.stream)?.cast();
        let device = &self.stream.device;
        // SAFETY: `src` outlives the scope, which drains the stream before it ends; the device's
        // memory is freed only after the device has drained.
        let copied = unsafe {
            let from = src.as_ptr().cast();
            device.backend().copy_to_device(to, from, size_of_val(src), self.stream.raw)
        };
        device.ok("copy to device", copied)
    }

    /// The scope's stream.
    pub fn stream(&self) -> &'env Stream {
        self.stream
    }
}

/// A point in a stream's work; takes the time when the stream reaches it.
#[derive(Debug)]
pub struct Event {
    device: Device,
    raw: RawEvent,
}

// SAFETY: both targets' event handles may be used from any thread.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Event {
    /// An event that has happened already.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn new(device: &Device) -> Result<Self> {
        let raw = device.ok("event create", device.backend().event_create())?;
        Ok(Self { device: device.clone(), raw })
    }

    /// Moves the event behind everything enqueued on `stream` so far.
    ///
    /// # Errors
    /// [`Error::Device`], also for another device's stream.
    pub fn record(&self, stream: &Stream) -> Result<()> {
        same_device(&self.device, &stream.device)?;
        // SAFETY: both handles are alive as long as their owners.
        let recorded = unsafe { self.device.backend().event_record(self.raw, stream.raw) };
        self.device.ok("event record", recorded)
    }

    /// Waits on the host until the event has happened.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn synchronize(&self) -> Result<()> {
        // SAFETY: the handle is alive as long as `self`.
        let done = unsafe { self.device.backend().event_synchronize(self.raw) };
        self.device.ok("event synchronize", done)
    }

    /// Whether the event has happened.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn has_happened(&self) -> Result<bool> {
        // SAFETY: the handle is alive as long as `self`.
        let happened = unsafe { self.device.backend().event_query(self.raw) };
        self.device.ok("event query", happened)
    }

    /// Milliseconds from `self` to `end`; both must have happened.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn elapsed_ms(&self, end: &Self) -> Result<f32> {
        same_device(&self.device, &end.device)?;
        // SAFETY: both handles are alive as long as their owners.
        let ms = unsafe { self.device.backend().event_elapsed_ms(self.raw, end.raw) };
        self.device.ok("event elapsed", ms)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: the handle came from `event_create` and is not used again.
        let destroyed = unsafe { self.device.backend().event_destroy(self.raw) };
        if let Err(error) = self.device.ok("event destroy", destroyed) {
            tracing::error!(%error, "event was not destroyed");
        }
    }
}

/// Streams and events meet on their own device only: one device's drains do not reach another's
/// work.
fn same_device(one: &Device, other: &Device) -> Result<()> {
    if one == other {
        return Ok(());
    }
    Err(Error::Device {
        operation: "event",
        device: one.name().to_owned(),
        code: 0,
        text: "an event of one device was used with another device's stream".into(),
    })
}

fn same_length(operation: &'static str, got: usize, expected: usize) -> Result<()> {
    if got == expected {
        return Ok(());
    }
    Err(Error::Length { operation, what: "source or destination", got, expected })
}
