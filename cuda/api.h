// The whole C ABI between the kernels and Rust (src/ffi.rs mirrors it field by field).
//
// Every launcher takes device pointers, sizes, a workspace and a stream; it enqueues work and
// returns a status: 0, or the target's error code. Launchers do not allocate, do not synchronise,
// do not print and keep no state. A `*_workspace` function answers in bytes and touches no device.
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

// --- probe: element-wise field and curve operations, and chains of them, for tests and benches ---
enum {
    G16_PROBE_ADD = 0,
    G16_PROBE_SUB = 1,
    G16_PROBE_NEG = 2,
    G16_PROBE_DBL = 3,
    G16_PROBE_MUL = 4,
    G16_PROBE_SQR = 5,
    G16_PROBE_MUL_CALL = 6,  // the out-of-line forms
    G16_PROBE_SQR_CALL = 7,
    G16_PROBE_INVERSE = 8,
    G16_PROBE_MUL_ADD_MUL = 9,  // a b + c d, c and d being a and b from the other end; not for Fr
    G16_PROBE_MUL_SUB_MUL = 10,
    G16_PROBE_HALF = 11,
    G16_PROBE_FROM_CANONICAL = 12,  // not for Fp2, as the next two
    G16_PROBE_TO_CANONICAL = 13,
    G16_PROBE_POW = 14,  // the exponent is b's two lowest limbs
    // For Fr alone, on numbers that need not be reduced, see field/loose.cuh.
    G16_PROBE_ADD_LOOSE = 15,
    G16_PROBE_SUB_LOOSE = 16,
    G16_PROBE_ADD_TIGHT = 17,
    G16_PROBE_TIGHTENED = 18,      // a
    G16_PROBE_REDUCED_LOOSE = 19,  // a
    G16_PROBE_MUL_TIGHT = 20,      // a b, a reduced, as in the next two
    G16_PROBE_MUL_HALVES = 21,
    G16_PROBE_MUL_SPLIT = 22,
};

enum {
    G16_PROBE_FROM_AFFINE = 0,       // a
    G16_PROBE_ADD_MIXED = 1,         // p + a
    G16_PROBE_ADD_MIXED_INLINE = 2,  // p + a
    G16_PROBE_ADD_POINTS = 3,        // p + q
    G16_PROBE_DBL_POINT = 4,         // 2p
    G16_PROBE_DBL_AFFINE = 5,        // 2a
    G16_PROBE_NEG_POINT = 6,         // -p
};

// Chains of one operation, to be timed: of the fields, of points.
enum {
    G16_CHAIN_MUL = 0,
    G16_CHAIN_MUL_CALL = 1,  // the out-of-line form
    G16_CHAIN_SQR = 2,
};

enum {
    G16_CHAIN_ADD_MIXED = 0,         // the field's operations by call
    G16_CHAIN_ADD_MIXED_INLINE = 1,  // in line, for G1 alone
};

// out[i] is what `steps` steps with b[i] make of a[i], for n elements; one step of the operation.
typedef G16Status (*G16Chains)(uint32_t operation, const void* a, const void* b, uint32_t steps,
                               void* out, uint32_t n, G16Stream stream);

typedef struct G16ProbeCurveApi {
    // p, q, out: extended Jacobian; a: affine. All of n points.
    G16Status (*xyzz)(uint32_t operation, const void* p, const void* q, const void* a, void* out,
                      uint32_t n, G16Stream stream);
    G16Status (*to_affine)(const void* p, void* out, uint32_t n, G16Stream stream);
    // out: n bytes, 1 where a is infinity or on the curve.
    G16Status (*on_curve)(const void* a, void* out, uint32_t n, G16Stream stream);
    G16Chains chains;  // a, b: affine; out: extended Jacobian
} G16ProbeCurveApi;

typedef struct G16ProbeApi {
    // a, b, out: n elements.
    G16Status (*fp)(uint32_t operation, const void* a, const void* b, void* out, uint32_t n,
                    G16Stream stream);
    G16Status (*fr)(uint32_t operation, const void* a, const void* b, void* out, uint32_t n,
                    G16Stream stream);
    G16Status (*fp2)(uint32_t operation, const void* a, const void* b, void* out, uint32_t n,
                     G16Stream stream);
    // bytes: 48 a number, big-endian; canonical: n bytes, 0 where a number is not below p.
    G16Status (*fp_decode)(const void* bytes, void* out, void* canonical, uint32_t n,
                           G16Stream stream);
    G16Chains fp_chains;
    G16Chains fr_chains;
    G16Chains fp2_chains;
    G16ProbeCurveApi g1;
    G16ProbeCurveApi g2;
} G16ProbeApi;

// --- ntt -----------------------------------------------------------------------------------------
// A domain of n = 2^log_size points: its tables in device memory, and w of order 2n, whose square
// generates it. Scalars are in Montgomery form.
typedef struct G16Domain {
    void* tables;
    uint32_t log_size;
    uint32_t root[8];
    uint32_t reserved;
} G16Domain;

typedef struct G16NttApi {
    // Scalars that the tables of a domain take; 0 where there is no such domain.
    size_t (*domain_len)(uint32_t log_size);
    // Builds a domain's tables.
    G16Status (*domain_build)(const G16Domain* domain, G16Stream stream);
    // Scalars that the tables of a coset take.
    size_t (*coset_len)(uint32_t log_size);
    // Builds a coset's tables from its shift and the shift's inverse, both in host memory.
    G16Status (*coset_build)(void* coset, uint32_t log_size, const void* shift,
                             const void* inverse_shift, G16Stream stream);
    // `batch` transforms in place, below 2^32 scalars together. With `reversed_input` from
    // bit-reversed to natural order, else from natural to bit-reversed order. `coset` may be null.
    G16Status (*transform)(void* data, const G16Domain* domain, const void* coset, uint32_t batch,
                           uint32_t inverse, uint32_t reversed_input, G16Stream stream);
    // Changes the order of each array of the batch, in place.
    G16Status (*bit_reverse)(void* data, uint32_t log_size, uint32_t batch, G16Stream stream);
} G16NttApi;

// --- quotient ------------------------------------------------------------------------------------
typedef struct G16QuotientApi {
    // From evaluations a and b (Montgomery form) the quotient's n coefficients, in natural order
    // and canonical form, into b. a and w (of n scalars) are overwritten.
    G16Status (*quotient)(void* a, void* b, void* w, const G16Domain* domain, G16Stream stream);
} G16QuotientApi;

// --- witness -------------------------------------------------------------------------------------
typedef struct G16WitnessApi {
    // Bytes of workspace to classify n scalars.
    G16Status (*workspace)(uint32_t n, size_t* bytes);
    // Writes the ascending indices of the ones to `ones`, of those that are neither zero nor one to
    // `rest`, as far as the capacities reach, and how many there are to counts[0] and counts[1].
    G16Status (*classify)(const void* scalars, uint32_t n, uint32_t* ones, uint32_t ones_capacity,
                          uint32_t* rest, uint32_t rest_capacity, uint32_t* counts, void* workspace,
                          G16Stream stream);
} G16WitnessApi;

// --- batch addition, one table for each group ----------------------------------------------------
typedef struct G16BatchAddApi {
    // How many partial sums a list of at most max_count elements leaves for the host: 1 to 64.
    uint32_t (*partials)(uint32_t max_count);
    // Bytes of workspace.
    size_t (*workspace)(uint32_t max_count);
    // Writes partial sums of the points that the first min(*count, max_count) elements of `list`
    // map to. An element without a point is skipped.
    G16Status (*sum)(const void* points, const G16IndexMap* map, const uint32_t* list,
                     const uint32_t* count, uint32_t max_count, void* partials, void* workspace,
                     G16Stream stream);
} G16BatchAddApi;

// --- points: between uncompressed bytes and the kernels' layout, one table for each group --------
enum {
    // Why a point is refused.
    G16_POINT_COMPRESSED = 1,  // the flag of a compressed point
    G16_POINT_SORT_FLAG = 2,   // the flag of the larger y
    G16_POINT_NOT_ZERO = 3,    // infinity with other bits set
    G16_POINT_INFINITY = 4,    // infinity where it is refused
    G16_POINT_COORDINATE = 5,  // a coordinate not below p
    G16_POINT_CURVE = 6,       // not on the curve
    G16_POINT_SUBGROUP = 7,    // not in the subgroup of order r
    // A fault word is index << G16_POINT_REASON_BITS | reason; all ones: none.
    G16_POINT_REASON_BITS = 3,
    // Checks that a caller may leave out.
    G16_POINT_CHECK_CURVE = 1,
    G16_POINT_REFUSE_INFINITY = 2,
};

typedef struct G16PointsApi {
    // Turns n uncompressed encodings, aligned to 16 bytes, into affine points, which may take their
    // place. *fault falls to the first refused one, counted from `first`; its point is infinity.
    G16Status (*decode)(const void* bytes, uint32_t n, uint32_t first, uint32_t checks,
                        void* points, uint32_t* fault, G16Stream stream);
    // *fault falls to the first point that is not in the subgroup.
    G16Status (*check_subgroup)(const void* points, uint32_t n, uint32_t first, uint32_t* fault,
                                G16Stream stream);
    // Turns n affine points into uncompressed encodings, in place.
    G16Status (*encode)(void* points, uint32_t n, G16Stream stream);
} G16PointsApi;

// --- fixed base: many multiples of one point B, one table for each group -------------------------
typedef struct G16FixedBaseApi {
    // Windows of a scalar that suit this many multiples. It belongs to all that follows.
    uint32_t (*windows)(uint64_t multiples);
    // The bit of a scalar that a window starts with.
    uint32_t (*window_start)(uint32_t windows, uint32_t window);
    // Points of a table.
    uint32_t (*entries)(uint32_t windows);
    // Bytes of workspace for n multiples, or to build a table of n points.
    size_t (*workspace)(uint32_t n);
    // Builds a table from bases[w] = 2^(window w's start) B, affine.
    G16Status (*build)(const void* bases, uint32_t windows, void* table, void* workspace,
                       G16Stream stream);
    // out[i] = scalars[i] B, affine, from n scalars in Montgomery form. B has the order r.
    G16Status (*multiply)(const void* scalars, uint32_t n, const void* table, uint32_t windows,
                          void* out, void* workspace, G16Stream stream);
} G16FixedBaseApi;

// --- msm, one table for each group ---------------------------------------------------------------
// What is asked of a plan.
typedef struct G16MsmShape {
    uint32_t terms;          // at most
    uint32_t windows;        // 0: the tuned number
    uint32_t group;          // windows a group; 0: as many as keep its lists short
    uint32_t chunk;          // terms a chunk; 0: all
    uint32_t affine_levels;  // of additions in affine coordinates
    uint32_t multiples;      // 1: the points are multiples for each window
} G16MsmShape;

// The shape of a multi-scalar multiplication: a pure function of what was asked, equal for all
// targets.
typedef struct G16MsmPlan {
    uint32_t terms;           // terms at most, for which the windows are chosen
    uint32_t windows;         // windows of a scalar
    uint32_t group;           // windows that are sorted and accumulated together
    uint32_t bucket_bits;     // log2 of a window's buckets
    uint32_t task_terms;      // terms of one accumulation task, at most
    uint32_t tasks;           // tasks of a group, at most
    uint32_t combine_rounds;  // rounds that combine a bucket's partial sums
    uint32_t chunk;           // terms that are sorted at a time, for which the lists are sized
    uint32_t affine_levels;   // of additions in affine coordinates before the mixed ones
    uint32_t affine_tasks;    // tasks whose affine additions a part does together
    uint32_t multiples;       // 1: point w · n + i is 2^(window w's start) times point i of n, and
                              // all windows share their buckets
    uint32_t reserved;
    uint64_t sorted_bytes;   // what sorting leaves, for any number of accumulations
    uint64_t sort_bytes;     // what sorting needs meanwhile
    uint64_t partial_bytes;  // what accumulation and reduction need
    uint64_t result_bytes;   // the sums of all windows
} G16MsmPlan;

typedef struct G16MsmScalars {
    const void* scalars;        // Fr by variable
    const uint32_t* variables;  // the terms' variables, distinct; null: term i is variable i
    const uint32_t* count;      // on the device, how many terms there are; null: all
    uint32_t scalars_length;    // variables from this on are no terms
    uint32_t first;             // the chunk's first term
    uint32_t terms;             // of the chunk, at most the plan's
    uint32_t montgomery;        // 1: Montgomery form, 0: canonical
} G16MsmScalars;

typedef struct G16MsmApi {
    G16Status (*plan)(const G16MsmShape* shape, G16MsmPlan* plan);
    // Sorts the chunk's digits of the group of windows that starts with `first_window`, a multiple
    // of the plan's group. The lists serve both curves, whatever the points.
    G16Status (*sort)(const G16MsmPlan* plan, const G16MsmScalars* scalars, uint32_t first_window,
                      void* sorted, void* scratch, G16Stream stream);
    // Adds the points of each bucket of `sorted`, affine in `points`, that `map` has (of multiples,
    // `map` has those of one window): into fresh
    // sums, or with `resume` onto the buckets' sums that an earlier chunk of terms, or of the
    // query, left in `partials`. There are two parts, 0 and 1, on streams of their own or on one;
    // combine, behind both, ends them.
    G16Status (*accumulate)(const G16MsmPlan* plan, uint32_t first_window, const void* sorted,
                            const void* points, const G16IndexMap* map, uint32_t resume,
                            uint32_t part, void* partials, G16Stream stream);
    // The pieces of long buckets meet.
    G16Status (*combine)(const G16MsmPlan* plan, uint32_t first_window, const void* sorted,
                         void* partials, G16Stream stream);
    // Sums the group's buckets into its windows' places in `result`, which is for all windows.
    G16Status (*reduce)(const G16MsmPlan* plan, uint32_t first_window, void* partials, void* result,
                        G16Stream stream);
    // On the host, at once: the sum as an uncompressed encoding, out of a downloaded result.
    G16Status (*finish)(const G16MsmPlan* plan, const void* result, uint8_t* encoding);
    // Bytes of workspace for the multiples of n points.
    size_t (*multiples_workspace)(uint32_t n);
    // Behind n affine points writes their multiples for windows 1, 2, …, n points each.
    G16Status (*multiples)(uint32_t windows, uint32_t n, void* points, void* workspace,
                           G16Stream stream);
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
    G16BatchAddApi batch_add_g1;
    G16BatchAddApi batch_add_g2;
    G16PointsApi points_g1;
    G16PointsApi points_g2;
    G16FixedBaseApi fixed_base_g1;
    G16FixedBaseApi fixed_base_g2;
    G16MsmApi msm_g1;
    G16MsmApi msm_g2;
} G16Api;

// The sum of `count` points in XYZZ coordinates as an uncompressed encoding of 96 or 192 bytes.
// Host memory, host code, in both targets.
void g16_sum_finish_g1(const void* partials, uint32_t count, uint8_t* bytes);
void g16_sum_finish_g2(const void* partials, uint32_t count, uint8_t* bytes);

const G16Api* g16_api_host(void);
const G16Api* g16_api_cuda(void);
// The host target's probe over the GPU's arithmetic, with emulated carries.
const G16ProbeApi* g16_probe_host32(void);

#ifdef __cplusplus
}
#endif
