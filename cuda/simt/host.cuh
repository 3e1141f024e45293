// The host half of simt.cuh: CUDA's names over the host runtime.
#pragma once

#include <cstring>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include "simt/host_api.h"
#include "simt/host_runtime.h"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))
// __restrict__ is the host compiler's own.

#define SIMT_DEVICE
#define SIMT_HD
#define SIMT_NOINLINE __attribute__((noinline))
#define SIMT_GRID_CONSTANT
#define SIMT_UNROLL _Pragma("GCC unroll 16")
#define SIMT_ROLLED _Pragma("GCC unroll 1")
#define SIMT_SHARED(T, name, N)                                                           \
    ::G16_NS::simt::SharedArray<T, (N)>& name = ::G16_NS::simt::shared_array<T, (N)>([] { \
        static const char site = 0;                                                       \
        return &site;                                                                     \
    }())
#define SIMT_DYN_SHARED(T, name) \
    T* name = reinterpret_cast<T*>(::g16_host_runtime::context.dynamic_shared)

#define threadIdx (::g16_host_runtime::context.thread_index)
#define blockIdx (::g16_host_runtime::context.block_index)
#define blockDim (::g16_host_runtime::context.block_size)
#define gridDim (::g16_host_runtime::context.grid_size)
#define warpSize 32

#include "simt/host_intrinsics.cuh"

namespace G16_NS {

using dim3 = ::g16_host_runtime::Dim3;

namespace simt {

namespace runtime = ::g16_host_runtime;

inline const char* status_text(Status status) { return runtime::status_text(status); }

template <class T, size_t N>
using SharedArray = T[N];

template <class T, size_t N>
inline SharedArray<T, N>& shared_array(const void* token) {
    static_assert(std::is_trivially_copyable<T>::value, "shared memory has no constructors");
    void* bytes = runtime::shared_array(token, sizeof(SharedArray<T, N>), alignof(T));
    return *static_cast<SharedArray<T, N>*>(bytes);
}

// A kernel's function and copies of its arguments.
template <class... P>
struct Call final : runtime::KernelCall {
    using Values = std::tuple<std::decay_t<P>...>;
    void (*kernel)(P...);
    Values values;

    Call(void (*kernel_)(P...), Values values_) : kernel(kernel_), values(std::move(values_)) {}
    void run() const override { std::apply(kernel, values); }
};

// Enqueues `kernel` with `args`, converted to its parameters' types.
template <class... P, class... A>
Status launch(void (*kernel)(P...), dim3 grid, dim3 block, size_t dynamic_shared_bytes,
              Stream stream, A&&... args) {
    static_assert(sizeof...(P) == sizeof...(A), "one argument for each parameter");
    static_assert((std::is_trivially_copyable<std::decay_t<P>>::value && ...),
                  "arguments are copied byte by byte");
    std::unique_ptr<runtime::KernelCall> call(new (std::nothrow) Call<P...>(
        kernel, typename Call<P...>::Values(static_cast<std::decay_t<P>>(args)...)));
    runtime::LaunchShape shape{grid, block, dynamic_shared_bytes,
                               reinterpret_cast<const void*>(kernel)};
    return runtime::enqueue_launch(stream, shape, std::move(call));
}

// Nothing is loaded lazily here.
template <class... P>
Status load_kernel(void (*kernel)(P...)) {
    return kernel == nullptr ? G16_HOST_INVALID_VALUE : 0;
}

inline Status fill_bytes(void* dst, uint8_t value, size_t bytes, Stream stream) {
    return runtime::enqueue_fill(stream, dst, value, bytes);
}

inline Status copy_bytes(void* dst, const void* src, size_t bytes, Stream stream) {
    return runtime::enqueue_copy(stream, dst, src, bytes);
}

template <class F>
struct Task final : runtime::HostTask {
    F function;
    explicit Task(F function_) : function(std::move(function_)) {}
    Status run() override { return function(); }
};

// Enqueues a function of the host, for primitives that are no kernels.
template <class F>
Status enqueue(Stream stream, F function) {
    return runtime::enqueue_task(stream, std::unique_ptr<runtime::HostTask>(
                                             new (std::nothrow) Task<F>(std::move(function))));
}

inline uint32_t lane_index() { return runtime::context.thread % kWarpSize; }

// `v` of the lane `lane ^ lane_mask`.
template <class T>
inline T shfl_xor(uint32_t mask, T v, int lane_mask, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) {
    static_assert(std::is_trivially_copyable<T>::value && sizeof(T) % 4 == 0);
    T result;
    runtime::warp_shuffle(mask, &v, &result, sizeof(T),
                          lane_index() ^ static_cast<uint32_t>(lane_mask), {file, line});
    return result;
}

// `v` of the lane `lane + delta`; the own one where there is none.
template <class T>
inline T shfl_down(uint32_t mask, T v, int delta, const char* file = __builtin_FILE(),
                   int line = __builtin_LINE()) {
    static_assert(std::is_trivially_copyable<T>::value && sizeof(T) % 4 == 0);
    T result;
    uint32_t source = lane_index() + static_cast<uint32_t>(delta);
    runtime::warp_shuffle(mask, &v, &result, sizeof(T), source < kWarpSize ? source : lane_index(),
                          {file, line});
    return result;
}

// Starts a copy of 16 bytes from global to shared memory; both are aligned to 16 bytes.
inline void cp_async16(void* shared_dst, const void* global_src) {
    runtime::copy_async(shared_dst, global_src, 16);
}

// Closes the group of the copies that this thread has started.
inline void cp_async_commit() { runtime::copy_async_commit(); }

// Waits until at most the N latest groups of this thread are under way.
template <int N>
inline void cp_async_wait() {
    runtime::copy_async_wait(N);
}

}  // namespace simt
}  // namespace G16_NS
