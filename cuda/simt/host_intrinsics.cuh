// CUDA's device functions, vector types and atomics by their own names, on the host.
#pragma once

#include <cstdint>
#include <type_traits>

#include "simt/host_runtime.h"

namespace G16_NS {

namespace simt {
template <class T>
struct SameType {
    using Type = T;
};
}  // namespace simt

// --- vector types ---

struct alignas(8) uint2 {
    uint32_t x, y;
};
using uint3 = ::g16_host_runtime::Uint3;
struct alignas(16) uint4 {
    uint32_t x, y, z, w;
};
struct alignas(16) ulonglong2 {
    unsigned long long x, y;
};
inline uint2 make_uint2(uint32_t x, uint32_t y) { return {x, y}; }
inline uint3 make_uint3(uint32_t x, uint32_t y, uint32_t z) { return {x, y, z}; }
inline uint4 make_uint4(uint32_t x, uint32_t y, uint32_t z, uint32_t w) { return {x, y, z, w}; }
inline ulonglong2 make_ulonglong2(unsigned long long x, unsigned long long y) { return {x, y}; }

// --- integers ---

template <class A, class B>
constexpr std::common_type_t<A, B> min(A a, B b) {
    using T = std::common_type_t<A, B>;
    return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}
template <class A, class B>
constexpr std::common_type_t<A, B> max(A a, B b) {
    using T = std::common_type_t<A, B>;
    return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}
constexpr int __popc(uint32_t v) { return __builtin_popcount(v); }
constexpr int __popcll(uint64_t v) { return __builtin_popcountll(v); }
constexpr int __clz(uint32_t v) { return v == 0 ? 32 : __builtin_clz(v); }
constexpr int __clzll(uint64_t v) { return v == 0 ? 64 : __builtin_clzll(v); }
constexpr int __ffs(uint32_t v) { return __builtin_ffs(static_cast<int>(v)); }
constexpr int __ffsll(uint64_t v) { return __builtin_ffsll(static_cast<long long>(v)); }
constexpr uint32_t __brev(uint32_t v) {
    v = ((v >> 1) & 0x55555555u) | ((v & 0x55555555u) << 1);
    v = ((v >> 2) & 0x33333333u) | ((v & 0x33333333u) << 2);
    v = ((v >> 4) & 0x0f0f0f0fu) | ((v & 0x0f0f0f0fu) << 4);
    return __builtin_bswap32(v);
}
constexpr uint64_t __brevll(uint64_t v) {
    return (static_cast<uint64_t>(__brev(static_cast<uint32_t>(v))) << 32) |
           __brev(static_cast<uint32_t>(v >> 32));
}
constexpr uint32_t __umulhi(uint32_t a, uint32_t b) {
    return static_cast<uint32_t>((static_cast<uint64_t>(a) * b) >> 32);
}
constexpr uint64_t __umul64hi(uint64_t a, uint64_t b) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(a) * b) >> 64);
}
// The low word of hi:lo shifted right, and the high word of hi:lo shifted left, by shift mod 32.
constexpr uint32_t __funnelshift_r(uint32_t lo, uint32_t hi, uint32_t shift) {
    return static_cast<uint32_t>(((static_cast<uint64_t>(hi) << 32) | lo) >> (shift & 31));
}
constexpr uint32_t __funnelshift_l(uint32_t lo, uint32_t hi, uint32_t shift) {
    return static_cast<uint32_t>((((static_cast<uint64_t>(hi) << 32) | lo) << (shift & 31)) >> 32);
}
template <class T>
inline T __ldg(const T* address) {
    return *address;
}

// --- atomics ---

template <class T>
inline T atomicAdd(T* address, typename simt::SameType<T>::Type value) {
    static_assert(std::is_integral<T>::value && (sizeof(T) == 4 || sizeof(T) == 8));
    return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}
template <class T>
inline T atomicSub(T* address, typename simt::SameType<T>::Type value) {
    static_assert(std::is_integral<T>::value && sizeof(T) == 4);
    return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED);
}
template <class T>
inline T atomicOr(T* address, typename simt::SameType<T>::Type value) {
    static_assert(std::is_integral<T>::value && (sizeof(T) == 4 || sizeof(T) == 8));
    return __atomic_fetch_or(address, value, __ATOMIC_RELAXED);
}
template <class T>
inline T atomicAnd(T* address, typename simt::SameType<T>::Type value) {
    static_assert(std::is_integral<T>::value && (sizeof(T) == 4 || sizeof(T) == 8));
    return __atomic_fetch_and(address, value, __ATOMIC_RELAXED);
}
template <class T>
inline T atomicExch(T* address, typename simt::SameType<T>::Type value) {
    static_assert(std::is_integral<T>::value && (sizeof(T) == 4 || sizeof(T) == 8));
    return __atomic_exchange_n(address, value, __ATOMIC_RELAXED);
}
template <class T>
inline T atomicCAS(T* address, typename simt::SameType<T>::Type expected,
                   typename simt::SameType<T>::Type value) {
    static_assert(std::is_integral<T>::value && (sizeof(T) == 4 || sizeof(T) == 8));
    __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    return expected;
}
template <class T>
inline T atomicMax(T* address, typename simt::SameType<T>::Type value) {
    T old = __atomic_load_n(address, __ATOMIC_RELAXED);
    while (old < value && !__atomic_compare_exchange_n(address, &old, value, true, __ATOMIC_RELAXED,
                                                       __ATOMIC_RELAXED)) {
    }
    return old;
}
template <class T>
inline T atomicMin(T* address, typename simt::SameType<T>::Type value) {
    T old = __atomic_load_n(address, __ATOMIC_RELAXED);
    while (value < old && !__atomic_compare_exchange_n(address, &old, value, true, __ATOMIC_RELAXED,
                                                       __ATOMIC_RELAXED)) {
    }
    return old;
}
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

// --- barriers and warp operations; their last two arguments are the place they stand at ---

#define SIMT_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

inline void __syncthreads(SIMT_HERE) {
    using ::g16_host_runtime::Reduction;
    ::g16_host_runtime::block_barrier(Reduction::kNone, false, {file, line});
}
inline int __syncthreads_count(int predicate, SIMT_HERE) {
    using ::g16_host_runtime::Reduction;
    return static_cast<int>(
        ::g16_host_runtime::block_barrier(Reduction::kCount, predicate != 0, {file, line}));
}
inline int __syncthreads_or(int predicate, SIMT_HERE) {
    using ::g16_host_runtime::Reduction;
    return static_cast<int>(
        ::g16_host_runtime::block_barrier(Reduction::kOr, predicate != 0, {file, line}));
}
inline int __syncthreads_and(int predicate, SIMT_HERE) {
    using ::g16_host_runtime::Reduction;
    return static_cast<int>(
        ::g16_host_runtime::block_barrier(Reduction::kAnd, predicate != 0, {file, line}));
}
inline void __syncwarp(uint32_t mask = 0xffffffffu, SIMT_HERE) {
    ::g16_host_runtime::warp_sync(mask, {file, line});
}
// The own lane only: which others run beside it is nobody's promise.
inline uint32_t __activemask() { return 1u << (::g16_host_runtime::context.thread % 32); }
inline void __nanosleep(uint32_t) { ::g16_host_runtime::yield_thread(); }

inline uint32_t __ballot_sync(uint32_t mask, int predicate, SIMT_HERE) {
    return ::g16_host_runtime::warp_ballot(mask, predicate != 0, {file, line});
}
inline int __any_sync(uint32_t mask, int predicate, SIMT_HERE) {
    return ::g16_host_runtime::warp_ballot(mask, predicate != 0, {file, line}) != 0;
}
inline int __all_sync(uint32_t mask, int predicate, SIMT_HERE) {
    return ::g16_host_runtime::warp_ballot(mask, predicate == 0, {file, line}) == 0;
}

namespace simt {
template <class T>
inline T shuffle(uint32_t mask, T value, uint32_t source, const char* file, int line) {
    static_assert(std::is_arithmetic<T>::value && (sizeof(T) == 4 || sizeof(T) == 8));
    T result;
    ::g16_host_runtime::warp_shuffle(mask, &value, &result, sizeof(T), source, {file, line});
    return result;
}
}  // namespace simt

// `width` divides the warp into parts that shuffle by themselves; it is a power of two.
template <class T>
inline T __shfl_sync(uint32_t mask, T value, int source, int width = 32, SIMT_HERE) {
    uint32_t lane = ::g16_host_runtime::context.thread % 32, w = static_cast<uint32_t>(width);
    uint32_t from = (lane & ~(w - 1)) | (static_cast<uint32_t>(source) & (w - 1));
    return simt::shuffle(mask, value, from, file, line);
}
template <class T>
inline T __shfl_up_sync(uint32_t mask, T value, uint32_t delta, int width = 32, SIMT_HERE) {
    uint32_t lane = ::g16_host_runtime::context.thread % 32, w = static_cast<uint32_t>(width);
    uint32_t from = (lane & (w - 1)) >= delta ? lane - delta : lane;
    return simt::shuffle(mask, value, from, file, line);
}
template <class T>
inline T __shfl_down_sync(uint32_t mask, T value, uint32_t delta, int width = 32, SIMT_HERE) {
    uint32_t lane = ::g16_host_runtime::context.thread % 32, w = static_cast<uint32_t>(width);
    uint32_t from = (lane & (w - 1)) + delta < w ? lane + delta : lane;
    return simt::shuffle(mask, value, from, file, line);
}
template <class T>
inline T __shfl_xor_sync(uint32_t mask, T value, int lane_mask, int width = 32, SIMT_HERE) {
    uint32_t lane = ::g16_host_runtime::context.thread % 32, w = static_cast<uint32_t>(width);
    uint32_t from = lane ^ static_cast<uint32_t>(lane_mask);
    if (from >= ((lane & ~(w - 1)) + w)) from = lane;
    return simt::shuffle(mask, value, from, file, line);
}
template <class T>
inline uint32_t __match_any_sync(uint32_t mask, T value, SIMT_HERE) {
    static_assert(std::is_integral<T>::value);
    uint64_t values[32];
    uint64_t own = static_cast<uint64_t>(value);
    uint32_t present = ::g16_host_runtime::warp_gather(mask, own, values, {file, line});
    uint32_t equal = 0;
    for (uint32_t lane = 0; lane < 32; ++lane) {
        if ((present >> lane & 1) != 0 && values[lane] == own) equal |= 1u << lane;
    }
    return equal;
}
inline uint32_t __reduce_add_sync(uint32_t mask, uint32_t value, SIMT_HERE) {
    uint64_t values[32];
    uint32_t present = ::g16_host_runtime::warp_gather(mask, value, values, {file, line});
    uint32_t sum = 0;
    for (uint32_t lane = 0; lane < 32; ++lane) {
        if ((present >> lane & 1) != 0) sum += static_cast<uint32_t>(values[lane]);
    }
    return sum;
}

#undef SIMT_HERE

}  // namespace G16_NS
