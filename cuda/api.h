// The whole C ABI between the kernels and Rust (src/ffi.rs mirrors it field by field).
//
// Every launcher takes device pointers, sizes, a workspace and a stream; it enqueues work and returns
// a status: 0, or the target's error code. Launchers do not allocate, do not synchronise, do not
// print and keep no state. A `*_workspace` function answers in bytes and touches no device.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t G16Status;
typedef void* G16Stream;  // cudaStream_t or G16HostStream*

// From variables to points of a query (curve/index_map.cuh).
typedef struct G16IndexMap {
    const uint32_t* bitmap;  // bit v % 32 of word v / 32: variable v has a point; null: all have
    const uint32_t* rank;    // points of the variables before each word; null with the bitmap
    uint32_t variables;      // variables from this on have no point
    uint32_t first;          // the query's point number that the chunk starts with
    uint32_t points;         // points in the chunk
    uint32_t reserved;
} G16IndexMap;

// --- probe: element-wise field and curve operations, for tests ---------------------------------
typedef struct G16ProbeApi {
    uint32_t reserved;
} G16ProbeApi;

// --- ntt -----------------------------------------------------------------------------------------
typedef struct G16NttApi {
    uint32_t reserved;
} G16NttApi;

// --- quotient ------------------------------------------------------------------------------------
typedef struct G16QuotientApi {
    uint32_t reserved;
} G16QuotientApi;

// --- witness -------------------------------------------------------------------------------------
typedef struct G16WitnessApi {
    uint32_t reserved;
} G16WitnessApi;

// --- batch addition ------------------------------------------------------------------------------
typedef struct G16BatchAddApi {
    uint32_t reserved;
} G16BatchAddApi;

// --- points: key bytes to the kernels' layout ----------------------------------------------------
typedef struct G16PointsApi {
    uint32_t reserved;
} G16PointsApi;

// --- msm, one table for each group ---------------------------------------------------------------
typedef struct G16MsmApi {
    uint32_t reserved;
} G16MsmApi;

// One target's kernels.
typedef struct G16Api {
    uint32_t size_bytes;  // sizeof(G16Api), compared with Rust's when a device is opened
    uint32_t reserved;
    // Touches every kernel, so that nothing is loaded lazily later.
    G16Status (*load)(void);
    // The text of a status, never null.
    const char* (*status_text)(G16Status status);
    G16ProbeApi probe;
    G16NttApi ntt;
    G16QuotientApi quotient;
    G16WitnessApi witness;
    G16BatchAddApi batch_add;
    G16PointsApi points;
    G16MsmApi msm_g1;
    G16MsmApi msm_g2;
} G16Api;

const G16Api* g16_api_host(void);
const G16Api* g16_api_cuda(void);

#ifdef __cplusplus
}
#endif
