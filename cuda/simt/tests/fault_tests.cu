// Faults: what is noticed, what is told, and that a fault is the whole device's.
#include <cstdio>
#include <stdexcept>

#include "simt/tests/check.h"

namespace G16_NS::simt_kernels {

constexpr int kDeadlockLine = __LINE__ + 3;  // of the barrier; the warp operation is two below
__global__ void deadlock_kernel(uint32_t* out) {
    if (threadIdx.x < 32 || threadIdx.x == 40) {
        __syncthreads();
    } else if (threadIdx.x < 40) {
        __syncwarp(0x1ffu);
    }
    out[threadIdx.x] = 1;
}

__global__ void foreign_mask_kernel(uint32_t* out) { out[threadIdx.x] = __ballot_sync(1u, 1); }

__global__ void mixed_masks_kernel(uint32_t* out) {
    out[threadIdx.x] = __ballot_sync(threadIdx.x < 16 ? 0xffffffffu : 0xffff8000u, 1);
}

__global__ void mixed_operations_kernel(uint32_t* out) {
    if (threadIdx.x == 7) {
        __syncwarp();
    } else {
        out[threadIdx.x] = __shfl_xor_sync(simt::kFullMask, threadIdx.x, 1);
    }
}

__global__ void outside_kernel(uint32_t* out) {
    uint32_t mask = threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u;
    out[threadIdx.x] = __shfl_xor_sync(mask, threadIdx.x, 16);
}

constexpr int kDivergedLine = __LINE__ + 3;  // of the first barrier; the other is two below
__global__ void diverged_kernel(uint32_t* out) {
    if (threadIdx.x % 2 == 0) {
        __syncthreads();
    } else {
        __syncthreads();
    }
    out[threadIdx.x] = 1;
}

__global__ void mixed_barriers_kernel(uint32_t* out) {
    out[threadIdx.x] = threadIdx.x == 3 ? static_cast<uint32_t>(__syncthreads_or(1)) : 0;
    if (threadIdx.x != 3) __syncthreads();
}

__global__ void throwing_kernel(uint32_t* out) {
    __syncwarp();
    if (blockIdx.x == 5 && threadIdx.x == 9) throw std::runtime_error("planted");
    __syncthreads();
    out[threadIdx.x] = 1;
}

__global__ void catching_kernel(uint32_t* out) {
    uint32_t caught = 0;
    try {
        throw threadIdx.x;
    } catch (uint32_t value) {
        caught = value;
    }
    __syncthreads();
    out[threadIdx.x] = caught;
}

template <size_t kBytes>
__global__ void shared_kernel(uint32_t* out) {
    SIMT_SHARED(unsigned char, bytes, kBytes);
    bytes[0] = 1;
    out[0] = bytes[0];
}

__global__ void misaligned_kernel(const unsigned char* in, uint32_t* out) {
    SIMT_SHARED(uint4, tile, 2);
    simt::cp_async16(&tile[0], in + 4);
    simt::cp_async_commit();
    simt::cp_async_wait<0>();
    out[0] = tile[0].x;
}

__global__ void launching_kernel(int32_t* out, void* stream, uint32_t* nothing) {
    out[0] = simt::launch(diverged_kernel, 1, 1, 0, stream, nothing);
}

}  // namespace G16_NS::simt_kernels

namespace simt_tests {

using namespace G16_NS;
using namespace G16_NS::simt_kernels;

namespace {

// Launches, expects the fault and words of its story.
void expect(uint64_t seed, int32_t code, void (*kernel)(uint32_t*), uint32_t blocks,
            uint32_t threads, std::initializer_list<std::string> words) {
    Host host(seed);
    uint32_t* out = host.array<uint32_t>(1024);
    CHECK_EQ(simt::launch(kernel, blocks, threads, 0, host.first, out), 0);
    CHECK_EQ(g16_host_stream_synchronize(host.first), code);
    host.faulty = true;
    std::string story = host.story();
    for (const std::string& word : words) {
        if (story.find(word) == std::string::npos) {
            report(__FILE__, __LINE__, std::string("no '") + word + "' in: " + story);
        }
    }
    // Nothing runs any more, and everybody hears why.
    CHECK_EQ(simt::launch(kernel, blocks, threads, 0, host.first, out), code);
    CHECK_EQ(g16_host_stream_query(host.first), code);
    void* memory = nullptr;
    CHECK_EQ(g16_host_alloc(host.device, 16, &memory), code);
}

std::string at_line(int line) { return "simt/tests/fault_tests.cu:" + std::to_string(line); }

void deadlocks() {
    expect(0, G16_HOST_KERNEL_DEADLOCK, deadlock_kernel, 1, 64,
           {"deadlock_kernel", "block (0, 0, 0)", "threads 0-31 wait at the barrier",
            at_line(kDeadlockLine), at_line(kDeadlockLine + 2),
            "threads 32-39 wait at __syncwarp under mask 0x000001ff",
            "threads 40-40 wait at the barrier", "threads 41-63 have ended"});
    for (uint64_t seed : {1, 2, 3}) {
        expect(seed, G16_HOST_KERNEL_DEADLOCK, deadlock_kernel, 4, 64, {"threads 41-63"});
    }
}

void masks() {
    for (uint64_t seed : {0, 1, 2, 3}) {
        const int32_t code = G16_HOST_MASK_MISMATCH;
        expect(seed, code, foreign_mask_kernel, 1, 2, {"lane 1", "own mask 0x00000001"});
        expect(seed, code, mixed_masks_kernel, 1, 32, {"lanes disagree", "0xffff8000"});
        expect(seed, code, mixed_operations_kernel, 1, 32, {"in another operation"});
        expect(seed, code, outside_kernel, 1, 32, {"reads lane"});
    }
    Host host(0, 1, false);
    uint32_t* out = host.array<uint32_t>(32);
    CHECK_EQ(simt::launch(outside_kernel, 1, 32, 0, host.first, out), 0);
    for (uint32_t word : download(host, out, 32)) CHECK_EQ(word, 0xa5a5a5a5u);
}

void barriers() {
    for (uint64_t seed : {0, 1, 2, 3}) {
        const int32_t code = G16_HOST_BARRIER_DIVERGED;
        expect(seed, code, diverged_kernel, 2, 64,
               {at_line(kDivergedLine), at_line(kDivergedLine + 2)});
        expect(seed, code, mixed_barriers_kernel, 1, 8, {"different barriers"});
    }
    Host host(0, 1, false);
    uint32_t* out = host.array<uint32_t>(64);
    CHECK_EQ(simt::launch(diverged_kernel, 1, 64, 0, host.first, out), 0);
    for (uint32_t word : download(host, out, 64)) CHECK_EQ(word, 1);
}

void exceptions() {
    for (uint64_t seed : {0, 1, 2}) {
        expect(seed, G16_HOST_KERNEL_EXCEPTION, throwing_kernel, 9, 64,
               {"throwing_kernel", "planted", "block (5, 0, 0)"});
        Host host(seed);
        uint32_t* out = host.array<uint32_t>(64);
        CHECK_EQ(simt::launch(catching_kernel, 1, 64, 0, host.first, out), 0);
        std::vector<uint32_t> got = download(host, out, 64);
        for (uint32_t t = 0; t < 64; ++t) CHECK_EQ(got[t], t);
    }
}

void limits() {
    Host host(0);
    uint32_t* out = host.array<uint32_t>(64);
    auto launch = [&](dim3 grid, dim3 block, size_t shared) {
        return simt::launch(diverged_kernel, grid, block, shared, host.first, out);
    };
    CHECK_EQ(launch(1, 1025, 0), G16_HOST_INVALID_LAUNCH);
    CHECK_EQ(launch(1, dim3(1, 1, 65), 0), G16_HOST_INVALID_LAUNCH);
    CHECK_EQ(launch(1, 0, 0), G16_HOST_INVALID_LAUNCH);
    CHECK_EQ(launch(0, 1, 0), G16_HOST_INVALID_LAUNCH);
    CHECK_EQ(launch(dim3(1, 65536), 1, 0), G16_HOST_INVALID_LAUNCH);
    CHECK_EQ(launch(1, 1, 227 * 1024 + 1), G16_HOST_INVALID_LAUNCH);
    CHECK_EQ(simt::launch(diverged_kernel, 1, 1, 0, nullptr, out), G16_HOST_INVALID_VALUE);
    CHECK_EQ(simt::launch(shared_kernel<48 * 1024>, 2, 1, 179 * 1024, host.first, out), 0);
    CHECK_EQ(download(host, out, 1)[0], 1);
    // A kernel cannot launch.
    int32_t* status = host.array<int32_t>(1);
    void* stream = host.first;
    CHECK_EQ(simt::launch(launching_kernel, 1, 1, 0, host.first, status, stream, out), 0);
    CHECK_EQ(download(host, status, 1)[0], G16_HOST_INVALID_VALUE);
    expect(0, G16_HOST_KERNEL_MEMORY, shared_kernel<48 * 1024 + 1>, 1, 1, {"shared memory"});
    Host other(0);
    CHECK_EQ(simt::launch(misaligned_kernel, 1, 1, 0, other.first, other.array<unsigned char>(64),
                          other.array<uint32_t>(1)),
             0);
    CHECK_EQ(g16_host_stream_synchronize(other.first), G16_HOST_KERNEL_MEMORY);
    other.faulty = true;
}

void stories_have_names() {
    CHECK(std::string(simt::status_text(0)) == "no error");
    CHECK(std::string(simt::status_text(-5)) == "unrecognised status");
    CHECK(std::string(simt::status_text(G16_HOST_NOT_READY)) == "not ready");
}

}  // namespace

void fault_tests() {
    deadlocks();
    masks();
    barriers();
    exceptions();
    limits();
    stories_have_names();
}

}  // namespace simt_tests
