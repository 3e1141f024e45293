// A block's shared memory, and the asynchronous copies into it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "simt/host_api.h"
#include "simt/host_block.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace g16_host_runtime {

namespace {

// Between two arrays lie this many bytes that nobody may touch.
constexpr size_t kRedzoneBytes = 64;
constexpr size_t kMinAlignment = 64;
constexpr size_t kMaxSlots = 256;

void allow(unsigned char* bytes, size_t count) {
#ifdef __SANITIZE_ADDRESS__
    __asan_unpoison_memory_region(bytes, count);
#endif
    memset(bytes, kPoison, count);
}

void forbid(unsigned char* bytes, size_t count) {
#ifdef __SANITIZE_ADDRESS__
    __asan_poison_memory_region(bytes, count);
#else
    (void)bytes;
    (void)count;
#endif
}

}  // namespace

Block::~Block() {
    if (shared_ != nullptr) {
#ifdef __SANITIZE_ADDRESS__
        __asan_unpoison_memory_region(shared_, shared_capacity_);
#endif
        free(shared_);
    }
    for (auto& fiber : fibers_) fiber_destroy(*fiber);
}

void Block::reset_shared(size_t dynamic_bytes) {
    if (shared_ == nullptr) {
        size_t bytes = kMaxSharedBytes + kMaxSlots * (kRedzoneBytes + kMinAlignment);
        bytes = (bytes + kMinAlignment - 1) / kMinAlignment * kMinAlignment;
        shared_ = static_cast<unsigned char*>(aligned_alloc(kMinAlignment, bytes));
        if (shared_ == nullptr) throw std::bad_alloc();
        shared_capacity_ = bytes;
        forbid(shared_, shared_capacity_);
    } else {
        forbid(shared_, shared_used_);
    }
    shared_used_ = static_shared_ = 0;
    slots_.clear();
    dynamic_shared_ = dynamic_bytes;
    size_t offset = take_shared(dynamic_bytes, kMinAlignment);
    context.dynamic_shared = shared_ + offset;
    if (copies_used_) {
        for (AsyncCopies& copies : copies_) {
            copies.pending.clear();
            copies.group = 0;
        }
        copies_used_ = false;
    }
}

size_t Block::take_shared(size_t bytes, size_t alignment) {
    size_t offset = (shared_used_ + kRedzoneBytes + alignment - 1) / alignment * alignment;
    allow(shared_ + offset, bytes);
    shared_used_ = offset + bytes;
    return offset;
}

void* Block::shared_array(const void* token, size_t bytes, size_t alignment) {
    for (const SharedSlot& slot : slots_) {
        if (slot.token == token) return shared_ + slot.offset;
    }
    static_shared_ += bytes;
    if (static_shared_ > kMaxStaticSharedBytes || slots_.size() == kMaxSlots ||
        static_shared_ + dynamic_shared_ > kMaxSharedBytes) {
        char text[160];
        snprintf(text, sizeof text,
                 "%zu bytes of static and %zu of dynamic shared memory are more than a block has",
                 static_shared_, dynamic_shared_);
        fail(G16_HOST_KERNEL_MEMORY, text);
    }
    size_t offset = take_shared(bytes, std::max(alignment, kMinAlignment));
    slots_.push_back({token, offset});
    return shared_ + offset;
}

// --- asynchronous copies ---

void Block::copy_async(void* dst, const void* src, uint32_t bytes) {
    if ((reinterpret_cast<uintptr_t>(dst) | reinterpret_cast<uintptr_t>(src)) % bytes != 0) {
        fail(G16_HOST_KERNEL_MEMORY, "an asynchronous copy is not aligned to its size");
    }
    auto* first = static_cast<unsigned char*>(dst);
    if (first < shared_ || first + bytes > shared_ + shared_used_) {
        fail(G16_HOST_KERNEL_MEMORY, "an asynchronous copy leads outside shared memory");
    }
    memset(dst, kPoison, bytes);
    AsyncCopies& copies = copies_[context.thread];
    copies.pending.push_back({dst, src, bytes, copies.group});
    copies_used_ = true;
}

void Block::copy_async_commit() {
    ++copies_[context.thread].group;
    copies_used_ = true;
}

// Only now do the bytes arrive, so that whoever reads them without a wait finds poison.
void Block::copy_async_wait(uint32_t groups_left) {
    AsyncCopies& copies = copies_[context.thread];
    size_t done = 0;
    while (done < copies.pending.size()) {
        const AsyncCopy& copy = copies.pending[done];
        if (copy.group + groups_left >= copies.group) break;
        memcpy(copy.dst, copy.src, copy.bytes);
        ++done;
    }
    copies.pending.erase(copies.pending.begin(),
                         copies.pending.begin() + static_cast<ptrdiff_t>(done));
}

}  // namespace g16_host_runtime
