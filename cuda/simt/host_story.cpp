// What is told about a kernel's fault.
#include <cstdio>
#include <cstring>

#include "simt/host_api.h"
#include "simt/host_block.h"

namespace g16_host_runtime {

const char* short_path(const char* path) {
    const char* found = nullptr;
    for (const char* p = path; (p = strstr(p, "cuda/")) != nullptr; ++p) found = p;
    return found == nullptr ? path : found + strlen("cuda/");
}

std::string Block::tell(const std::string& what) const {
    char place[256];
    const Dim3& grid = launch_->shape.grid;
    const Dim3& size = launch_->shape.block;
    snprintf(place, sizeof place,
             " block (%u, %u, %u) of (%u, %u, %u), (%u, %u, %u) threads each: ",
             context.block_index.x, context.block_index.y, context.block_index.z, grid.x, grid.y,
             grid.z, size.x, size.y, size.z);
    return "kernel " + function_name(launch_->shape.kernel) + "," + place + what;
}

namespace {

const char* operation_name(WarpOperation operation) {
    switch (operation) {
        case WarpOperation::kSync:
            return "__syncwarp";
        case WarpOperation::kBallot:
            return "a ballot";
        case WarpOperation::kShuffle:
            return "a shuffle";
        case WarpOperation::kGather:
            return "a match or reduction";
    }
    return "?";
}

}  // namespace

// Threads that wait alike, in ranges.
std::string Block::deadlock_story() const {
    std::string story = "deadlock;";
    for (uint32_t first = 0; first < size_;) {
        const Thread& thread = threads_[first];
        uint32_t last = first;
        while (last + 1 < size_) {
            const Thread& other = threads_[last + 1];
            bool alike = thread.exited == other.exited && thread.wait == other.wait &&
                         thread.mask == other.mask && thread.site.line == other.site.line &&
                         thread.site.file == other.site.file;
            if (!alike) break;
            ++last;
        }
        char text[512];
        int used = snprintf(text, sizeof text, " threads %u-%u ", first, last);
        char* rest = text + used;
        size_t left = sizeof text - static_cast<size_t>(used);
        const char* file = thread.site.file == nullptr ? "" : short_path(thread.site.file);
        if (thread.exited) {
            snprintf(rest, left, "have ended;");
        } else if (thread.wait == Wait::kBarrier) {
            snprintf(rest, left, "wait at the barrier %s:%d;", file, thread.site.line);
        } else if (thread.wait == Wait::kWarp) {
            snprintf(rest, left, "wait at %s under mask 0x%08x, %s:%d;",
                     operation_name(thread.operation), thread.mask, file, thread.site.line);
        } else {
            snprintf(rest, left, "run;");
        }
        story += text;
        first = last + 1;
    }
    story.pop_back();
    return story;
}

}  // namespace g16_host_runtime
