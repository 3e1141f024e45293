// The C ABI of the host runtime. No exception leaves it.
#include "simt/host_api.h"

#include <cstring>
#include <new>
#include <thread>

#include "simt/host_device.h"

namespace rt = g16_host_runtime;

namespace {

// Runs `body`, whose exceptions can only be the lack of memory or of threads.
template <class F>
int32_t guarded(F body) {
    try {
        return body();
    } catch (const std::bad_alloc&) {
        return G16_HOST_OUT_OF_MEMORY;
    } catch (...) {
        return G16_HOST_UNKNOWN;
    }
}

}  // namespace

const char* g16_host_runtime::status_text(Status status) {
    switch (status) {
        case G16_HOST_OK:
            return "no error";
        case G16_HOST_INVALID_VALUE:
            return "invalid argument";
        case G16_HOST_OUT_OF_MEMORY:
            return "out of memory";
        case G16_HOST_INVALID_LAUNCH:
            return "invalid launch configuration";
        case G16_HOST_NOT_READY:
            return "not ready";
        case G16_HOST_UNKNOWN:
            return "unknown error";
        case G16_HOST_KERNEL_DEADLOCK:
            return "a kernel's threads wait for what nothing will bring";
        case G16_HOST_MASK_MISMATCH:
            return "a warp operation's lanes disagree";
        case G16_HOST_BARRIER_DIVERGED:
            return "a block's threads met at different barriers";
        case G16_HOST_KERNEL_EXCEPTION:
            return "an exception left a kernel";
        case G16_HOST_KERNEL_MEMORY:
            return "a command lacks memory or reaches where it may not";
        default:
            return "unrecognised status";
    }
}

extern "C" {

int32_t g16_host_open(const G16HostConfig* config, G16HostDevice** device) {
    if (config == nullptr || device == nullptr) return G16_HOST_INVALID_VALUE;
    if (config->threads == 0 || config->threads > 4096) return G16_HOST_INVALID_VALUE;
    if (config->stack_bytes < 16 * 1024) return G16_HOST_INVALID_VALUE;
    return guarded([&]() -> int32_t {
        *device = new G16HostDevice(*config);
        return G16_HOST_OK;
    });
}

int32_t g16_host_close(G16HostDevice* device) {
    if (device == nullptr) return G16_HOST_INVALID_VALUE;
    return guarded([&] {
        int32_t status = device->drain();
        for (G16HostStream* stream : device->streams) delete stream;
        for (G16HostEvent* event : device->events) delete event;
        delete device;
        return status;
    });
}

int32_t g16_host_memory(G16HostDevice* device, uint64_t* free_bytes, uint64_t* total_bytes) {
    if (device == nullptr || free_bytes == nullptr || total_bytes == nullptr) {
        return G16_HOST_INVALID_VALUE;
    }
    device->memory.usage(free_bytes, total_bytes);
    return G16_HOST_OK;
}

int32_t g16_host_alloc(G16HostDevice* device, size_t bytes, void** pointer) {
    if (device == nullptr || pointer == nullptr) return G16_HOST_INVALID_VALUE;
    return guarded([&] {
        int32_t status = device->status();
        if (status != G16_HOST_OK) return status;
        std::string story;
        status = device->memory.alloc(bytes, pointer, story);
        if (status != G16_HOST_OK) device->tell(story);
        return status;
    });
}

int32_t g16_host_free(G16HostDevice* device, void* pointer) {
    if (device == nullptr) return G16_HOST_INVALID_VALUE;
    if (pointer == nullptr) return G16_HOST_OK;
    return guarded([&] {
        int32_t status = device->drain();
        int32_t freed = device->memory.free(pointer);
        return freed != G16_HOST_OK ? freed : status;
    });
}

int32_t g16_host_stream_create(G16HostDevice* device, G16HostStream** stream) {
    if (device == nullptr || stream == nullptr) return G16_HOST_INVALID_VALUE;
    return guarded([&]() -> int32_t {
        auto fresh = std::make_unique<G16HostStream>();
        fresh->device = device;
        std::lock_guard<std::mutex> lock(device->mutex);
        device->streams.insert(fresh.get());
        *stream = fresh.release();
        return G16_HOST_OK;
    });
}

int32_t g16_host_stream_destroy(G16HostStream* stream) {
    if (stream == nullptr) return G16_HOST_INVALID_VALUE;
    return guarded([&] {
        int32_t status = g16_host_stream_synchronize(stream);
        std::unique_lock<std::mutex> lock(stream->device->mutex);
        stream->device->streams.erase(stream);
        lock.unlock();
        delete stream;
        return status;
    });
}

int32_t g16_host_stream_synchronize(G16HostStream* stream) {
    if (stream == nullptr) return G16_HOST_INVALID_VALUE;
    return guarded([&] { return stream->device->finish(stream, true); });
}

int32_t g16_host_stream_query(G16HostStream* stream) {
    if (stream == nullptr) return G16_HOST_INVALID_VALUE;
    return guarded([&] { return stream->device->finish(stream, false); });
}

int32_t g16_host_stream_wait_event(G16HostStream* stream, G16HostEvent* event) {
    if (stream == nullptr || event == nullptr) return G16_HOST_INVALID_VALUE;
    return guarded([&]() -> int32_t {
        rt::Command command;
        {
            std::lock_guard<std::mutex> lock(event->device->mutex);
            command.wait = event->latest;
        }
        if (command.wait == nullptr) return G16_HOST_OK;
        return stream->device->enqueue(stream, std::move(command));
    });
}

int32_t g16_host_event_create(G16HostDevice* device, G16HostEvent** event) {
    if (device == nullptr || event == nullptr) return G16_HOST_INVALID_VALUE;
    return guarded([&]() -> int32_t {
        auto fresh = std::make_unique<G16HostEvent>();
        fresh->device = device;
        std::lock_guard<std::mutex> lock(device->mutex);
        device->events.insert(fresh.get());
        *event = fresh.release();
        return G16_HOST_OK;
    });
}

int32_t g16_host_event_destroy(G16HostEvent* event) {
    if (event == nullptr) return G16_HOST_INVALID_VALUE;
    {
        std::lock_guard<std::mutex> lock(event->device->mutex);
        event->device->events.erase(event);
    }
    delete event;
    return G16_HOST_OK;
}

int32_t g16_host_event_record(G16HostEvent* event, G16HostStream* stream) {
    if (stream == nullptr || event == nullptr || stream->device != event->device) {
        return G16_HOST_INVALID_VALUE;
    }
    return guarded([&] {
        auto record = std::make_shared<rt::Record>();
        record->stream = stream;
        rt::Command command;
        command.record = record;
        return stream->device->enqueue_record(stream, event, std::move(command));
    });
}

int32_t g16_host_event_synchronize(G16HostEvent* event) {
    if (event == nullptr) return G16_HOST_INVALID_VALUE;
    return guarded([&] { return event->device->finish(event, true); });
}

int32_t g16_host_event_query(G16HostEvent* event) {
    if (event == nullptr) return G16_HOST_INVALID_VALUE;
    return guarded([&] { return event->device->finish(event, false); });
}

int32_t g16_host_event_elapsed_ms(G16HostEvent* start, G16HostEvent* end, float* ms) {
    if (start == nullptr || end == nullptr || ms == nullptr || start->device != end->device) {
        return G16_HOST_INVALID_VALUE;
    }
    std::lock_guard<std::mutex> lock(start->device->mutex);
    if (start->latest == nullptr || end->latest == nullptr) return G16_HOST_INVALID_VALUE;
    if (!start->latest->happened || !end->latest->happened) return G16_HOST_NOT_READY;
    std::chrono::duration<float, std::milli> time = end->latest->time - start->latest->time;
    *ms = time.count();
    return G16_HOST_OK;
}

int32_t g16_host_copy(void* dst, const void* src, size_t bytes, G16HostStream* stream) {
    return rt::enqueue_copy(stream, dst, src, bytes);
}

int32_t g16_host_fill(void* dst, uint8_t value, size_t bytes, G16HostStream* stream) {
    return rt::enqueue_fill(stream, dst, value, bytes);
}

int32_t g16_host_error_detail(G16HostDevice* device, char* text, size_t capacity) {
    if (device == nullptr || text == nullptr || capacity == 0) return G16_HOST_INVALID_VALUE;
    std::lock_guard<std::mutex> lock(device->mutex);
    size_t length = device->story.size() < capacity - 1 ? device->story.size() : capacity - 1;
    memcpy(text, device->story.data(), length);
    text[length] = '\0';
    return G16_HOST_OK;
}

}  // extern "C"
