// The GPU's carry-chain instructions, one function each: the only inline PTX of the project.
//
// A name is its PTX instruction: `add_cc` writes the carry flag, `addc` reads it, `addc_cc` does
// both. After `sub_cc` the flag is the borrow. Off the GPU the same functions keep the flag in a
// variable, so that the algorithms above them are the GPU's, instruction by instruction.
#pragma once

#include "simt/simt.cuh"

#ifdef __CUDACC__
#define G16_FIELD_INLINE SIMT_HD __forceinline__
#else
#define G16_FIELD_INLINE inline
#endif

#if defined(__CUDA_ARCH__) || defined(G16_LIMB32)

namespace G16_NS::carry {

#ifdef __CUDA_ARCH__

#define G16_CARRY_2(name, instruction)                                       \
    G16_FIELD_INLINE uint32_t name(uint32_t a, uint32_t b) {                 \
        uint32_t d;                                                          \
        asm volatile(instruction " %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); \
        return d;                                                            \
    }
#define G16_CARRY_3(name, instruction)                                                   \
    G16_FIELD_INLINE uint32_t name(uint32_t a, uint32_t b, uint32_t c) {                 \
        uint32_t d;                                                                      \
        asm volatile(instruction " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); \
        return d;                                                                        \
    }

G16_CARRY_2(add_cc, "add.cc.u32")
G16_CARRY_2(addc_cc, "addc.cc.u32")
G16_CARRY_2(addc, "addc.u32")
G16_CARRY_2(sub_cc, "sub.cc.u32")
G16_CARRY_2(subc_cc, "subc.cc.u32")
G16_CARRY_2(subc, "subc.u32")
G16_CARRY_2(mul_lo, "mul.lo.u32")
G16_CARRY_2(mul_hi, "mul.hi.u32")
G16_CARRY_3(mad_lo_cc, "mad.lo.cc.u32")
G16_CARRY_3(madc_lo_cc, "madc.lo.cc.u32")
G16_CARRY_3(madc_hi_cc, "madc.hi.cc.u32")
G16_CARRY_3(madc_hi, "madc.hi.u32")

// The eight limbs x += y, or x -= y, where the condition is not zero.
#define G16_CARRY_IF(name, op)                                                                    \
    G16_FIELD_INLINE void name(uint32_t (&x)[8], const uint32_t* y, uint32_t condition) {         \
        asm volatile(                                                                             \
            "{ .reg .pred p; setp.ne.u32 p, %8, 0;\n\t"                                           \
            "@p " op ".cc.u32 %0, %0, %9;\n\t@p " op                                              \
            "c.cc.u32 %1, %1, %10;\n\t"                                                           \
            "@p " op "c.cc.u32 %2, %2, %11;\n\t@p " op                                            \
            "c.cc.u32 %3, %3, %12;\n\t"                                                           \
            "@p " op "c.cc.u32 %4, %4, %13;\n\t@p " op                                            \
            "c.cc.u32 %5, %5, %14;\n\t"                                                           \
            "@p " op "c.cc.u32 %6, %6, %15;\n\t@p " op "c.u32 %7, %7, %16; }"                     \
            : "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3]), "+r"(x[4]), "+r"(x[5]), "+r"(x[6]), \
              "+r"(x[7])                                                                          \
            : "r"(condition), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]),   \
              "r"(y[6]), "r"(y[7]));                                                              \
    }

G16_CARRY_IF(add_if, "add")
G16_CARRY_IF(sub_if, "sub")

#undef G16_CARRY_IF
#undef G16_CARRY_2
#undef G16_CARRY_3

#else

// The carry flag of the emulated instructions.
inline thread_local uint32_t flag = 0;

// Splits a sum or a difference of 32-bit numbers into result and flag.
inline uint32_t set_flag(uint64_t x) {
    flag = uint32_t(x >> 32) & 1;
    return uint32_t(x);
}

inline uint32_t mul_lo(uint32_t a, uint32_t b) { return a * b; }
inline uint32_t mul_hi(uint32_t a, uint32_t b) { return uint32_t(uint64_t(a) * b >> 32); }

inline uint32_t add_cc(uint32_t a, uint32_t b) { return set_flag(uint64_t(a) + b); }
inline uint32_t addc_cc(uint32_t a, uint32_t b) { return set_flag(uint64_t(a) + b + flag); }
inline uint32_t addc(uint32_t a, uint32_t b) { return a + b + flag; }
inline uint32_t sub_cc(uint32_t a, uint32_t b) { return set_flag(uint64_t(a) - b); }
inline uint32_t subc_cc(uint32_t a, uint32_t b) { return set_flag(uint64_t(a) - b - flag); }
inline uint32_t subc(uint32_t a, uint32_t b) { return a - b - flag; }

inline uint32_t mad_lo_cc(uint32_t a, uint32_t b, uint32_t c) { return add_cc(mul_lo(a, b), c); }
inline uint32_t madc_lo_cc(uint32_t a, uint32_t b, uint32_t c) { return addc_cc(mul_lo(a, b), c); }
inline uint32_t madc_hi_cc(uint32_t a, uint32_t b, uint32_t c) { return addc_cc(mul_hi(a, b), c); }
inline uint32_t madc_hi(uint32_t a, uint32_t b, uint32_t c) { return addc(mul_hi(a, b), c); }

inline void add_if(uint32_t (&x)[8], const uint32_t* y, uint32_t condition) {
    if (condition == 0) return;
    flag = 0;
    for (int i = 0; i < 8; i++) x[i] = addc_cc(x[i], y[i]);
}

inline void sub_if(uint32_t (&x)[8], const uint32_t* y, uint32_t condition) {
    if (condition == 0) return;
    flag = 0;
    for (int i = 0; i < 8; i++) x[i] = subc_cc(x[i], y[i]);
}

#endif

}  // namespace G16_NS::carry

#endif
