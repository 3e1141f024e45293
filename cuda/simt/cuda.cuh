// The nvcc half of simt.cuh: thin functions over CUDA's runtime.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstring>
#include <type_traits>

#define SIMT_DEVICE __device__
#define SIMT_HD __host__ __device__
#define SIMT_NOINLINE __device__ __noinline__
#define SIMT_GRID_CONSTANT __grid_constant__
#define SIMT_UNROLL _Pragma("unroll")
#define SIMT_ROLLED _Pragma("unroll 1")
#define SIMT_SHARED(T, name, N) __shared__ T name[N]
#define SIMT_DYN_SHARED(T, name)                                    \
    extern __shared__ __align__(16) unsigned char simt_dyn_bytes[]; \
    T* name = reinterpret_cast<T*>(simt_dyn_bytes)

namespace G16_NS {

using ::atomicAdd;

// CUDA has this for `unsigned long long`, which uint64_t is not everywhere.
__device__ __forceinline__ uint64_t atomicAdd(uint64_t* address, uint64_t value) {
    static_assert(sizeof(unsigned long long) == sizeof(uint64_t));
    return ::atomicAdd(reinterpret_cast<unsigned long long*>(address),
                       static_cast<unsigned long long>(value));
}

namespace simt {

inline const char* status_text(Status status) {
    return cudaGetErrorString(static_cast<cudaError_t>(status));
}

// A failed call's status; forgets it in the runtime, so that no later call reports it again.
inline Status checked(cudaError_t error) {
    if (error != cudaSuccess) (void)cudaGetLastError();
    return static_cast<Status>(error);
}

template <class... P>
Status launch_values(void (*kernel)(P...), dim3 grid, dim3 block, size_t dynamic_shared_bytes,
                     Stream stream, std::decay_t<P>... values) {
    const void* function = reinterpret_cast<const void*>(kernel);
    if (dynamic_shared_bytes > kStaticSharedBytes) {
        Status status =
            checked(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         static_cast<int>(dynamic_shared_bytes)));
        if (status != 0) return status;
    }
    void* arguments[sizeof...(P) + 1] = {static_cast<void*>(&values)...};
    return checked(cudaLaunchKernel(function, grid, block, arguments, dynamic_shared_bytes,
                                    static_cast<cudaStream_t>(stream)));
}

// Enqueues `kernel` with `args`, converted to its parameters' types.
template <class... P, class... A>
Status launch(void (*kernel)(P...), dim3 grid, dim3 block, size_t dynamic_shared_bytes,
              Stream stream, A&&... args) {
    static_assert(sizeof...(P) == sizeof...(A), "one argument for each parameter");
    return launch_values<P...>(kernel, grid, block, dynamic_shared_bytes, stream,
                               static_cast<P>(args)...);
}

// Loads a kernel's code now rather than at its first launch.
template <class... P>
Status load_kernel(void (*kernel)(P...)) {
    cudaFuncAttributes attributes;
    return checked(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel)));
}

inline Status fill_bytes(void* dst, uint8_t value, size_t bytes, Stream stream) {
    return checked(cudaMemsetAsync(dst, value, bytes, static_cast<cudaStream_t>(stream)));
}

inline Status copy_bytes(void* dst, const void* src, size_t bytes, Stream stream) {
    return checked(cudaMemcpyAsync(dst, src, bytes, cudaMemcpyDeviceToDevice,
                                   static_cast<cudaStream_t>(stream)));
}

// `v` of the lane `lane ^ lane_mask`.
template <class T>
__device__ __forceinline__ T shfl_xor(uint32_t mask, T v, int lane_mask) {
    static_assert(std::is_trivially_copyable<T>::value && sizeof(T) % 4 == 0);
    uint32_t words[sizeof(T) / 4];
    memcpy(words, &v, sizeof(T));
    SIMT_UNROLL
    for (size_t i = 0; i < sizeof(T) / 4; ++i) {
        words[i] = __shfl_xor_sync(mask, words[i], lane_mask);
    }
    memcpy(&v, words, sizeof(T));
    return v;
}

// `v` of the lane `lane + delta`; the own one where there is none.
template <class T>
__device__ __forceinline__ T shfl_down(uint32_t mask, T v, int delta) {
    static_assert(std::is_trivially_copyable<T>::value && sizeof(T) % 4 == 0);
    uint32_t words[sizeof(T) / 4];
    memcpy(words, &v, sizeof(T));
    SIMT_UNROLL
    for (size_t i = 0; i < sizeof(T) / 4; ++i) {
        words[i] = __shfl_down_sync(mask, words[i], static_cast<unsigned>(delta));
    }
    memcpy(&v, words, sizeof(T));
    return v;
}

// Starts a copy of 16 bytes from global to shared memory; both are aligned to 16 bytes.
__device__ __forceinline__ void cp_async16(void* shared_dst, const void* global_src) {
    __pipeline_memcpy_async(shared_dst, global_src, 16);
}

// Closes the group of the copies that this thread has started.
__device__ __forceinline__ void cp_async_commit() { __pipeline_commit(); }

// Waits until at most the N latest groups of this thread are under way.
template <int N>
__device__ __forceinline__ void cp_async_wait() {
    __pipeline_wait_prior(N);
}

}  // namespace simt
}  // namespace G16_NS
