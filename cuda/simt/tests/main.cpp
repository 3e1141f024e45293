// Tests of the host target's runtime, from kernels and from the C ABI; run under sanitizers.
#include <cstdio>
#include <cstring>

#include "simt/tests/check.h"

namespace simt_tests {

int failures = 0;

void report(const char* file, int line, const std::string& what) {
    ++failures;
    fprintf(stderr, "%s:%d: %s\n", file, line, what.c_str());
}

Host::Host(uint64_t seed, uint32_t threads, bool strict, uint64_t memory_bytes) {
    G16HostConfig config{seed, memory_bytes, threads, 64 * 1024, strict ? 1u : 0u, 0};
    CHECK_EQ(g16_host_open(&config, &device), 0);
    first = stream();
}

Host::~Host() {
    int32_t status = g16_host_close(device);
    CHECK((status != 0) == faulty);
}

G16HostStream* Host::stream() {
    G16HostStream* made = nullptr;
    CHECK_EQ(g16_host_stream_create(device, &made), 0);
    return made;
}

G16HostEvent* Host::event() {
    G16HostEvent* made = nullptr;
    CHECK_EQ(g16_host_event_create(device, &made), 0);
    return made;
}

void* Host::bytes(size_t count) {
    void* memory = nullptr;
    CHECK_EQ(g16_host_alloc(device, count, &memory), 0);
    return memory;
}

std::string Host::story() {
    char text[4096];
    CHECK_EQ(g16_host_error_detail(device, text, sizeof text), 0);
    return text;
}

}  // namespace simt_tests

int main() {
    struct {
        const char* name;
        void (*run)();
    } const groups[] = {
        {"blocks", simt_tests::block_tests},    {"warps", simt_tests::warp_tests},
        {"faults", simt_tests::fault_tests},    {"streams", simt_tests::stream_tests},
        {"primitives", simt_tests::prim_tests},
    };
    int passed = 0, failed = 0;
    for (const auto& group : groups) {
        int before = simt_tests::failures;
        group.run();
        bool ok = before == simt_tests::failures;
        printf("simt %s: %s\n", group.name, ok ? "ok" : "FAILED");
        ok ? ++passed : ++failed;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
