// Fibers: stacks that take turns on one host thread.
#pragma once

#include <cstddef>
#include <cstdint>

#if !defined(__x86_64__) && !defined(__aarch64__)
#define G16_FIBER_UCONTEXT 1
#include <ucontext.h>
#endif

namespace g16_host_runtime {

// A stack and where it was left. The host thread's own stack is a fiber without memory.
struct Fiber {
    void* stack_pointer = nullptr;
    unsigned char* mapping = nullptr;  // guard page first, then the stack
    size_t mapping_bytes = 0;
    size_t unused_bytes = 0;  // at the stack's top
    // What AddressSanitizer must know of the stack.
    const void* bottom = nullptr;
    size_t stack_bytes = 0;
    void* fake_stack = nullptr;
#ifdef G16_FIBER_UCONTEXT
    ucontext_t place;
#endif
};

size_t page_bytes();
// Maps a stack of at least `stack_bytes` behind a guard page; false where memory lacks. Stacks of
// different numbers begin at different places of a page, so that they do not crowd a few cache
// lines.
bool fiber_create(Fiber& fiber, size_t stack_bytes, uint32_t number);
void fiber_destroy(Fiber& fiber);
// Makes the next switch to `fiber` call `entry` on an empty stack; `entry` never returns.
void fiber_prepare(Fiber& fiber, void (*entry)());
// Forgets what the frames of an abandoned fiber have poisoned.
void fiber_abandon(Fiber& fiber);
// Leaves `from`, which may be resumed later, for `to`.
void fiber_switch(Fiber& from, Fiber& to);
// Leaves `from` for ever.
void fiber_leave(Fiber& from, Fiber& to);
// To be called first on a fresh fiber; `thread_stack`, if given, is the fiber that was left.
void fiber_entered(Fiber* thread_stack);

}  // namespace g16_host_runtime
