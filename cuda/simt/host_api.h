// The host target's runtime: memory, streams and events with CUDA's meaning, on host threads.
//
// Streams are queues. Commands run lazily, in an order that respects streams and events only and is
// chosen by the seed; asynchronous copies read their source when they run.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct G16HostDevice G16HostDevice;
typedef struct G16HostStream G16HostStream;
typedef struct G16HostEvent G16HostEvent;

enum {
    G16_HOST_OK = 0,
    G16_HOST_INVALID_VALUE = 1,
    G16_HOST_OUT_OF_MEMORY = 2,
    G16_HOST_INVALID_LAUNCH = 9,      // as CUDA's: a grid, block or shared size beyond the limits
    G16_HOST_NOT_READY = 600,         // as CUDA's: a query found work left
    G16_HOST_UNKNOWN = 999,           // as CUDA's
    G16_HOST_KERNEL_DEADLOCK = 9001,  // threads wait that nothing will wake
    G16_HOST_MASK_MISMATCH = 9002,    // a warp operation's lanes disagree
    G16_HOST_BARRIER_DIVERGED = 9003,
    G16_HOST_KERNEL_EXCEPTION = 9004,
    G16_HOST_KERNEL_MEMORY = 9005,  // a command lacks memory or reaches where it may not
};

typedef struct G16HostConfig {
    // 0: commands as late as possible, threads ascending; 1: as early as possible, descending;
    // 2: late, and what somebody waits for after all else that can run, threads in random orders;
    // from 3 on: random moments and orders.
    uint64_t seed;
    uint64_t memory_bytes;  // what allocations may take together
    uint32_t threads;       // host threads that run blocks, at least 1
    uint32_t stack_bytes;   // stack of one kernel thread
    uint32_t strict;        // 1: a read outside a warp operation's mask is an error
    uint32_t reserved;
} G16HostConfig;

// A kernel's fault is the whole device's, as on a GPU: what is left is dropped, and every later
// call but those that give something back reports it.
int32_t g16_host_open(const G16HostConfig* config, G16HostDevice** device);
// Drains the device, then destroys it with its streams, events and memory.
int32_t g16_host_close(G16HostDevice* device);
int32_t g16_host_memory(G16HostDevice* device, uint64_t* free_bytes, uint64_t* total_bytes);
int32_t g16_host_alloc(G16HostDevice* device, size_t bytes, void** pointer);
int32_t g16_host_free(G16HostDevice* device, void* pointer);  // drains the device first
int32_t g16_host_stream_create(G16HostDevice* device, G16HostStream** stream);
int32_t g16_host_stream_destroy(G16HostStream* stream);  // drains it first
int32_t g16_host_stream_synchronize(G16HostStream* stream);
int32_t g16_host_stream_query(G16HostStream* stream);
int32_t g16_host_stream_wait_event(G16HostStream* stream, G16HostEvent* event);
int32_t g16_host_event_create(G16HostDevice* device, G16HostEvent** event);
int32_t g16_host_event_destroy(G16HostEvent* event);
int32_t g16_host_event_record(G16HostEvent* event, G16HostStream* stream);
int32_t g16_host_event_synchronize(G16HostEvent* event);
int32_t g16_host_event_query(G16HostEvent* event);
int32_t g16_host_event_elapsed_ms(G16HostEvent* start, G16HostEvent* end, float* ms);
int32_t g16_host_copy(void* dst, const void* src, size_t bytes, G16HostStream* stream);
int32_t g16_host_fill(void* dst, uint8_t value, size_t bytes, G16HostStream* stream);
// The latest error's story (kernel, file, line, threads) into `text`, NUL-terminated.
int32_t g16_host_error_detail(G16HostDevice* device, char* text, size_t capacity);

#ifdef __cplusplus
}
#endif
