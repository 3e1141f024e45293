#include "simt/host_fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define G16_NO_ADDRESS_CHECKS __attribute__((no_sanitize_address))
#else
#define G16_NO_ADDRESS_CHECKS
#endif

// Saves the registers that a callee must keep and the stack pointer in *save, and continues where
// `load` was saved.
extern "C" void g16_host_fiber_switch(void** save, void* load);

#if defined(__x86_64__)
asm(R"(
    .text
    .globl g16_host_fiber_switch
    .hidden g16_host_fiber_switch
    .type g16_host_fiber_switch, @function
g16_host_fiber_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size g16_host_fiber_switch, .-g16_host_fiber_switch
)");
#elif defined(__aarch64__)
asm(R"(
    .text
    .globl g16_host_fiber_switch
    .hidden g16_host_fiber_switch
    .type g16_host_fiber_switch, %function
g16_host_fiber_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
    .size g16_host_fiber_switch, .-g16_host_fiber_switch
)");
#endif

namespace g16_host_runtime {

namespace {

// Where stacks begin within a page: multiples of two cache lines.
constexpr size_t kStackPlaces = 32;
constexpr size_t kStackPlaceBytes = 128;

#ifndef G16_FIBER_UCONTEXT
unsigned char* stack_top(const Fiber& fiber) {
    return fiber.mapping + fiber.mapping_bytes - fiber.unused_bytes;
}
#endif

}  // namespace

size_t page_bytes() {
    static const long bytes = sysconf(_SC_PAGESIZE);
    return bytes > 0 ? static_cast<size_t>(bytes) : 4096;
}

bool fiber_create(Fiber& fiber, size_t stack_bytes, uint32_t number) {
    size_t page = page_bytes();
    size_t unused = number % kStackPlaces * kStackPlaceBytes;
    stack_bytes = (stack_bytes + unused + page - 1) / page * page;
    void* mapping = mmap(nullptr, stack_bytes + page, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) return false;
    // Where the system has no mapping left for it, the stack works without its guard.
    (void)mprotect(mapping, page, PROT_NONE);
    fiber.mapping = static_cast<unsigned char*>(mapping);
    fiber.mapping_bytes = stack_bytes + page;
    fiber.unused_bytes = unused;
    fiber.bottom = fiber.mapping + page;
    fiber.stack_bytes = stack_bytes;
    return true;
}

void fiber_destroy(Fiber& fiber) {
    if (fiber.mapping == nullptr) return;
    fiber_abandon(fiber);
    (void)munmap(fiber.mapping, fiber.mapping_bytes);
    fiber = Fiber();
}

void fiber_prepare(Fiber& fiber, void (*entry)()) {
    fiber_abandon(fiber);  // what ran here last did not return from its outer functions
    fiber.fake_stack = nullptr;
#if defined(__x86_64__)
    // Six registers, the entry, and the return address that the entry would have: at a call, the
    // stack pointer is 8 short of a multiple of 16.
    void** top = reinterpret_cast<void**>(stack_top(fiber));
    top[-1] = nullptr;
    top[-2] = reinterpret_cast<void*>(entry);
    for (int i = 3; i <= 8; ++i) top[-i] = nullptr;
    fiber.stack_pointer = top - 8;
#elif defined(__aarch64__)
    void** top = reinterpret_cast<void**>(stack_top(fiber));
    for (int i = 1; i <= 20; ++i) top[-i] = nullptr;
    top[-20 + 11] = reinterpret_cast<void*>(entry);  // x30
    fiber.stack_pointer = top - 20;
#else
    (void)getcontext(&fiber.place);
    fiber.place.uc_stack.ss_sp = const_cast<void*>(fiber.bottom);
    fiber.place.uc_stack.ss_size = fiber.stack_bytes - fiber.unused_bytes;
    fiber.place.uc_link = nullptr;
    makecontext(&fiber.place, entry, 0);
#endif
}

void fiber_abandon(Fiber& fiber) {
#ifdef __SANITIZE_ADDRESS__
    __asan_unpoison_memory_region(fiber.bottom, fiber.stack_bytes);
#else
    (void)fiber;
#endif
}

namespace {

G16_NO_ADDRESS_CHECKS inline void switch_stacks(Fiber& from, Fiber& to) {
#ifdef G16_FIBER_UCONTEXT
    (void)swapcontext(&from.place, &to.place);
#else
    g16_host_fiber_switch(&from.stack_pointer, to.stack_pointer);
#endif
}

}  // namespace

G16_NO_ADDRESS_CHECKS void fiber_switch(Fiber& from, Fiber& to) {
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(&from.fake_stack, to.bottom, to.stack_bytes);
#endif
    switch_stacks(from, to);
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(from.fake_stack, nullptr, nullptr);
#endif
}

G16_NO_ADDRESS_CHECKS void fiber_leave(Fiber& from, Fiber& to) {
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(nullptr, to.bottom, to.stack_bytes);
#endif
    switch_stacks(from, to);
}

G16_NO_ADDRESS_CHECKS void fiber_entered(Fiber* thread_stack) {
#ifdef __SANITIZE_ADDRESS__
    const void* bottom = nullptr;
    size_t bytes = 0;
    __sanitizer_finish_switch_fiber(nullptr, &bottom, &bytes);
    if (thread_stack != nullptr) {
        thread_stack->bottom = bottom;
        thread_stack->stack_bytes = bytes;
    }
#else
    (void)thread_stack;
#endif
}

}  // namespace g16_host_runtime
