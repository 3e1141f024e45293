#include "simt/prim.cuh"

#ifdef __CUDACC__

#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

namespace G16_NS::prim {

using simt::checked;

Status sort_pairs(void* temp, size_t* temp_bytes, const uint32_t* keys_in, uint32_t* keys_out,
                  const uint32_t* vals_in, uint32_t* vals_out, uint32_t n, int begin_bit,
                  int end_bit, Stream stream) {
    return checked(cub::DeviceRadixSort::SortPairs(temp, *temp_bytes, keys_in, keys_out, vals_in,
                                                   vals_out, n, begin_bit, end_bit,
                                                   static_cast<cudaStream_t>(stream)));
}

Status exclusive_sum(void* temp, size_t* temp_bytes, const uint32_t* in, uint32_t* out, uint32_t n,
                     Stream stream) {
    return checked(cub::DeviceScan::ExclusiveSum(temp, *temp_bytes, in, out, n,
                                                 static_cast<cudaStream_t>(stream)));
}

Status select_indices(void* temp, size_t* temp_bytes, const uint8_t* flags, uint32_t* indices_out,
                      uint32_t* count_out, uint32_t n, Stream stream) {
    thrust::counting_iterator<uint32_t> indices(0);
    return checked(cub::DeviceSelect::Flagged(temp, *temp_bytes, indices, flags, indices_out,
                                              count_out, n, static_cast<cudaStream_t>(stream)));
}

namespace {

// One array of a few kilobytes takes CUB's path for small inputs, the other that for large ones.
constexpr uint32_t kLoadSizes[] = {1, 1u << 17};

Status run_once(uint32_t* arrays, uint32_t capacity, void* temp, size_t temp_bytes, uint32_t n) {
    uint32_t* in = arrays;
    uint32_t* out = arrays + capacity;
    uint32_t* vals = arrays + 2 * static_cast<size_t>(capacity);
    uint32_t* sorted = arrays + 3 * static_cast<size_t>(capacity);
    Status status = sort_pairs(temp, &temp_bytes, in, out, vals, sorted, n, 0, 32, nullptr);
    if (status != 0) return status;
    status = exclusive_sum(temp, &temp_bytes, in, out, n, nullptr);
    if (status != 0) return status;
    const uint8_t* flags = reinterpret_cast<const uint8_t*>(in);
    return select_indices(temp, &temp_bytes, flags, out, vals, n, nullptr);
}

Status workspace(uint32_t n, size_t* most) {
    size_t sizes[3] = {};
    Status status =
        sort_pairs(nullptr, &sizes[0], nullptr, nullptr, nullptr, nullptr, n, 0, 32, nullptr);
    if (status != 0) return status;
    status = exclusive_sum(nullptr, &sizes[1], nullptr, nullptr, n, nullptr);
    if (status != 0) return status;
    status = select_indices(nullptr, &sizes[2], nullptr, nullptr, nullptr, n, nullptr);
    for (size_t size : sizes) *most = size > *most ? size : *most;
    return status;
}

}  // namespace

Status load() {
    uint32_t capacity = 0;
    size_t temp_bytes = 1;
    for (uint32_t n : kLoadSizes) {
        capacity = n > capacity ? n : capacity;
        Status status = workspace(n, &temp_bytes);
        if (status != 0) return status;
    }
    size_t array_bytes = 4 * sizeof(uint32_t) * static_cast<size_t>(capacity);
    void *arrays = nullptr, *temp = nullptr;
    Status status = checked(cudaMalloc(&arrays, array_bytes));
    if (status == 0) status = checked(cudaMalloc(&temp, temp_bytes));
    if (status == 0) status = checked(cudaMemsetAsync(arrays, 0, array_bytes, nullptr));
    for (uint32_t n : kLoadSizes) {
        if (status != 0) break;
        status = run_once(static_cast<uint32_t*>(arrays), capacity, temp, temp_bytes, n);
    }
    if (status == 0) status = checked(cudaStreamSynchronize(nullptr));
    Status freed = checked(cudaFree(temp));
    Status freed_arrays = checked(cudaFree(arrays));
    if (status != 0) return status;
    return freed != 0 ? freed : freed_arrays;
}

}  // namespace G16_NS::prim

#else

namespace G16_NS::prim {

namespace {

constexpr int kDigitBits = 8;
constexpr uint32_t kDigits = 1u << kDigitBits;
constexpr size_t kSmallestWorkspace = 256;

struct Sort {
    const uint32_t *keys_in, *vals_in;
    uint32_t *keys_out, *vals_out;
    uint32_t* spare;  // keys, then values
    uint32_t n;
    int begin_bit, end_bit;
};

// One stable pass of counting by the digit at `bit`.
void sort_digit(const uint32_t* keys, const uint32_t* vals, uint32_t* keys_to, uint32_t* vals_to,
                uint32_t n, int bit, uint32_t digit_mask) {
    uint32_t starts[kDigits + 1] = {};
    for (uint32_t i = 0; i < n; ++i) ++starts[(keys[i] >> bit & digit_mask) + 1];
    for (uint32_t d = 0; d < kDigits; ++d) starts[d + 1] += starts[d];
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t place = starts[keys[i] >> bit & digit_mask]++;
        keys_to[place] = keys[i];
        vals_to[place] = vals[i];
    }
}

// Radix sort from the lowest digit; the passes go to and fro so that the last one ends in the
// output.
void sort_now(const Sort& sort) {
    int passes = (sort.end_bit - sort.begin_bit + kDigitBits - 1) / kDigitBits;
    const uint32_t *keys = sort.keys_in, *vals = sort.vals_in;
    if (passes <= 0) {
        for (uint32_t i = 0; i < sort.n; ++i) {
            sort.keys_out[i] = keys[i];
            sort.vals_out[i] = vals[i];
        }
        return;
    }
    for (int pass = 0; pass < passes; ++pass) {
        bool to_output = (passes - pass) % 2 == 1;
        uint32_t* keys_to = to_output ? sort.keys_out : sort.spare;
        uint32_t* vals_to = to_output ? sort.vals_out : sort.spare + sort.n;
        int bit = sort.begin_bit + pass * kDigitBits;
        int bits = min(kDigitBits, sort.end_bit - bit);
        sort_digit(keys, vals, keys_to, vals_to, sort.n, bit, (1u << bits) - 1);
        keys = keys_to;
        vals = vals_to;
    }
}

// Answers a query for `bytes`, or says whether the caller gave as many; true: go on.
bool workspace_given(void* temp, size_t* temp_bytes, size_t bytes, Status* status) {
    *status = 0;
    if (temp == nullptr) {
        *temp_bytes = bytes;
        return false;
    }
    if (*temp_bytes < bytes) *status = G16_HOST_INVALID_VALUE;
    return *status == 0;
}

}  // namespace

Status sort_pairs(void* temp, size_t* temp_bytes, const uint32_t* keys_in, uint32_t* keys_out,
                  const uint32_t* vals_in, uint32_t* vals_out, uint32_t n, int begin_bit,
                  int end_bit, Stream stream) {
    size_t bytes = max(2 * sizeof(uint32_t) * static_cast<size_t>(n), kSmallestWorkspace);
    Status status;
    if (!workspace_given(temp, temp_bytes, bytes, &status)) return status;
    if (begin_bit < 0 || end_bit < begin_bit || end_bit > 32) return G16_HOST_INVALID_VALUE;
    Sort sort{keys_in, vals_in,   keys_out, vals_out, static_cast<uint32_t*>(temp),
              n,       begin_bit, end_bit};
    return simt::enqueue(stream, [sort] {
        sort_now(sort);
        return Status{0};
    });
}

Status exclusive_sum(void* temp, size_t* temp_bytes, const uint32_t* in, uint32_t* out, uint32_t n,
                     Stream stream) {
    Status status;
    if (!workspace_given(temp, temp_bytes, kSmallestWorkspace, &status)) return status;
    return simt::enqueue(stream, [in, out, n] {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < n; ++i) {
            uint32_t value = in[i];
            out[i] = sum;
            sum += value;
        }
        return Status{0};
    });
}

Status select_indices(void* temp, size_t* temp_bytes, const uint8_t* flags, uint32_t* indices_out,
                      uint32_t* count_out, uint32_t n, Stream stream) {
    Status status;
    if (!workspace_given(temp, temp_bytes, kSmallestWorkspace, &status)) return status;
    return simt::enqueue(stream, [flags, indices_out, count_out, n] {
        uint32_t count = 0;
        for (uint32_t i = 0; i < n; ++i) {
            if (flags[i] != 0) indices_out[count++] = i;
        }
        *count_out = count;
        return Status{0};
    });
}

Status load() { return 0; }

}  // namespace G16_NS::prim

#endif
