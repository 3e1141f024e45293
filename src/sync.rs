//! The mutex and the condition variable that the locks and the arena are made of.
//!
//! They stand behind this shim so that a model checker can put its own in their place: the crate
//! `tests/loom` compiles the same locks and the same arena over its own `sync`.

pub(crate) use parking_lot::{Mutex, MutexGuard};

/// A condition variable whose `wait` takes the guard and returns it.
#[derive(Debug)]
pub(crate) struct Condvar(parking_lot::Condvar);

impl Condvar {
    pub(crate) fn new() -> Self {
        Condvar(parking_lot::Condvar::new())
    }

    /// Releases the mutex, sleeps until notified, and takes the mutex again.
    pub(crate) fn wait<'a, T>(&self, mut guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        self.0.wait(&mut guard);
        guard
    }

    pub(crate) fn notify_all(&self) {
        self.0.notify_all();
    }
}
