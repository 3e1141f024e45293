//! Devices, their memory, streams and events.

#[allow(unsafe_code)] // the contract of a target's runtime
mod backend;
