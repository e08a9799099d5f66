// SPDX-License-Identifier: Apache-2.0
// Events: the point of a stream at which one was last recorded.
#include <mutex>
#include <unordered_map>
#include <utility>

#include "capture.h"
#include "clock.h"
#include "errors.h"
#include "settings.h"
#include "stream.h"

/// What a cudaEvent_t points to. Recording again replaces the point, and who waits for the earlier
/// one goes on doing so.
struct CUevent_st {
  int device;
  bool timing;
  std::mutex mutex;
  fakecuda::PointPtr point;          // null: never recorded outside a capture
  fakecuda::CapturedPoint captured;  // set when the last record was inside a capture
};

namespace fakecuda {
namespace {

using EventPtr = std::shared_ptr<CUevent_st>;

constexpr unsigned int kEventFlags =
    cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;

struct Table {
  std::mutex mutex;
  std::unordered_map<cudaEvent_t, EventPtr> events;
};

Table& table() {
  static Table& once = *new Table;
  return once;
}

EventPtr find_event(cudaEvent_t handle) {
  const std::lock_guard lock(table().mutex);
  const auto found = table().events.find(handle);
  return found == table().events.end() ? nullptr : found->second;
}

EventPtr make_event(unsigned int flags) {
  auto event = std::make_shared<CUevent_st>();
  event->device = current_device();
  event->timing = (flags & cudaEventDisableTiming) == 0;
  return event;
}

cudaError_t record(CUevent_st& event, CUstream_st& stream) {
  if (event.device != stream.device) return cudaErrorInvalidResourceHandle;
  const std::lock_guard lock(event.mutex);
  if (const auto taken = capture_record(stream, event.captured)) return *taken;
  event.point = push_ordered(stream, [](ItemTime&) {});
  return cudaSuccess;
}

cudaError_t wait(const StreamPtr& stream, CUevent_st& event) {
  const std::lock_guard lock(event.mutex);
  if (event.captured.capture) return join_capture(stream, event.captured);
  if (!event.point) return cudaSuccess;
  if (const auto refused = refuse_uncaptured_dependency(*stream)) return *refused;
  push_ordered(*stream, [](ItemTime&) {}, {event.point});
  return cudaSuccess;
}

/// The point that the host may read: null when never recorded, which counts as done.
cudaError_t host_point(CUevent_st& event, PointPtr& point) {
  const std::lock_guard lock(event.mutex);
  if (event.captured.capture) return cudaErrorCapturedEvent;
  point = event.point;
  return cudaSuccess;
}

/// The same for asking whether it is done. CUDA calls that unsafe while anything is captured.
cudaError_t asked_point(CUevent_st& event, PointPtr& point) {
  const cudaError_t error = host_point(event, point);
  return error != cudaSuccess ? error : refuse_unsafe_call();
}

cudaError_t synchronize(CUevent_st& event) {
  PointPtr point;
  const cudaError_t error = asked_point(event, point);
  if (error == cudaSuccess && point) host_advance_to_s(point->wait());
  return error;
}

cudaError_t query(CUevent_st& event) {
  PointPtr point;
  const cudaError_t error = asked_point(event, point);
  if (error != cudaSuccess || !point) return error;
  if (!point->wait_for(settings().query_wait_s)) return cudaErrorNotReady;
  host_advance_to_s(point->time_s());
  return cudaSuccess;
}

cudaError_t elapsed(float* milliseconds, CUevent_st& start, CUevent_st& end) {
  PointPtr from;
  PointPtr to;
  if (milliseconds == nullptr) return cudaErrorInvalidValue;
  if (!start.timing || !end.timing) return cudaErrorInvalidResourceHandle;
  if (const cudaError_t error = host_point(start, from); error != cudaSuccess) return error;
  if (const cudaError_t error = host_point(end, to); error != cudaSuccess) return error;
  if (!from || !to) return cudaErrorInvalidResourceHandle;
  if (!from->done() || !to->done()) return cudaErrorNotReady;
  *milliseconds = static_cast<float>((to->time_s() - from->time_s()) * 1e3);
  return cudaSuccess;
}

cudaError_t create(cudaEvent_t* handle, unsigned int flags) {
  const bool shared = (flags & cudaEventInterprocess) != 0;
  const bool timed = (flags & cudaEventDisableTiming) == 0;
  if (handle == nullptr || (flags & ~kEventFlags) != 0 || (shared && timed)) {
    return cudaErrorInvalidValue;
  }
  EventPtr event = make_event(flags);
  *handle = event.get();
  const std::lock_guard lock(table().mutex);
  table().events.emplace(*handle, std::move(event));
  return cudaSuccess;
}

template <typename Body>
cudaError_t with_event(cudaEvent_t handle, const Body& body) {
  return api([&] {
    const EventPtr event = find_event(handle);
    return event ? body(*event) : cudaErrorInvalidResourceHandle;
  });
}

template <typename Body>
cudaError_t with_event_and_stream(cudaEvent_t handle, cudaStream_t stream_handle,
                                  const Body& body) {
  return with_event(handle, [&](CUevent_st& event) {
    const StreamPtr stream = find_stream(stream_handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    host_spend_call();
    return body(event, stream);
  });
}

}  // namespace

cudaError_t order_after(cudaStream_t handle, cudaStream_t other_handle) {
  const StreamPtr stream = find_stream(handle);
  const StreamPtr other = find_stream(other_handle);
  if (!stream || !other) return cudaErrorInvalidResourceHandle;
  const EventPtr between = make_event(cudaEventDisableTiming);
  between->device = other->device;
  const cudaError_t error = record(*between, *other);
  return error != cudaSuccess ? error : wait(stream, *between);
}

}  // namespace fakecuda

extern "C" {

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return fakecuda::api([&] { return fakecuda::create(event, cudaEventDefault); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return fakecuda::api([&] { return fakecuda::create(event, flags); });
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  return fakecuda::api([&] {
    const std::lock_guard lock(fakecuda::table().mutex);
    return fakecuda::table().events.erase(handle) == 1 ? cudaSuccess
                                                       : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return fakecuda::with_event_and_stream(
      event, stream,
      [](CUevent_st& its, const fakecuda::StreamPtr& on) { return fakecuda::record(its, *on); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
  return fakecuda::with_event_and_stream(
      event, stream,
      [](CUevent_st& its, const fakecuda::StreamPtr& on) { return fakecuda::wait(on, its); });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return fakecuda::with_event(event, fakecuda::synchronize);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return fakecuda::with_event(event, fakecuda::query);
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return fakecuda::with_event(start, [&](CUevent_st& from) {
    return fakecuda::with_event(
        end, [&](CUevent_st& to) { return fakecuda::elapsed(milliseconds, from, to); });
  });
}
}
