// Streams and events: order, lateness, threads; and device memory.
#include <atomic>
#include <cstring>
#include <thread>

#include "simt/tests/check.h"

namespace G16_NS::simt_kernels {

__global__ void scale_kernel(uint32_t* data, uint32_t n, uint32_t factor) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= factor;
}

__global__ void broken_kernel() {
    if (threadIdx.x == 0) __syncwarp(3u);
    __syncthreads();
}

}  // namespace G16_NS::simt_kernels

namespace simt_tests {

using namespace G16_NS;
using namespace G16_NS::simt_kernels;

namespace {

constexpr uint32_t kCount = 1000;

// Uploads on one stream, computes on another, downloads on a third. Without the events' waits the
// result is wrong under some seed. (What is not waited for runs when the device is closed, so that
// the host's memory must outlive it.)
bool pipeline_is_right(uint64_t seed, bool first_wait, bool second_wait) {
    std::vector<uint32_t> values(kCount), got(kCount);
    Host host(seed);
    G16HostStream *compute = host.stream(), *back = host.stream();
    G16HostEvent *uploaded = host.event(), *computed = host.event();
    uint32_t* memory = host.array<uint32_t>(kCount);
    for (uint32_t i = 0; i < kCount; ++i) values[i] = i;
    const size_t bytes = kCount * sizeof(uint32_t);
    CHECK_EQ(g16_host_copy(memory, values.data(), bytes, host.first), 0);
    CHECK_EQ(g16_host_event_record(uploaded, host.first), 0);
    if (first_wait) CHECK_EQ(g16_host_stream_wait_event(compute, uploaded), 0);
    CHECK_EQ(simt::launch(scale_kernel, 4, 256, 0, compute, memory, kCount, 3u), 0);
    CHECK_EQ(g16_host_event_record(computed, compute), 0);
    if (second_wait) CHECK_EQ(g16_host_stream_wait_event(back, computed), 0);
    CHECK_EQ(g16_host_copy(got.data(), memory, bytes, back), 0);
    CHECK_EQ(g16_host_stream_synchronize(back), 0);
    for (uint32_t i = 0; i < kCount; ++i) {
        if (got[i] != i * 3) return false;
    }
    return true;
}

void waits() {
    int without_first = 0, without_second = 0;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        CHECK(pipeline_is_right(seed, true, true));
        without_first += pipeline_is_right(seed, false, true) ? 0 : 1;
        without_second += pipeline_is_right(seed, true, false) ? 0 : 1;
    }
    CHECK(!pipeline_is_right(0, false, true));
    CHECK(!pipeline_is_right(0, true, false));
    CHECK(without_first > 1);
    CHECK(without_second > 1);
}

// A copy reads its source when it runs: late under seed 0, at once under seed 1.
void lateness() {
    for (uint64_t seed : {0, 1}) {
        uint32_t source = 1, got = 0;
        Host host(seed);
        uint32_t* memory = host.array<uint32_t>(1);
        CHECK_EQ(g16_host_copy(memory, &source, 4, host.first), 0);
        source = 2;
        CHECK_EQ(g16_host_copy(&got, memory, 4, host.first), 0);
        CHECK_EQ(got, seed == 0 ? 0 : 1);
        CHECK_EQ(g16_host_stream_synchronize(host.first), 0);
        CHECK_EQ(got, seed == 0 ? 2 : 1);
    }
}

// Seed 2 runs what is waited for after all else: here the second stream reads before the first one
// has written, which no wait forbids.
void others_first() {
    uint32_t got = 0;
    Host host(2);
    G16HostStream* second = host.stream();
    uint32_t* memory = host.array<uint32_t>(1);
    CHECK_EQ(g16_host_fill(memory, 1, 4, host.first), 0);
    CHECK_EQ(g16_host_stream_synchronize(host.first), 0);
    CHECK_EQ(g16_host_fill(memory, 2, 4, host.first), 0);
    CHECK_EQ(g16_host_copy(&got, memory, 4, second), 0);
    CHECK_EQ(got, 0);
    CHECK_EQ(g16_host_stream_synchronize(host.first), 0);
    CHECK_EQ(got, 0x01010101);
}

// Seed 0 runs what is needed and nothing else.
void only_what_is_needed() {
    uint32_t a = 0, b = 0, c = 0, after = 0;
    Host host(0);
    G16HostStream *second = host.stream(), *third = host.stream();
    G16HostEvent* event = host.event();
    uint32_t* memory = host.array<uint32_t>(8);
    CHECK_EQ(g16_host_fill(memory, 1, 32, host.first), 0);
    CHECK_EQ(g16_host_copy(&a, memory, 4, host.first), 0);
    CHECK_EQ(g16_host_event_record(event, host.first), 0);
    CHECK_EQ(g16_host_copy(&after, memory, 4, host.first), 0);
    CHECK_EQ(g16_host_copy(&b, memory, 4, second), 0);
    CHECK_EQ(g16_host_stream_wait_event(third, event), 0);
    CHECK_EQ(g16_host_copy(&c, memory, 4, third), 0);
    CHECK_EQ(g16_host_stream_query(third), 0);
    CHECK_EQ(a, 0x01010101);
    CHECK_EQ(c, 0x01010101);
    CHECK_EQ(b, 0);
    CHECK_EQ(after, 0);
    // A query of an event runs what leads to it.
    CHECK_EQ(g16_host_event_record(event, second), 0);
    CHECK_EQ(g16_host_event_query(event), 0);
    CHECK_EQ(b, 0x01010101);
    CHECK_EQ(after, 0);
}

// A wait means the latest record at its own time, whatever is recorded later.
void waits_mean_the_latest_record() {
    for (uint64_t seed = 0; seed < 8; ++seed) {
        uint32_t got = 0;
        Host host(seed);
        G16HostStream* second = host.stream();
        G16HostEvent *event = host.event(), *never = host.event();
        uint32_t* memory = host.array<uint32_t>(1);
        CHECK_EQ(g16_host_fill(memory, 1, 4, host.first), 0);
        CHECK_EQ(g16_host_event_record(event, host.first), 0);
        CHECK_EQ(g16_host_stream_wait_event(second, event), 0);
        CHECK_EQ(g16_host_stream_wait_event(second, never), 0);
        CHECK_EQ(g16_host_copy(&got, memory, 4, second), 0);
        CHECK_EQ(g16_host_event_record(event, second), 0);
        CHECK_EQ(g16_host_stream_wait_event(host.first, event), 0);
        CHECK_EQ(g16_host_fill(memory, 2, 4, host.first), 0);
        CHECK_EQ(g16_host_event_synchronize(never), 0);
        CHECK_EQ(g16_host_event_query(never), 0);
        CHECK_EQ(g16_host_stream_synchronize(host.first), 0);
        CHECK_EQ(got, 0x01010101);
    }
}

void times() {
    Host host(0);
    G16HostEvent *start = host.event(), *end = host.event();
    float ms = -1;
    CHECK_EQ(g16_host_event_elapsed_ms(start, end, &ms), G16_HOST_INVALID_VALUE);
    CHECK_EQ(g16_host_event_record(start, host.first), 0);
    CHECK_EQ(simt::enqueue(host.first,
                           [] {
                               std::this_thread::sleep_for(std::chrono::milliseconds(5));
                               return 0;
                           }),
             0);
    CHECK_EQ(g16_host_event_record(end, host.first), 0);
    CHECK_EQ(g16_host_event_elapsed_ms(start, end, &ms), G16_HOST_NOT_READY);
    CHECK_EQ(g16_host_event_synchronize(end), 0);
    CHECK_EQ(g16_host_event_elapsed_ms(start, end, &ms), 0);
    CHECK(ms >= 5 && ms < 5000);
}

// Several threads use one device; their streams' work mixes and stays right.
void many_threads(uint64_t seed) {
    Host host(seed, 3);
    std::atomic<int> wrong{0};
    auto work = [&](uint32_t number) {
        G16HostStream* stream = nullptr;
        if (g16_host_stream_create(host.device, &stream) != 0) ++wrong;
        void* memory = nullptr;
        if (g16_host_alloc(host.device, kCount * 4, &memory) != 0) ++wrong;
        for (uint32_t round = 0; round < 20; ++round) {
            std::vector<uint32_t> values(kCount, number), got(kCount);
            auto* data = static_cast<uint32_t*>(memory);
            int32_t status = g16_host_copy(memory, values.data(), kCount * 4, stream);
            for (uint32_t i = 0; i < 3 && status == 0; ++i) {
                status = simt::launch(scale_kernel, 8, 128, 0, stream, data, kCount, round);
            }
            if (status == 0) status = g16_host_copy(got.data(), memory, kCount * 4, stream);
            if (status == 0 && round % 2 == 0) {
                while ((status = g16_host_stream_query(stream)) == G16_HOST_NOT_READY) {
                    std::this_thread::yield();
                }
            }
            if (status == 0) status = g16_host_stream_synchronize(stream);
            if (status != 0 || got[7] != number * round * round * round) ++wrong;
            if (got[kCount - 1] != got[7]) ++wrong;
        }
        if (g16_host_free(host.device, memory) != 0) ++wrong;
        if (g16_host_stream_destroy(stream) != 0) ++wrong;
    };
    std::vector<std::thread> threads;
    for (uint32_t i = 1; i <= 4; ++i) threads.emplace_back(work, i);
    for (std::thread& thread : threads) thread.join();
    CHECK_EQ(wrong.load(), 0);
}

// A fault on one stream reaches those that wait for it, and its events happen.
void faults_spread() {
    for (uint64_t seed : {0, 1, 2}) {
        uint32_t got = 7;
        Host host(seed);
        G16HostStream* second = host.stream();
        G16HostEvent* event = host.event();
        uint32_t* memory = host.array<uint32_t>(1);
        host.faulty = true;
        CHECK_EQ(simt::launch(broken_kernel, 1, 2, 0, host.first), 0);
        (void)g16_host_event_record(event, host.first);
        (void)g16_host_stream_wait_event(second, event);
        (void)g16_host_copy(&got, memory, 4, second);
        CHECK_EQ(g16_host_stream_synchronize(second), G16_HOST_KERNEL_DEADLOCK);
        CHECK_EQ(got, 7);
        CHECK_EQ(g16_host_event_synchronize(event), G16_HOST_KERNEL_DEADLOCK);
        CHECK_EQ(g16_host_free(host.device, memory), G16_HOST_KERNEL_DEADLOCK);
        CHECK_EQ(g16_host_stream_destroy(second), G16_HOST_KERNEL_DEADLOCK);
    }
}

void memory() {
    constexpr size_t kMiB = 1 << 20;
    Host host(0, 1, true, 200 * kMiB);
    uint64_t free_bytes = 0, total = 0;
    for (size_t bytes : {size_t{1}, size_t{1000}, 3 * kMiB + 5, 100 * kMiB + 77}) {
        auto* memory = host.array<unsigned char>(bytes);
        CHECK_EQ(reinterpret_cast<uintptr_t>(memory) % 256, 0);
        std::vector<unsigned char> got = download(host, memory, bytes);
        for (size_t i = 0; i < bytes; i += bytes / 7 + 1) CHECK_EQ(got[i], 0xa5);
        CHECK_EQ(got[bytes - 1], 0xa5);
        CHECK_EQ(g16_host_memory(host.device, &free_bytes, &total), 0);
        CHECK_EQ(total - free_bytes, (bytes + 255) / 256 * 256);
        // Freeing drains first: the late fill still finds its memory.
        CHECK_EQ(g16_host_fill(memory, 1, bytes, host.first), 0);
        CHECK_EQ(g16_host_free(host.device, memory), 0);
        CHECK_EQ(g16_host_fill(memory, 1, bytes, host.first), G16_HOST_INVALID_VALUE);
    }
    CHECK_EQ(g16_host_memory(host.device, &free_bytes, &total), 0);
    CHECK_EQ(free_bytes, total);
    void* pointer = nullptr;
    CHECK_EQ(g16_host_alloc(host.device, 200 * kMiB + 1, &pointer), G16_HOST_OUT_OF_MEMORY);
    CHECK(host.story().find("209715201 bytes") != std::string::npos);
    CHECK_EQ(g16_host_alloc(host.device, ~size_t{0}, &pointer), G16_HOST_OUT_OF_MEMORY);
    CHECK_EQ(g16_host_alloc(host.device, 200 * kMiB, &pointer), 0);
    CHECK_EQ(g16_host_free(host.device, &pointer), G16_HOST_INVALID_VALUE);
    char outside[16];
    CHECK_EQ(g16_host_copy(outside, outside + 8, 8, host.first), G16_HOST_INVALID_VALUE);
    // Large memory that nobody writes costs nothing.
    Host large(0, 1, true, uint64_t{1} << 40);
    CHECK(large.bytes(size_t{64} << 30) != nullptr);
}

void open_refuses() {
    G16HostDevice* device = nullptr;
    G16HostConfig config{0, 1 << 20, 0, 65536, 1, 0};
    CHECK_EQ(g16_host_open(&config, &device), G16_HOST_INVALID_VALUE);
    config.threads = 1;
    config.stack_bytes = 1024;
    CHECK_EQ(g16_host_open(&config, &device), G16_HOST_INVALID_VALUE);
}

}  // namespace

void stream_tests() {
    waits();
    lateness();
    others_first();
    only_what_is_needed();
    waits_mean_the_latest_record();
    times();
    for (uint64_t seed : {0, 1, 2, 3}) many_threads(seed);
    faults_spread();
    memory();
    open_refuses();
}

}  // namespace simt_tests
