// Primitives against the standard library's.
#include <algorithm>
#include <numeric>

#include "simt/prim.cuh"
#include "simt/tests/check.h"

namespace simt_tests {

using namespace G16_NS;

namespace {

void sorts(Host& host, uint32_t n, int begin_bit, int end_bit) {
    std::vector<uint32_t> keys(n), vals(n), order(n);
    for (uint32_t i = 0; i < n; ++i) {
        keys[i] = (i * 2654435761u) ^ (i >> 3);
        vals[i] = ~i;
    }
    std::iota(order.begin(), order.end(), 0u);
    uint64_t mask = (uint64_t{1} << end_bit) - (uint64_t{1} << begin_bit);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return (keys[a] & mask) < (keys[b] & mask); });
    uint32_t *keys_in = upload(host, keys), *vals_in = upload(host, vals);
    uint32_t *keys_out = host.array<uint32_t>(n), *vals_out = host.array<uint32_t>(n);
    size_t bytes = 0;
    CHECK_EQ(prim::sort_pairs(nullptr, &bytes, keys_in, keys_out, vals_in, vals_out, n, begin_bit,
                              end_bit, host.first),
             0);
    void* temp = host.bytes(bytes);
    CHECK_EQ(prim::sort_pairs(temp, &bytes, keys_in, keys_out, vals_in, vals_out, n, begin_bit,
                              end_bit, host.first),
             0);
    std::vector<uint32_t> got_keys = download(host, keys_out, n);
    std::vector<uint32_t> got_vals = download(host, vals_out, n);
    for (uint32_t i = 0; i < n; ++i) {
        CHECK_EQ(got_keys[i], keys[order[i]]);
        CHECK_EQ(got_vals[i], vals[order[i]]);
    }
    size_t short_bytes = bytes - 1;
    CHECK_EQ(prim::sort_pairs(temp, &short_bytes, keys_in, keys_out, vals_in, vals_out, n,
                              begin_bit, end_bit, host.first),
             G16_HOST_INVALID_VALUE);
}

void sums_and_selects(Host& host, uint32_t n) {
    std::vector<uint32_t> values(n);
    std::vector<uint8_t> flags(n);
    std::vector<uint32_t> chosen;
    for (uint32_t i = 0; i < n; ++i) {
        values[i] = i * 2654435761u;
        flags[i] = static_cast<uint8_t>(i % 5 == 1 ? i % 255 + 1 : 0);
        if (flags[i] != 0) chosen.push_back(i);
    }
    uint32_t *in = upload(host, values), *out = host.array<uint32_t>(n + 1);
    uint8_t* flags_in = upload(host, flags);
    size_t bytes = 0;
    CHECK_EQ(prim::exclusive_sum(nullptr, &bytes, in, out, n, host.first), 0);
    void* temp = host.bytes(bytes);
    CHECK_EQ(prim::exclusive_sum(temp, &bytes, in, out, n, host.first), 0);
    std::vector<uint32_t> got = download(host, out, n);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; ++i) {
        CHECK_EQ(got[i], sum);
        sum += values[i];
    }
    CHECK_EQ(prim::select_indices(nullptr, &bytes, flags_in, out, out + n, n, host.first), 0);
    temp = host.bytes(bytes);
    CHECK_EQ(prim::select_indices(temp, &bytes, flags_in, out, out + n, n, host.first), 0);
    got = download(host, out, n + 1);
    CHECK_EQ(got[n], chosen.size());
    CHECK(std::equal(chosen.begin(), chosen.end(), got.begin()));
}

}  // namespace

void prim_tests() {
    for (uint64_t seed : {0, 1, 2}) {
        Host host(seed);
        for (uint32_t n : {1u, 2u, 255u, 256u, 10000u}) {
            sorts(host, n, 0, 32);
            sorts(host, n, 3, 20);
            sorts(host, n, 0, 8);
            sorts(host, n, 5, 5);
            sums_and_selects(host, n);
        }
        CHECK_EQ(prim::load(), 0);
    }
}

}  // namespace simt_tests
