// Where threads meet: block barriers and warp operations.
#include <cstdio>
#include <cstring>

#include "simt/host_api.h"
#include "simt/host_block.h"

namespace g16_host_runtime {

namespace {

uint32_t first_lane(uint32_t lanes) { return static_cast<uint32_t>(__builtin_ctz(lanes)); }

// memcpy, for which words of the usual size need no call.
void copy_value(void* dst, const void* src, uint32_t bytes) {
    if (bytes == 4) {
        memcpy(dst, src, 4);
    } else if (bytes == 8) {
        memcpy(dst, src, 8);
    } else {
        memcpy(dst, src, bytes);
    }
}

}  // namespace

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
    if (!same) fail_diverged(site);
}

void Block::fail_diverged(Site site) {
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
    warp.lanes[lane] = &request;  // on the lane's stack, which waits with it
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
    uint32_t own = 1u << lane;
    if ((mask & own) == 0) fail_foreign_mask(lane, mask, request.site);
    for (uint32_t i = 0; i < warp.group_count; ++i) {
        WarpGroup& group = warp.groups[i];
        bool same = group.mask == mask;
        if (same && group.operation == operation && group.bytes == request.bytes) return group;
        if (!same && ((group.mask & own) == 0 || (group.arrived & mask) == 0)) continue;
        fail_disagreement(warp, group, lane, mask, request.site);
    }
    WarpGroup& group = warp.groups[warp.group_count++];
    group = {mask, 0, operation, request.bytes};
    return group;
}

void Block::fail_foreign_mask(uint32_t lane, uint32_t mask, Site site) {
    char text[512];
    snprintf(text, sizeof text, "%s:%d: lane %u is not in its own mask 0x%08x",
             short_path(site.file), site.line, lane, mask);
    fail(G16_HOST_MASK_MISMATCH, text);
}

void Block::fail_disagreement(const Warp& warp, const WarpGroup& group, uint32_t lane,
                              uint32_t mask, Site site) {
    const Site& other = warp.lanes[__builtin_ctz(group.arrived)]->site;
    char text[512];
    snprintf(text, sizeof text,
             "lanes disagree: lane %u at %s:%d under mask 0x%08x, lanes 0x%08x at %s:%d under "
             "mask 0x%08x%s",
             lane, short_path(site.file), site.line, mask, group.arrived, short_path(other.file),
             other.line, group.mask, group.mask == mask ? " in another operation" : "");
    fail(G16_HOST_MASK_MISMATCH, text);
}

bool Block::complete(const Warp& warp, const WarpGroup& group) const {
    return (group.mask & ~warp.exited & ~group.arrived) == 0;
}

// Gives the group's lanes their answers and wakes them; `own_lane` (32: none) just goes on.
void Block::deliver(uint32_t warp_index, uint32_t group_index, uint32_t own_lane) {
    Warp& warp = warps_[warp_index];
    WarpGroup group = warp.groups[group_index];
    warp.groups[group_index] = warp.groups[--warp.group_count];
    switch (group.operation) {
        case WarpOperation::kSync:
            break;
        case WarpOperation::kBallot:
            deliver_ballot(warp, group);
            break;
        case WarpOperation::kShuffle:
            deliver_shuffle(warp, group);
            break;
        case WarpOperation::kGather:
            deliver_gather(warp, group);
            break;
    }
    for (uint32_t rest = group.arrived; rest != 0; rest &= rest - 1) {
        uint32_t lane = first_lane(rest);
        if (lane != own_lane) make_ready(warp_index * 32 + lane);
    }
}

void Block::deliver_ballot(const Warp& warp, const WarpGroup& group) {
    uint32_t ballot = 0;
    for (uint32_t rest = group.arrived; rest != 0; rest &= rest - 1) {
        uint32_t lane = first_lane(rest);
        ballot |= warp.lanes[lane]->value != 0 ? 1u << lane : 0;
    }
    for (uint32_t rest = group.arrived; rest != 0; rest &= rest - 1) {
        *warp.lanes[first_lane(rest)]->lanes = ballot;
    }
}

void Block::deliver_gather(const Warp& warp, const WarpGroup& group) {
    for (uint32_t rest = group.arrived; rest != 0; rest &= rest - 1) {
        const LaneRequest& request = *warp.lanes[first_lane(rest)];
        *request.lanes = group.arrived;
        for (uint32_t from = 0; from < 32; ++from) {
            bool present = (group.arrived >> from & 1) != 0;
            request.values[from] = present ? warp.lanes[from]->value : 0;
        }
    }
}

// A lane outside the group has nothing to give: poison, and in strict mode an error.
void Block::deliver_shuffle(const Warp& warp, const WarpGroup& group) {
    for (uint32_t rest = group.arrived; rest != 0; rest &= rest - 1) {
        uint32_t lane = first_lane(rest);
        const LaneRequest& request = *warp.lanes[lane];
        if ((group.arrived >> request.source_lane & 1) != 0) {
            copy_value(request.dst, warp.lanes[request.source_lane]->src, request.bytes);
            continue;
        }
        memset(request.dst, kPoison, request.bytes);
        if (options_.strict) fail_outside(request, lane, group.arrived);
    }
}

void Block::fail_outside(const LaneRequest& request, uint32_t lane, uint32_t present) {
    char text[512];
    snprintf(text, sizeof text,
             "%s:%d: lane %u reads lane %u, which is not in the shuffle (0x%08x)",
             short_path(request.site.file), request.site.line, lane, request.source_lane, present);
    fail(G16_HOST_MASK_MISMATCH, text);
}

}  // namespace g16_host_runtime
