// Device memory: allocations under a limit, full of poison when fresh and when freed.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "simt/host_device.h"

namespace g16_host_runtime {

namespace {

constexpr size_t kAlignment = 256;
// From here on an allocation is a private mapping of one file full of poison, which takes memory
// only where it is written.
constexpr size_t kMappedBytes = size_t{64} << 20;
constexpr size_t kPoisonFileBytes = size_t{32} << 20;

size_t rounded(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

Memory::~Memory() {
    for (auto& [address, allocation] : allocations_) {
        give_back(reinterpret_cast<void*>(address), allocation);
    }
    if (poison_file_ >= 0) (void)close(poison_file_);
}

Status Memory::alloc(size_t bytes, void** pointer, std::string& story) {
    std::lock_guard<std::mutex> lock(mutex_);
    uint64_t free_bytes = limit_ - used_;
    if (bytes > free_bytes || rounded(bytes, kAlignment) > free_bytes) {
        char text[128];
        snprintf(text, sizeof text, "%zu bytes of device memory are needed and %zu of %zu are free",
                 bytes, static_cast<size_t>(free_bytes), static_cast<size_t>(limit_));
        story = text;
        return G16_HOST_OUT_OF_MEMORY;
    }
    size_t size = std::max(rounded(bytes, kAlignment), kAlignment);
    bool mapped = false;
    void* memory = take(size, mapped);
    if (memory == nullptr) {
        story = "the host has no memory left for the device's";
        return G16_HOST_OUT_OF_MEMORY;
    }
    allocations_[reinterpret_cast<uintptr_t>(memory)] = {size, mapped};
    used_ += std::min<uint64_t>(size, free_bytes);
    *pointer = memory;
    return G16_HOST_OK;
}

Status Memory::free(void* pointer) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = allocations_.find(reinterpret_cast<uintptr_t>(pointer));
    if (found == allocations_.end()) return G16_HOST_INVALID_VALUE;
    give_back(pointer, found->second);
    used_ -= std::min<uint64_t>(used_, found->second.bytes);
    allocations_.erase(found);
    return G16_HOST_OK;
}

bool Memory::contains(const void* pointer, size_t bytes, bool& touches) const {
    std::lock_guard<std::mutex> lock(mutex_);
    uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
    auto next = allocations_.upper_bound(address);
    touches = false;
    if (next == allocations_.begin()) return false;
    --next;
    size_t offset = address - next->first;
    touches = offset < next->second.bytes;
    return touches && bytes <= next->second.bytes - offset;
}

void Memory::usage(uint64_t* free_bytes, uint64_t* total_bytes) const {
    std::lock_guard<std::mutex> lock(mutex_);
    *free_bytes = limit_ - used_;
    *total_bytes = limit_;
}

void* Memory::take(size_t bytes, bool& mapped) {
    if (bytes >= kMappedBytes) {
        void* memory = map_poison(bytes);
        mapped = memory != nullptr;
        if (mapped) return memory;
    }
    void* memory = aligned_alloc(kAlignment, bytes);
    if (memory != nullptr) memset(memory, kPoison, bytes);
    return memory;
}

void Memory::give_back(void* pointer, const Allocation& allocation) {
    if (allocation.mapped) {
        (void)munmap(pointer, rounded(allocation.bytes, kPoisonFileBytes));
    } else {
        memset(pointer, kPoison, allocation.bytes);
        ::free(pointer);
    }
}

void* Memory::map_poison(size_t bytes) {
#ifdef __linux__
    if (poison_file_ < 0) {
        int file = memfd_create("poison", MFD_CLOEXEC);
        if (file < 0) return nullptr;
        void* view = MAP_FAILED;
        if (ftruncate(file, static_cast<off_t>(kPoisonFileBytes)) == 0) {
            view = mmap(nullptr, kPoisonFileBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        }
        if (view == MAP_FAILED) {
            (void)close(file);
            return nullptr;
        }
        memset(view, kPoison, kPoisonFileBytes);
        (void)munmap(view, kPoisonFileBytes);
        poison_file_ = file;
    }
    size_t size = rounded(bytes, kPoisonFileBytes);
    void* memory =
        mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    for (size_t offset = 0; offset < size; offset += kPoisonFileBytes) {
        void* piece =
            mmap(static_cast<char*>(memory) + offset, kPoisonFileBytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, poison_file_, 0);
        if (piece == MAP_FAILED) {
            (void)munmap(memory, size);
            return nullptr;
        }
    }
    return memory;
#else
    (void)bytes;
    return nullptr;
#endif
}

}  // namespace g16_host_runtime
