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
/// `G16ProbeApi::fp` and its like: operation, a, b, out, n, stream.
pub type ProbeField =
    unsafe extern "C" fn(u32, *const c_void, *const c_void, *mut c_void, u32, RawStream) -> Status;

/// `G16Chains`: operation, a, b, steps, out, n, stream.
pub type ProbeChains = unsafe extern "C" fn(
    u32,
    *const c_void,
    *const c_void,
    u32,
    *mut c_void,
    u32,
    RawStream,
) -> Status;

/// `G16ProbeCurveApi`.
#[repr(C)]
pub struct ProbeCurveApi {
    pub xyzz: unsafe extern "C" fn(
        u32,
        *const c_void,
        *const c_void,
        *const c_void,
        *mut c_void,
        u32,
        RawStream,
    ) -> Status,
    pub to_affine: unsafe extern "C" fn(*const c_void, *mut c_void, u32, RawStream) -> Status,
    pub on_curve: unsafe extern "C" fn(*const c_void, *mut c_void, u32, RawStream) -> Status,
    pub chains: ProbeChains,
}

/// `G16ProbeApi`.
#[repr(C)]
pub struct ProbeApi {
    pub fp: ProbeField,
    pub fr: ProbeField,
    pub fp2: ProbeField,
    pub fp_decode:
        unsafe extern "C" fn(*const c_void, *mut c_void, *mut c_void, u32, RawStream) -> Status,
    pub fp_chains: ProbeChains,
    pub fr_chains: ProbeChains,
    pub fp2_chains: ProbeChains,
    pub g1: ProbeCurveApi,
    pub g2: ProbeCurveApi,
}

// --- ntt ---
/// `G16Domain`: a domain of 2^log_size points.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Domain {
    pub tables: *mut c_void,
    pub log_size: u32,
    pub root: [u32; 8],
    pub reserved: u32,
}

/// `G16NttApi`.
#[repr(C)]
pub struct NttApi {
    pub domain_len: unsafe extern "C" fn(log_size: u32) -> usize,
    pub domain_build: unsafe extern "C" fn(domain: *const Domain, stream: RawStream) -> Status,
    pub coset_len: unsafe extern "C" fn(log_size: u32) -> usize,
    pub coset_build: unsafe extern "C" fn(
        coset: *mut c_void,
        log_size: u32,
        shift: *const c_void,
        inverse_shift: *const c_void,
        stream: RawStream,
    ) -> Status,
    pub transform: unsafe extern "C" fn(
        data: *mut c_void,
        domain: *const Domain,
        coset: *const c_void,
        batch: u32,
        inverse: u32,
        reversed_input: u32,
        stream: RawStream,
    ) -> Status,
    pub bit_reverse: unsafe extern "C" fn(
        data: *mut c_void,
        log_size: u32,
        batch: u32,
        stream: RawStream,
    ) -> Status,
}

// --- quotient ---
/// `G16QuotientApi`.
#[repr(C)]
pub struct QuotientApi {
    pub quotient: unsafe extern "C" fn(
        a: *mut c_void,
        b: *mut c_void,
        w: *mut c_void,
        domain: *const Domain,
        stream: RawStream,
    ) -> Status,
}

// --- witness ---
/// `G16WitnessApi`.
#[repr(C)]
pub struct WitnessApi {
    pub workspace: unsafe extern "C" fn(n: u32, bytes: *mut usize) -> Status,
    pub classify: unsafe extern "C" fn(
        scalars: *const c_void,
        n: u32,
        ones: *mut u32,
        ones_capacity: u32,
        rest: *mut u32,
        rest_capacity: u32,
        counts: *mut u32,
        workspace: *mut c_void,
        stream: RawStream,
    ) -> Status,
}

// --- batch addition ---
/// `G16BatchAddApi`.
#[repr(C)]
pub struct BatchAddApi {
    pub partials: unsafe extern "C" fn(max_count: u32) -> u32,
    pub workspace: unsafe extern "C" fn(max_count: u32) -> usize,
    pub sum: unsafe extern "C" fn(
        points: *const c_void,
        map: *const IndexMap,
        list: *const u32,
        count: *const u32,
        max_count: u32,
        partials: *mut c_void,
        workspace: *mut c_void,
        stream: RawStream,
    ) -> Status,
}

// --- points ---
pub const POINT_COMPRESSED: u32 = 1;
pub const POINT_SORT_FLAG: u32 = 2;
pub const POINT_NOT_ZERO: u32 = 3;
pub const POINT_INFINITY: u32 = 4;
pub const POINT_COORDINATE: u32 = 5;
pub const POINT_CURVE: u32 = 6;
pub const POINT_SUBGROUP: u32 = 7;
pub const POINT_REASON_BITS: u32 = 3;
pub const POINT_CHECK_CURVE: u32 = 1;
pub const POINT_REFUSE_INFINITY: u32 = 2;

/// `G16PointsApi`.
#[repr(C)]
pub struct PointsApi {
    pub decode: unsafe extern "C" fn(
        bytes: *const c_void,
        n: u32,
        first: u32,
        checks: u32,
        points: *mut c_void,
        fault: *mut u32,
        stream: RawStream,
    ) -> Status,
    pub check_subgroup: unsafe extern "C" fn(
        points: *const c_void,
        n: u32,
        first: u32,
        fault: *mut u32,
        stream: RawStream,
    ) -> Status,
    pub encode: unsafe extern "C" fn(points: *mut c_void, n: u32, stream: RawStream) -> Status,
}

// --- fixed base ---
/// `G16FixedBaseApi`.
#[repr(C)]
pub struct FixedBaseApi {
    pub windows: unsafe extern "C" fn(multiples: u64) -> u32,
    pub window_start: unsafe extern "C" fn(windows: u32, window: u32) -> u32,
    pub entries: unsafe extern "C" fn(windows: u32) -> u32,
    pub workspace: unsafe extern "C" fn(n: u32) -> usize,
    pub build: unsafe extern "C" fn(
        bases: *const c_void,
        windows: u32,
        table: *mut c_void,
        workspace: *mut c_void,
        stream: RawStream,
    ) -> Status,
    pub multiply: unsafe extern "C" fn(
        scalars: *const c_void,
        n: u32,
        table: *const c_void,
        windows: u32,
        out: *mut c_void,
        workspace: *mut c_void,
        stream: RawStream,
    ) -> Status,
}

// --- msm ---
/// `G16MsmShape`: what is asked of a plan.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct MsmShape {
    pub terms: u32,
    pub windows: u32,
    pub group: u32,
    pub chunk: u32,
    pub affine_levels: u32,
    pub multiples: u32,
}

/// `G16MsmPlan`: the shape of a multi-scalar multiplication.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MsmPlan {
    pub terms: u32,
    pub windows: u32,
    pub group: u32,
    pub bucket_bits: u32,
    pub task_terms: u32,
    pub tasks: u32,
    pub combine_rounds: u32,
    pub chunk: u32,
    pub affine_levels: u32,
    pub affine_tasks: u32,
    pub multiples: u32,
    reserved: u32,
    pub sorted_bytes: u64,
    pub sort_bytes: u64,
    pub partial_bytes: u64,
    pub result_bytes: u64,
}

impl MsmPlan {
    /// Variables at most: with multiples, the window takes its bits from theirs.
    pub fn variables_max(&self) -> usize {
        let windows = if self.multiples == 0 { 1 } else { self.windows };
        1 << (31 - windows.next_power_of_two().trailing_zeros())
    }
}

/// `G16MsmScalars`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MsmScalars {
    pub scalars: *const c_void,
    pub variables: *const u32,
    pub count: *const u32,
    pub scalars_length: u32,
    pub first: u32,
    pub terms: u32,
    pub montgomery: u32,
}

/// `G16MsmApi`.
#[repr(C)]
pub struct MsmApi {
    pub plan: unsafe extern "C" fn(shape: *const MsmShape, plan: *mut MsmPlan) -> Status,
    pub sort: unsafe extern "C" fn(
        plan: *const MsmPlan,
        scalars: *const MsmScalars,
        first_window: u32,
        sorted: *mut c_void,
        scratch: *mut c_void,
        stream: RawStream,
    ) -> Status,
    pub accumulate: unsafe extern "C" fn(
        plan: *const MsmPlan,
        first_window: u32,
        sorted: *const c_void,
        points: *const c_void,
        map: *const IndexMap,
        resume: u32,
        part: u32,
        partials: *mut c_void,
        stream: RawStream,
    ) -> Status,
    pub combine: unsafe extern "C" fn(
        plan: *const MsmPlan,
        first_window: u32,
        sorted: *const c_void,
        partials: *mut c_void,
        stream: RawStream,
    ) -> Status,
    pub reduce: unsafe extern "C" fn(
        plan: *const MsmPlan,
        first_window: u32,
        partials: *mut c_void,
        result: *mut c_void,
        stream: RawStream,
    ) -> Status,
    pub finish: unsafe extern "C" fn(
        plan: *const MsmPlan,
        result: *const c_void,
        encoding: *mut u8,
    ) -> Status,
    pub multiples_workspace: unsafe extern "C" fn(n: u32) -> usize,
    pub multiples: unsafe extern "C" fn(
        windows: u32,
        n: u32,
        points: *mut c_void,
        workspace: *mut c_void,
        stream: RawStream,
    ) -> Status,
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
    pub batch_add_g1: BatchAddApi,
    pub batch_add_g2: BatchAddApi,
    pub points_g1: PointsApi,
    pub points_g2: PointsApi,
    pub fixed_base_g1: FixedBaseApi,
    pub fixed_base_g2: FixedBaseApi,
    pub msm_g1: MsmApi,
    pub msm_g2: MsmApi,
}

unsafe extern "C" {
    pub safe fn g16_api_host() -> *const Api;
    pub safe fn g16_probe_host32() -> *const ProbeApi;
    pub fn g16_sum_finish_g1(partials: *const c_void, count: u32, bytes: *mut u8);
    pub fn g16_sum_finish_g2(partials: *const c_void, count: u32, bytes: *mut u8);
    #[cfg(feature = "cuda")]
    pub safe fn g16_api_cuda() -> *const Api;
}

// --- the driver's trampolines (build/driver.c) ---
#[cfg(feature = "cuda")]
unsafe extern "C" {
    /// Why there is no driver, or null where there is one.
    pub safe fn g16_driver_missing() -> *const c_char;
}

// --- host runtime (cuda/simt/host_api.h) ---

/// `G16HostConfig`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct HostConfig {
    pub seed: u64,
    pub memory_bytes: u64,
    pub threads: u32,
    pub stack_bytes: u32,
    pub strict: u32,
    pub reserved: u32,
}

pub const HOST_OUT_OF_MEMORY: Status = 2;
pub const HOST_NOT_READY: Status = 600;
/// The first of the kernels' faults.
pub const HOST_KERNEL_DEADLOCK: Status = 9001;

unsafe extern "C" {
    pub fn g16_host_open(config: *const HostConfig, device: *mut *mut c_void) -> Status;
    pub fn g16_host_close(device: *mut c_void) -> Status;
    pub fn g16_host_memory(device: *mut c_void, free: *mut u64, total: *mut u64) -> Status;
    pub fn g16_host_alloc(device: *mut c_void, bytes: usize, pointer: *mut *mut c_void) -> Status;
    pub fn g16_host_free(device: *mut c_void, pointer: *mut c_void) -> Status;
    pub fn g16_host_stream_create(device: *mut c_void, stream: *mut RawStream) -> Status;
    pub fn g16_host_stream_destroy(stream: RawStream) -> Status;
    pub fn g16_host_stream_synchronize(stream: RawStream) -> Status;
    pub fn g16_host_stream_query(stream: RawStream) -> Status;
    pub fn g16_host_stream_wait_event(stream: RawStream, event: *mut c_void) -> Status;
    pub fn g16_host_event_create(device: *mut c_void, event: *mut *mut c_void) -> Status;
    pub fn g16_host_event_destroy(event: *mut c_void) -> Status;
    pub fn g16_host_event_record(event: *mut c_void, stream: RawStream) -> Status;
    pub fn g16_host_event_synchronize(event: *mut c_void) -> Status;
    pub fn g16_host_event_query(event: *mut c_void) -> Status;
    pub fn g16_host_event_elapsed_ms(start: *mut c_void, end: *mut c_void, ms: *mut f32) -> Status;
    pub fn g16_host_copy(
        dst: *mut c_void,
        src: *const c_void,
        bytes: usize,
        stream: RawStream,
    ) -> Status;
    pub fn g16_host_fill(dst: *mut c_void, value: u8, bytes: usize, stream: RawStream) -> Status;
    pub fn g16_host_error_detail(device: *mut c_void, text: *mut c_char, capacity: usize)
    -> Status;
}
