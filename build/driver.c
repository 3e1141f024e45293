// CUDA's driver functions, opened at the first call.
//
// The crates `cust` and `cust_raw` link libcuda.so.1, so a program that uses them does not start on
// a machine without a driver. These definitions take the place of the library's: each jumps through
// a slot to the function of the same name in the real library, which the first call opens. Where
// there is no library the call returns CUDA_ERROR_STUB_LIBRARY; where the library lacks the
// function, CUDA_ERROR_NOT_FOUND.
//
// The trampolines know no signature: they leave every argument register and the stack as they were.
// build.rs writes driver_symbols.h, a line `G16_DRIVER_SYMBOL(index, name)` for each function.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

#ifndef __x86_64__
#error "the trampolines are written for x86-64 only"
#endif

#define G16_HIDDEN __attribute__((visibility("hidden")))

enum { CUDA_ERROR_STUB_LIBRARY = 34, CUDA_ERROR_NOT_FOUND = 500 };

static const char* const names[] = {
#define G16_DRIVER_SYMBOL(index, name) #name,
#include "driver_symbols.h"
#undef G16_DRIVER_SYMBOL
};

// The functions that have been found; null until the first call of each.
G16_HIDDEN void* g16_driver_slots[sizeof names / sizeof names[0]];

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void* library;
static char reason[512] = "";

static int no_library(void) { return CUDA_ERROR_STUB_LIBRARY; }
static int no_function(void) { return CUDA_ERROR_NOT_FOUND; }

static void open_library(void) {
    library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library != NULL) return;
    const char* text = dlerror();
    if (text == NULL) text = "libcuda.so.1 cannot be opened";
    size_t i = 0;
    for (; i + 1 < sizeof reason && text[i] != '\0'; i++) reason[i] = text[i];
    reason[i] = '\0';
}

// Why there is no driver, or null where there is one.
G16_HIDDEN const char* g16_driver_missing(void) {
    pthread_once(&once, open_library);
    return library == NULL ? reason : NULL;
}

// The function behind trampoline `index`, never null; remembers it.
G16_HIDDEN __attribute__((used)) void* g16_driver_resolve(unsigned index) {
    pthread_once(&once, open_library);
    void* function = library == NULL ? (void*)no_library : dlsym(library, names[index]);
    if (function == NULL) function = (void*)no_function;
    __atomic_store_n(&g16_driver_slots[index], function, __ATOMIC_RELAXED);
    return function;
}

// Finds the function of the index in r11d and jumps to it, with all argument registers kept.
__asm__(
    ".text\n"
    ".type g16_driver_bind, @function\n"
    "g16_driver_bind:\n"
    ".cfi_startproc\n"
    "    pushq %rbp\n"
    ".cfi_def_cfa_offset 16\n"
    ".cfi_offset %rbp, -16\n"
    "    movq %rsp, %rbp\n"
    ".cfi_def_cfa_register %rbp\n"
    "    pushq %rdi\n"
    "    pushq %rsi\n"
    "    pushq %rdx\n"
    "    pushq %rcx\n"
    "    pushq %r8\n"
    "    pushq %r9\n"
    "    pushq %rax\n"
    "    pushq %r10\n"
    "    subq $128, %rsp\n"
    "    movups %xmm0, 0(%rsp)\n"
    "    movups %xmm1, 16(%rsp)\n"
    "    movups %xmm2, 32(%rsp)\n"
    "    movups %xmm3, 48(%rsp)\n"
    "    movups %xmm4, 64(%rsp)\n"
    "    movups %xmm5, 80(%rsp)\n"
    "    movups %xmm6, 96(%rsp)\n"
    "    movups %xmm7, 112(%rsp)\n"
    "    movl %r11d, %edi\n"
    "    call g16_driver_resolve\n"
    "    movq %rax, %r11\n"
    "    movups 0(%rsp), %xmm0\n"
    "    movups 16(%rsp), %xmm1\n"
    "    movups 32(%rsp), %xmm2\n"
    "    movups 48(%rsp), %xmm3\n"
    "    movups 64(%rsp), %xmm4\n"
    "    movups 80(%rsp), %xmm5\n"
    "    movups 96(%rsp), %xmm6\n"
    "    movups 112(%rsp), %xmm7\n"
    "    addq $128, %rsp\n"
    "    popq %r10\n"
    "    popq %rax\n"
    "    popq %r9\n"
    "    popq %r8\n"
    "    popq %rcx\n"
    "    popq %rdx\n"
    "    popq %rsi\n"
    "    popq %rdi\n"
    "    popq %rbp\n"
    ".cfi_def_cfa %rsp, 8\n"
    "    jmp *%r11\n"
    ".cfi_endproc\n"
    ".size g16_driver_bind, .-g16_driver_bind\n");

#define G16_DRIVER_SYMBOL(index, name)            \
    __asm__(".globl " #name                       \
            "\n"                                  \
            ".hidden " #name                      \
            "\n"                                  \
            ".type " #name                        \
            ", @function\n"                       \
            ".p2align 4\n" #name                  \
            ":\n"                                 \
            ".cfi_startproc\n"                    \
            "    movq g16_driver_slots+8*" #index \
            "(%rip), %r11\n"                      \
            "    testq %r11, %r11\n"              \
            "    je 1f\n"                         \
            "    jmp *%r11\n"                     \
            "1:  movl $" #index                   \
            ", %r11d\n"                           \
            "    jmp g16_driver_bind\n"           \
            ".cfi_endproc\n"                      \
            ".size " #name ", .-" #name "\n");
#include "driver_symbols.h"
