// Warp operations: shuffles, ballots, partial masks, exited lanes.
#include "simt/tests/check.h"

namespace G16_NS::simt_kernels {

struct Wide {
    uint32_t words[48];
};

__global__ void shuffle_kernel(uint32_t* out) {
    uint32_t t = threadIdx.x, lane = t % 32;
    uint32_t bad = 0;
    bad |= __shfl_sync(simt::kFullMask, t, 5) != t - lane + 5;
    bad |= __shfl_sync(simt::kFullMask, t, 3, 8) != (t & ~7u) + 3;
    bad |= __shfl_up_sync(simt::kFullMask, t, 2) != (lane < 2 ? t : t - 2);
    bad |= __shfl_down_sync(simt::kFullMask, t, 7) != (lane + 7 < 32 ? t + 7 : t);
    bad |= __shfl_down_sync(simt::kFullMask, t, 1, 4) != (lane % 4 == 3 ? t : t + 1);
    bad |= __shfl_xor_sync(simt::kFullMask, t, 16) != (t ^ 16);
    Wide wide;
    for (uint32_t i = 0; i < 48; ++i) wide.words[i] = t * 100 + i;
    Wide other = simt::shfl_xor(simt::kFullMask, wide, 1);
    Wide lower = simt::shfl_down(simt::kFullMask, wide, 31);
    for (uint32_t i = 0; i < 48; ++i) {
        bad |= other.words[i] != (t ^ 1) * 100 + i;
        bad |= lower.words[i] != (lane == 0 ? t + 31 : t) * 100 + i;
    }
    out[blockIdx.x * blockDim.x + t] = bad;
}

__global__ void vote_kernel(uint32_t* out) {
    uint32_t t = threadIdx.x, lane = t % 32, bad = 0;
    bad |= __ballot_sync(simt::kFullMask, lane % 3 == 0) != 0x49249249u;
    bad |= __any_sync(simt::kFullMask, lane == 31) != 1;
    bad |= __any_sync(simt::kFullMask, 0) != 0;
    bad |= __all_sync(simt::kFullMask, 1) != 1;
    bad |= __all_sync(simt::kFullMask, lane != 4) != 0;
    bad |= __match_any_sync(simt::kFullMask, lane / 8) != 0xffu << (lane / 8 * 8);
    bad |= __reduce_add_sync(simt::kFullMask, t) != (t - lane) * 32 + 496;
    out[t] = bad;
}

// Two halves work by themselves, in opposite orders, and meet again.
__global__ void halves_kernel(uint32_t* out) {
    uint32_t lane = threadIdx.x, sum = lane;
    if (lane < 16) {
        for (int d = 1; d < 16; d *= 2) sum += __shfl_xor_sync(0x0000ffffu, sum, d);
    } else {
        __syncwarp(0xffff0000u);
        for (int d = 8; d != 0; d /= 2) sum += __shfl_xor_sync(0xffff0000u, sum, d);
    }
    __syncwarp();
    out[lane] = __shfl_xor_sync(simt::kFullMask, sum, 16);
}

// A chain of pairs: each mask overlaps its neighbours', and every pair meets in its turn.
__global__ void chain_kernel(uint32_t* out) {
    uint32_t lane = threadIdx.x, sum = lane;
    if (lane > 0) sum += __shfl_sync(3u << (lane - 1), sum, static_cast<int>(lane - 1));
    if (lane < 31) __shfl_sync(3u << lane, sum, static_cast<int>(lane));
    out[lane] = sum;
}

// Half of the lanes leave; the rest goes on under the full mask.
__global__ void leavers_kernel(uint32_t* out) {
    uint32_t t = threadIdx.x;
    if (t % 2 == 1) return;
    uint32_t votes = __ballot_sync(simt::kFullMask, 1);
    __syncthreads();
    out[t / 2] = votes;
}

// Threads write, the warp meets, neighbours read.
__global__ void exchange_kernel(uint32_t* out) {
    SIMT_SHARED(uint32_t, values, 64);
    values[threadIdx.x] = threadIdx.x * 3;
    __syncwarp();
    out[threadIdx.x] = values[threadIdx.x ^ 1];
}

// Waits for another thread of the block as a lock would.
__global__ void spin_kernel(uint32_t* flags) {
    if (threadIdx.x == 0) {
        while (atomicAdd(&flags[0], 0) != blockDim.x - 1) __nanosleep(100);
        flags[1] = 1;
    } else {
        atomicAdd(&flags[0], 1);
    }
}

}  // namespace G16_NS::simt_kernels

namespace simt_tests {

using namespace G16_NS;
using namespace G16_NS::simt_kernels;

namespace {

void shuffles_and_votes(Host& host) {
    uint32_t* out = host.array<uint32_t>(4 * 256);
    CHECK_EQ(simt::launch(shuffle_kernel, 4, 256, 0, host.first, out), 0);
    for (uint32_t bad : download(host, out, 4 * 256)) CHECK_EQ(bad, 0);
    CHECK_EQ(simt::launch(vote_kernel, 1, 96, 0, host.first, out), 0);
    for (uint32_t bad : download(host, out, 96)) CHECK_EQ(bad, 0);
}

void partial_masks(Host& host) {
    uint32_t* out = host.array<uint32_t>(64);
    CHECK_EQ(simt::launch(halves_kernel, 1, 32, 0, host.first, out), 0);
    std::vector<uint32_t> got = download(host, out, 32);
    for (uint32_t lane = 0; lane < 32; ++lane) CHECK_EQ(got[lane], lane < 16 ? 376 : 120);
    CHECK_EQ(simt::launch(chain_kernel, 1, 32, 0, host.first, out), 0);
    got = download(host, out, 32);
    for (uint32_t lane = 0; lane < 32; ++lane) CHECK_EQ(got[lane], lane * (lane + 1) / 2);
    CHECK_EQ(simt::launch(exchange_kernel, 1, 64, 0, host.first, out), 0);
    got = download(host, out, 64);
    for (uint32_t t = 0; t < 64; ++t) CHECK_EQ(got[t], (t ^ 1) * 3);
}

void exited_lanes(Host& host) {
    uint32_t* out = host.array<uint32_t>(48);
    CHECK_EQ(simt::launch(leavers_kernel, 1, 80, 0, host.first, out), 0);
    std::vector<uint32_t> got = download(host, out, 40);
    for (uint32_t t = 0; t < 40; ++t) CHECK_EQ(got[t], t < 32 ? 0x55555555u : 0x5555u);
}

void spins(Host& host) {
    uint32_t* flags = upload(host, std::vector<uint32_t>(2, 0));
    CHECK_EQ(simt::launch(spin_kernel, 1, 50, 0, host.first, flags), 0);
    CHECK_EQ(download(host, flags, 2)[1], 1);
}

}  // namespace

void warp_tests() {
    for (uint64_t seed : {0, 1, 2, 3, 4, 99}) {
        Host host(seed);
        shuffles_and_votes(host);
        partial_masks(host);
        exited_lanes(host);
        spins(host);
    }
}

}  // namespace simt_tests
