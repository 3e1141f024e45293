// Where threads meet: block barriers and warp operations.
#include <cstdio>
#include <cstring>

#include "simt/host_api.h"
#include "simt/host_block.h"

namespace g16_host_runtime {

// --- block barriers ---

uint32_t Block::barrier(Reduction reduction, bool predicate, Site site) {
    if (barrier_waiters_.empty()) {
        barrier_kind_ = reduction;
        barrier_site_ = site;
        barrier_true_ = 0;
    } else {
        check_barrier_site(reduction, site);
    }
    barrier_true_ += predicate ? 1 : 0;
    uint32_t thread = context.thread;
    if (barrier_waiters_.size() + 1 == size_ - exited_) {
        release_barrier();
    } else {
        barrier_waiters_.push_back(static_cast<uint16_t>(thread));
        suspend(Wait::kBarrier, site, WarpOperation::kSync, 0);
    }
    return barrier_result_;
}

// Threads of one block must meet at one barrier, not at two that happen to be reached together.
void Block::check_barrier_site(Reduction reduction, Site site) {
    bool same = reduction == barrier_kind_;
    if (options_.strict) {
        same = same && site.line == barrier_site_.line &&
               (site.file == barrier_site_.file || strcmp(site.file, barrier_site_.file) == 0);
    }
    if (same) return;
    char text[512];
    snprintf(text, sizeof text,
             "threads meet at different barriers: thread %u at %s:%d, others at %s:%d",
             context.thread, short_path(site.file), site.line, short_path(barrier_site_.file),
             barrier_site_.line);
    fail(G16_HOST_BARRIER_DIVERGED, text);
}

// Wakes the waiters; the living thread that called, if one did, just goes on.
void Block::release_barrier() {
    uint32_t living = size_ - exited_;
    switch (barrier_kind_) {
        case Reduction::kNone:
            barrier_result_ = 0;
            break;
        case Reduction::kCount:
            barrier_result_ = barrier_true_;
            break;
        case Reduction::kOr:
            barrier_result_ = barrier_true_ != 0;
            break;
        case Reduction::kAnd:
            barrier_result_ = barrier_true_ == living;
            break;
    }
    for (uint16_t waiter : barrier_waiters_) make_ready(waiter);
    barrier_waiters_.clear();
}

// --- warp operations ---

void Block::warp(WarpOperation operation, uint32_t mask, const LaneRequest& request) {
    uint32_t thread = context.thread, lane = thread % 32;
    Warp& warp = warps_[thread / 32];
    WarpGroup& group = join(warp, lane, mask, operation, request);
    warp.lanes[lane] = request;
    group.arrived |= 1u << lane;
    if (complete(warp, group)) {
        deliver(thread / 32, static_cast<uint32_t>(&group - warp.groups), lane);
    } else {
        suspend(Wait::kWarp, request.site, operation, mask);
    }
}

// The group of lanes that wait under `mask`, or a new one. Groups of other masks may be under way
// beside it, unless one needs this lane while a lane of it is needed here.
Block::WarpGroup& Block::join(Warp& warp, uint32_t lane, uint32_t mask, WarpOperation operation,
                              const LaneRequest& request) {
    char text[512];
    uint32_t own = 1u << lane;
    const char* file = short_path(request.site.file);
    if ((mask & own) == 0) {
        snprintf(text, sizeof text, "%s:%d: lane %u is not in its own mask 0x%08x", file,
                 request.site.line, lane, mask);
        fail(G16_HOST_MASK_MISMATCH, text);
    }
    for (uint32_t i = 0; i < warp.group_count; ++i) {
        WarpGroup& group = warp.groups[i];
        bool same = group.mask == mask;
        if (same && group.operation == operation && group.bytes == request.bytes) return group;
        if (!same && ((group.mask & own) == 0 || (group.arrived & mask) == 0)) continue;
        const Site& other = warp.lanes[__builtin_ctz(group.arrived)].site;
        snprintf(text, sizeof text,
                 "lanes disagree: lane %u at %s:%d under mask 0x%08x, lanes 0x%08x at %s:%d under "
                 "mask 0x%08x%s",
                 lane, file, request.site.line, mask, group.arrived, short_path(other.file),
                 other.line, group.mask, same ? " in another operation" : "");
        fail(G16_HOST_MASK_MISMATCH, text);
    }
    WarpGroup& group = warp.groups[warp.group_count++];
    group = {mask, 0, operation, request.bytes};
    return group;
}

bool Block::complete(const Warp& warp, const WarpGroup& group) const {
    return (group.mask & ~warp.exited & ~group.arrived) == 0;
}

// Gives the group's lanes their answers and wakes them; `own_lane` (32: none) just goes on.
void Block::deliver(uint32_t warp_index, uint32_t group_index, uint32_t own_lane) {
    Warp& warp = warps_[warp_index];
    WarpGroup group = warp.groups[group_index];
    warp.groups[group_index] = warp.groups[--warp.group_count];
    uint32_t ballot = 0;
    if (group.operation == WarpOperation::kBallot) {
        for (uint32_t rest = group.arrived; rest != 0; rest &= rest - 1) {
            uint32_t lane = static_cast<uint32_t>(__builtin_ctz(rest));
            ballot |= warp.lanes[lane].value != 0 ? 1u << lane : 0;
        }
    }
    for (uint32_t rest = group.arrived; rest != 0; rest &= rest - 1) {
        uint32_t lane = static_cast<uint32_t>(__builtin_ctz(rest));
        LaneRequest& request = warp.lanes[lane];
        if (group.operation == WarpOperation::kBallot) {
            *request.lanes = ballot;
        } else if (group.operation == WarpOperation::kShuffle) {
            deliver_shuffle(warp, group, lane);
        } else if (group.operation == WarpOperation::kGather) {
            *request.lanes = group.arrived;
            for (uint32_t from = 0; from < 32; ++from) {
                bool present = (group.arrived >> from & 1) != 0;
                request.values[from] = present ? warp.lanes[from].value : 0;
            }
        }
        if (lane != own_lane) make_ready(warp_index * 32 + lane);
    }
}

// A lane outside the group has nothing to give: poison, and in strict mode an error.
void Block::deliver_shuffle(Warp& warp, const WarpGroup& group, uint32_t lane) {
    LaneRequest& request = warp.lanes[lane];
    if ((group.arrived >> request.source_lane & 1) != 0) {
        memcpy(request.dst, warp.lanes[request.source_lane].src, request.bytes);
        return;
    }
    memset(request.dst, kPoison, request.bytes);
    if (!options_.strict) return;
    char text[512];
    snprintf(
        text, sizeof text, "%s:%d: lane %u reads lane %u, which is not in the shuffle (0x%08x)",
        short_path(request.site.file), request.site.line, lane, request.source_lane, group.arrived);
    fail(G16_HOST_MASK_MISMATCH, text);
}

}  // namespace g16_host_runtime
