// SPDX-License-Identifier: Apache-2.0
// The interface functions of streams.
#include <algorithm>
#include <utility>

#include "capture.h"
#include "clock.h"
#include "errors.h"
#include "settings.h"
#include "stream.h"

namespace fakecuda {
namespace {

constexpr int kLeastPriority = 0;
constexpr int kGreatestPriority = -5;

void do_nothing(ItemTime&) {}

/// The point that waiting for a stream means; null where there is nothing to wait for. The NULL
/// stream stands for every blocking one, which an item of it comes after.
PointPtr point_of_all(CUstream_st& stream) {
  return stream.kind == StreamKind::null ? push_ordered(stream, do_nothing) : stream.last();
}

cudaError_t make_stream(cudaStream_t* handle, unsigned int flags, int priority) {
  if (handle == nullptr || flags > cudaStreamNonBlocking) return cudaErrorInvalidValue;
  const bool alone = (flags & cudaStreamNonBlocking) != 0;
  const StreamKind kind = alone ? StreamKind::non_blocking : StreamKind::blocking;
  // As CUDA does, take the nearest priority that there is.
  priority = std::clamp(priority, kGreatestPriority, kLeastPriority);
  *handle = add_stream(std::make_shared<CUstream_st>(current_device(), kind, priority));
  return cudaSuccess;
}

cudaError_t synchronize(CUstream_st& stream) {
  if (const cudaError_t error = refuse_host_wait(stream); error != cudaSuccess) return error;
  if (const PointPtr point = point_of_all(stream)) host_advance_to_s(point->wait());
  return cudaSuccess;
}

cudaError_t query(CUstream_st& stream) {
  if (const cudaError_t error = refuse_host_wait(stream); error != cudaSuccess) return error;
  const PointPtr point = point_of_all(stream);
  if (!point) return cudaSuccess;
  if (!point->wait_for(settings().query_wait_s)) return cudaErrorNotReady;
  host_advance_to_s(point->time_s());
  return cudaSuccess;
}

/// Runs `body` with the stream behind a handle.
template <typename Body>
cudaError_t with_stream(cudaStream_t handle, const Body& body) {
  return api([&] {
    const StreamPtr stream = find_stream(handle);
    return stream ? body(*stream) : cudaErrorInvalidResourceHandle;
  });
}

}  // namespace

cudaError_t enqueue(cudaStream_t handle, Work work) {
  const StreamPtr stream = find_stream(handle);
  if (!stream) return cudaErrorInvalidResourceHandle;
  host_spend_call();
  if (const auto captured = capture_work(*stream, work)) return *captured;
  push_ordered(*stream, std::move(work));
  return cudaSuccess;
}

bool is_capturing(cudaStream_t handle) {
  const StreamPtr stream = find_stream(handle);
  return stream && capture_status(*stream) != cudaStreamCaptureStatusNone;
}

}  // namespace fakecuda

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return fakecuda::api([&] { return fakecuda::make_stream(stream, cudaStreamDefault, 0); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return fakecuda::api([&] { return fakecuda::make_stream(stream, flags, 0); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
  return fakecuda::api([&] { return fakecuda::make_stream(stream, flags, priority); });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return fakecuda::api([&] {
    if (least != nullptr) *least = fakecuda::kLeastPriority;
    if (greatest != nullptr) *greatest = fakecuda::kGreatestPriority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  return fakecuda::with_stream(handle, [&](CUstream_st& stream) {
    if (priority == nullptr) return cudaErrorInvalidValue;
    *priority = stream.priority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned int* flags) {
  return fakecuda::with_stream(handle, [&](CUstream_st& stream) {
    if (flags == nullptr) return cudaErrorInvalidValue;
    *flags = stream.kind == fakecuda::StreamKind::non_blocking ? cudaStreamNonBlocking
                                                               : cudaStreamDefault;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
  return fakecuda::with_stream(handle, [&](CUstream_st& stream) {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = stream.device;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return fakecuda::api([&] {
    const auto stream = handle == nullptr ? nullptr : fakecuda::remove_stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    // What is queued still runs; the worker keeps the stream alive until then.
    stream->close();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return fakecuda::with_stream(handle, fakecuda::synchronize);
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return fakecuda::with_stream(handle, fakecuda::query);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  return fakecuda::api([&] {
    if (function == nullptr) return cudaErrorInvalidValue;
    return fakecuda::enqueue(handle, [=](fakecuda::ItemTime&) {
      fakecuda::in_host_function() = true;
      function(data);
      fakecuda::in_host_function() = false;
    });
  });
}
}
