// Blocks: indices, barriers, shared memory, asynchronous copies, atomics.
#include <algorithm>
#include <numeric>

#include "simt/tests/check.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace G16_NS::simt_kernels {

__global__ void index_kernel(uint32_t* out) {
    uint32_t block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    uint32_t thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    uint32_t size = blockDim.x * blockDim.y * blockDim.z;
    out[block * size + thread] += block * size + thread;
}

// Each block reverses its piece, by a static array and a dynamic one in turn.
__global__ void reverse_kernel(uint32_t* data) {
    SIMT_SHARED(uint32_t, fixed, 1024);
    SIMT_DYN_SHARED(uint32_t, dynamic);
    uint32_t at = blockIdx.x * blockDim.x + threadIdx.x;
    fixed[threadIdx.x] = data[at];
    __syncthreads();
    dynamic[threadIdx.x] = fixed[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
    data[at] = dynamic[threadIdx.x] + fixed[0];
}

// The sum of each block's values in a tree; some threads leave early.
template <class T>
__global__ void tree_kernel(const T* in, T* out) {
    SIMT_SHARED(T, sums, 1024);
    uint32_t t = threadIdx.x;
    sums[t] = in[blockIdx.x * blockDim.x + t];
    for (uint32_t half = blockDim.x / 2; half != 0; half /= 2) {
        __syncthreads();
        if (t >= half) return;
        sums[t] += sums[t + half];
    }
    out[blockIdx.x] = sums[0];
}

__global__ void reduction_kernel(uint32_t* out) {
    uint32_t t = threadIdx.x;
    int count = __syncthreads_count(t % 3 == 0);
    int any = __syncthreads_or(t == 17);
    int none = __syncthreads_or(0);
    int all = __syncthreads_and(1);
    int most = __syncthreads_and(t != 17);
    out[t] = static_cast<uint32_t>(count * 16 + any * 8 + none * 4 + all * 2 + most);
}

__global__ void histogram_kernel(const uint32_t* in, uint32_t n, uint32_t* counts, uint64_t* sum,
                                 uint32_t* most) {
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&counts[in[i] % 16], 1);
        atomicAdd(sum, in[i]);
        atomicMax(most, in[i]);
    }
}

// Two tiles in turn, the next one fetched while this one is summed.
__global__ void fetch_kernel(const uint4* in, uint32_t tiles, uint32_t* out) {
    SIMT_SHARED(uint4, tile, 128);
    uint32_t t = threadIdx.x, sum = 0;
    simt::cp_async16(&tile[t], &in[t]);
    simt::cp_async_commit();
    for (uint32_t i = 0; i < tiles; ++i) {
        if (i + 1 < tiles) {
            simt::cp_async16(&tile[(i + 1) % 2 * 64 + t], &in[(i + 1) * 64 + t]);
        }
        simt::cp_async_commit();
        simt::cp_async_wait<1>();
        __syncthreads();
        uint4 v = tile[i % 2 * 64 + 63 - t];
        sum += v.x + v.y + v.z + v.w;
        __syncthreads();
    }
    out[t] = sum;
}

// Reads a fetched tile without having waited for it.
__global__ void unfetched_kernel(const uint4* in, uint32_t* out) {
    SIMT_SHARED(uint4, tile, 32);
    simt::cp_async16(&tile[threadIdx.x], &in[threadIdx.x]);
    simt::cp_async_commit();
    out[threadIdx.x] = tile[threadIdx.x].x;
    simt::cp_async_wait<0>();
}

// Shared memory of a fresh block holds nothing of the last one's.
__global__ void fresh_kernel(uint32_t* out) {
    SIMT_SHARED(uint32_t, word, 1);
    out[blockIdx.x] = word[0];
    word[0] = 1;
}

// A barrier is missing: in some order a thread reads what its neighbour has not written.
__global__ void unguarded_kernel(uint32_t* out) {
    SIMT_SHARED(uint32_t, values, 256);
    values[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = values[(threadIdx.x + 1) % blockDim.x];
}

__global__ void deep_kernel(uint32_t* out) {
    uint32_t values[2048];
    for (uint32_t i = 0; i < 2048; ++i) values[i] = i ^ threadIdx.x;
    __syncthreads();
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 2048; ++i) sum += values[i];
    out[threadIdx.x] = sum;
}

#ifdef __SANITIZE_ADDRESS__
// Whether the bytes around a shared array may be touched: between them and it, they may not.
__global__ void redzone_kernel(uint32_t* out) {
    SIMT_SHARED(uint32_t, first, 5);
    SIMT_SHARED(uint32_t, second, 16);
    SIMT_DYN_SHARED(uint32_t, dynamic);
    out[0] = static_cast<uint32_t>(__asan_address_is_poisoned(&first[0] + 5));
    out[1] = static_cast<uint32_t>(__asan_address_is_poisoned(&second[0] - 1));
    out[2] = static_cast<uint32_t>(__asan_address_is_poisoned(dynamic + 3));
    out[3] = static_cast<uint32_t>(__asan_address_is_poisoned(&second[15]));
}
#endif

}  // namespace G16_NS::simt_kernels

namespace simt_tests {

using namespace G16_NS;
using namespace G16_NS::simt_kernels;

namespace {

std::vector<uint32_t> numbers(size_t n) {
    std::vector<uint32_t> values(n);
    uint32_t state = 1;
    for (uint32_t& value : values) value = state = state * 1664525 + 1013904223;
    return values;
}

void indices(Host& host) {
    dim3 grid(3, 2, 2), block(5, 3, 2);
    std::vector<uint32_t> zeros(360, 0);
    uint32_t* out = upload(host, zeros);
    CHECK_EQ(simt::launch(index_kernel, grid, block, 0, host.first, out), 0);
    std::vector<uint32_t> got = download(host, out, 360);
    for (uint32_t i = 0; i < 360; ++i) CHECK_EQ(got[i], i);
}

void shared_memory(Host& host) {
    for (uint32_t size : {1u, 31u, 32u, 33u, 256u, 1024u}) {
        std::vector<uint32_t> values = numbers(size * 7);
        uint32_t* data = upload(host, values);
        CHECK_EQ(simt::launch(reverse_kernel, 7, size, size * 4, host.first, data), 0);
        std::vector<uint32_t> got = download(host, data, size * 7);
        for (uint32_t i = 0; i < size * 7; ++i) {
            uint32_t block = i / size * size;
            CHECK_EQ(got[i], values[block + size - 1 - i % size] + values[block]);
        }
    }
    uint32_t* fresh = host.array<uint32_t>(9);
    CHECK_EQ(simt::launch(fresh_kernel, 9, 1, 0, host.first, fresh), 0);
    for (uint32_t word : download(host, fresh, 9)) CHECK_EQ(word, 0xa5a5a5a5u);
}

void early_returns(Host& host) {
    std::vector<uint64_t> wide(1024 * 5);
    std::iota(wide.begin(), wide.end(), 1);
    uint64_t* in = upload(host, wide);
    uint64_t* out = host.array<uint64_t>(5);
    for (uint32_t size : {2u, 64u, 1024u}) {
        CHECK_EQ(simt::launch(tree_kernel<uint64_t>, 5, size, 0, host.first, in, out), 0);
        std::vector<uint64_t> got = download(host, out, 5);
        for (uint32_t b = 0; b < 5; ++b) {
            CHECK_EQ(got[b], std::accumulate(wide.begin() + b * size, wide.begin() + (b + 1) * size,
                                             uint64_t{0}));
        }
    }
}

void reductions(Host& host) {
    uint32_t* out = host.array<uint32_t>(100);
    CHECK_EQ(simt::launch(reduction_kernel, 1, 100, 0, host.first, out), 0);
    for (uint32_t got : download(host, out, 100)) CHECK_EQ(got, 34 * 16 + 8 + 2);
}

void atomics(Host& host) {
    std::vector<uint32_t> values = numbers(10000);
    uint32_t* in = upload(host, values);
    uint32_t* counts = upload(host, std::vector<uint32_t>(17, 0));
    uint64_t* sum = upload(host, std::vector<uint64_t>(1, 0));
    CHECK_EQ(
        simt::launch(histogram_kernel, 6, 64, 0, host.first, in, 10000u, counts, sum, counts + 16),
        0);
    std::vector<uint32_t> got = download(host, counts, 17);
    for (uint32_t d = 0; d < 16; ++d) {
        CHECK_EQ(got[d], std::count_if(values.begin(), values.end(),
                                       [d](uint32_t v) { return v % 16 == d; }));
    }
    CHECK_EQ(got[16], *std::max_element(values.begin(), values.end()));
    CHECK_EQ(download(host, sum, 1)[0], std::accumulate(values.begin(), values.end(), uint64_t{0}));
}

void asynchronous_copies(Host& host) {
    std::vector<uint32_t> values = numbers(64 * 4 * 5);
    uint32_t* in = upload(host, values);
    uint32_t* out = host.array<uint32_t>(64);
    const uint4* tiles = reinterpret_cast<const uint4*>(in);
    CHECK_EQ(simt::launch(fetch_kernel, 1, 64, 0, host.first, tiles, 5u, out), 0);
    std::vector<uint32_t> got = download(host, out, 64);
    for (uint32_t t = 0; t < 64; ++t) {
        uint32_t sum = 0;
        for (uint32_t tile = 0; tile < 5; ++tile) {
            for (uint32_t k = 0; k < 4; ++k) sum += values[(tile * 64 + 63 - t) * 4 + k];
        }
        CHECK_EQ(got[t], sum);
    }
    CHECK_EQ(simt::launch(unfetched_kernel, 1, 32, 0, host.first, tiles, out), 0);
    for (uint32_t word : download(host, out, 32)) CHECK_EQ(word, 0xa5a5a5a5u);
}

// Whether a kernel without its barrier gives the right answer under this seed.
bool lucky_without_barrier(Host& host) {
    uint32_t* out = host.array<uint32_t>(256);
    CHECK_EQ(simt::launch(unguarded_kernel, 1, 256, 0, host.first, out), 0);
    std::vector<uint32_t> got = download(host, out, 256);
    for (uint32_t t = 0; t < 256; ++t) {
        if (got[t] != (t + 1) % 256) return false;
    }
    return true;
}

#ifdef __SANITIZE_ADDRESS__
void redzones(Host& host) {
    uint32_t* out = host.array<uint32_t>(4);
    CHECK_EQ(simt::launch(redzone_kernel, 2, 1, 12, host.first, out), 0);
    std::vector<uint32_t> got = download(host, out, 4);
    for (uint32_t i = 0; i < 4; ++i) CHECK_EQ(got[i], i < 3);
}
#else
void redzones(Host&) {}
#endif

}  // namespace

void block_tests() {
    for (uint64_t seed : {0, 1, 2, 3, 77}) {
        Host host(seed, seed == 3 ? 1 : 3);
        indices(host);
        shared_memory(host);
        early_returns(host);
        reductions(host);
        atomics(host);
        asynchronous_copies(host);
        redzones(host);
        CHECK(!lucky_without_barrier(host));
        uint32_t* out = host.array<uint32_t>(128);
        CHECK_EQ(simt::launch(deep_kernel, 1, 128, 0, host.first, out), 0);
        for (uint32_t sum : download(host, out, 128)) CHECK_EQ(sum, 2047u * 1024);
    }
}

}  // namespace simt_tests
