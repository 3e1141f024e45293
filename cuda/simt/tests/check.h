// A test is a function; a failed check says where and is counted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simt/host_api.h"
#include "simt/simt.cuh"

namespace simt_tests {

extern int failures;

void report(const char* file, int line, const std::string& what);

#define CHECK(condition)                                                        \
    do {                                                                        \
        if (!(condition)) ::simt_tests::report(__FILE__, __LINE__, #condition); \
    } while (0)

#define CHECK_EQ(a, b)                                                                             \
    do {                                                                                           \
        long long left = static_cast<long long>(a), right = static_cast<long long>(b);             \
        if (left != right) {                                                                       \
            ::simt_tests::report(                                                                  \
                __FILE__, __LINE__,                                                                \
                std::string(#a " is ") + std::to_string(left) + ", not " + std::to_string(right)); \
        }                                                                                          \
    } while (0)

// A device with its first stream, closed at the end.
class Host {
  public:
    explicit Host(uint64_t seed, uint32_t threads = 2, bool strict = true,
                  uint64_t memory_bytes = 256u << 20);
    ~Host();
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    G16HostStream* stream();
    G16HostEvent* event();
    void* bytes(size_t count);
    template <class T>
    T* array(size_t count) {
        return static_cast<T*>(bytes(count * sizeof(T)));
    }
    std::string story();

    G16HostDevice* device = nullptr;
    G16HostStream* first = nullptr;
    // A fault was provoked: closing reports it again.
    bool faulty = false;
};

// Uploads, downloads and waits.
template <class T>
T* upload(Host& host, const std::vector<T>& values) {
    T* memory = host.array<T>(values.size());
    CHECK_EQ(g16_host_copy(memory, values.data(), values.size() * sizeof(T), host.first), 0);
    CHECK_EQ(g16_host_stream_synchronize(host.first), 0);
    return memory;
}
template <class T>
std::vector<T> download(Host& host, const T* memory, size_t count) {
    std::vector<T> values(count);
    CHECK_EQ(g16_host_copy(values.data(), memory, count * sizeof(T), host.first), 0);
    CHECK_EQ(g16_host_stream_synchronize(host.first), 0);
    return values;
}

void block_tests();
void warp_tests();
void fault_tests();
void stream_tests();
void prim_tests();

}  // namespace simt_tests
