//! The C ABI of `cuda/api.h` and `cuda/simt/host_api.h`, field by field, and nothing else.

use std::ffi::{c_char, c_void};

/// A launcher's or runtime call's status: 0, or the target's error code.
pub type Status = i32;
/// A target's stream handle.
pub type RawStream = *mut c_void;

/// `G16IndexMap`: from variables to points of a query.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct IndexMap {
    pub bitmap: *const u32,
    pub rank: *const u32,
    pub variables: u32,
    pub first: u32,
    pub points: u32,
    pub reserved: u32,
}

// --- probe ---
/// `G16ProbeApi`.
#[repr(C)]
pub struct ProbeApi {
    reserved: u32,
}

// --- ntt ---
/// `G16NttApi`.
#[repr(C)]
pub struct NttApi {
    reserved: u32,
}

// --- quotient ---
/// `G16QuotientApi`.
#[repr(C)]
pub struct QuotientApi {
    reserved: u32,
}

// --- witness ---
/// `G16WitnessApi`.
#[repr(C)]
pub struct WitnessApi {
    reserved: u32,
}

// --- batch addition ---
/// `G16BatchAddApi`.
#[repr(C)]
pub struct BatchAddApi {
    reserved: u32,
}

// --- points ---
/// `G16PointsApi`.
#[repr(C)]
pub struct PointsApi {
    reserved: u32,
}

// --- msm ---
/// `G16MsmApi`.
#[repr(C)]
pub struct MsmApi {
    reserved: u32,
}

/// `G16Api`: one target's kernels.
#[repr(C)]
pub struct Api {
    pub size_bytes: u32,
    reserved: u32,
    pub load: unsafe extern "C" fn() -> Status,
    pub status_text: unsafe extern "C" fn(Status) -> *const c_char,
    pub probe: ProbeApi,
    pub ntt: NttApi,
    pub quotient: QuotientApi,
    pub witness: WitnessApi,
    pub batch_add: BatchAddApi,
    pub points: PointsApi,
    pub msm_g1: MsmApi,
    pub msm_g2: MsmApi,
}

unsafe extern "C" {
    pub safe fn g16_api_host() -> *const Api;
    #[cfg(feature = "cuda")]
    pub safe fn g16_api_cuda() -> *const Api;
}

// --- host runtime (cuda/simt/host_api.h) ---
