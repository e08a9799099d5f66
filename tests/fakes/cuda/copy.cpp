// SPDX-License-Identifier: Apache-2.0
// Copying and setting memory.
#include <cstring>
#include <memory>

#include "clock.h"
#include "devices.h"
#include "errors.h"
#include "memory.h"
#include "settings.h"
#include "stream.h"

namespace fakecuda {
namespace {

struct Copy {
  Target to;
  Target from;
  std::size_t bytes;
};

bool on_device(const Target& target) {
  return target.allocation && target.allocation->of == MemoryOf::device;
}

/// Whether memory is where the direction of a copy says.
bool agrees(cudaMemcpyKind kind, bool to_device, bool from_device) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      return !to_device && !from_device;
    case cudaMemcpyHostToDevice:
      return to_device && !from_device;
    case cudaMemcpyDeviceToHost:
      return !to_device && from_device;
    case cudaMemcpyDeviceToDevice:
      return to_device && from_device;
    case cudaMemcpyDefault:
      return true;
  }
  return false;
}

cudaError_t resolve(Copy& copy, void* to, const void* from, std::size_t bytes,
                    cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (to == nullptr || from == nullptr) return cudaErrorInvalidValue;
  const auto destination = find_memory(to, bytes);
  const auto source = find_memory(from, bytes);
  if (!destination || !source) return cudaErrorInvalidValue;
  if (!agrees(kind, on_device(*destination), on_device(*source))) return cudaErrorInvalidValue;
  copy = {*destination, *source, bytes};
  return cudaSuccess;
}

/// Virtual time of a copy, at this share of FAKE_CUDA_COPY_GBPS.
double copy_s(std::size_t bytes, double share = 1) {
  const double rate_Bps = settings().copy_Bps * share;
  return rate_Bps > 0 ? static_cast<double>(bytes) / rate_Bps : 0;
}

/// Enqueues a copy that reads its source when it runs.
cudaError_t enqueue_copy(const Copy& copy, cudaStream_t stream, double share = 1) {
  return enqueue(stream, [to = copy.to.at, from = copy.from.at, bytes = copy.bytes,
                          duration_s = copy_s(copy.bytes, share)](ItemTime& time) {
    std::memmove(to, from, bytes);
    time.end_s += duration_s;
  });
}

/// Enqueues a copy from pageable memory, which CUDA has read when the call returns.
cudaError_t enqueue_copy_of_snapshot(const Copy& copy, cudaStream_t stream) {
  std::shared_ptr<std::byte[]> snapshot(new std::byte[copy.bytes]);
  std::memcpy(snapshot.get(), copy.from.at, copy.bytes);
  return enqueue(stream, [to = copy.to.at, snapshot, bytes = copy.bytes,
                          duration_s = copy_s(copy.bytes)](ItemTime& time) {
    std::memcpy(to, snapshot.get(), bytes);
    time.end_s += duration_s;
  });
}

cudaError_t copy_async(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                       cudaStream_t stream) {
  if (bytes == 0) return cudaSuccess;
  Copy copy;
  if (const cudaError_t error = resolve(copy, to, from, bytes, kind); error != cudaSuccess)
    return error;
  const bool pageable = !copy.to.allocation || !copy.from.allocation;
  if (!pageable || is_capturing(stream)) return enqueue_copy(copy, stream);
  if (!copy.from.allocation) return enqueue_copy_of_snapshot(copy, stream);
  // To pageable memory: CUDA returns when it is there.
  const cudaError_t error = enqueue_copy(copy, stream);
  return error != cudaSuccess ? error : cudaStreamSynchronize(stream);
}

cudaError_t copy_now(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (bytes == 0) return cudaSuccess;
  Copy copy;
  if (const cudaError_t error = resolve(copy, to, from, bytes, kind); error != cudaSuccess)
    return error;
  const cudaError_t error = enqueue_copy(copy, nullptr);
  // Between devices the host does not wait, though the NULL stream orders it.
  const bool device_only = on_device(copy.to) && on_device(copy.from);
  return error != cudaSuccess || device_only ? error : cudaStreamSynchronize(nullptr);
}

/// Memory of the device that the caller says.
bool is_of(const Target& target, int device) {
  return on_device(target) && target.allocation->device == device;
}

/// Takes twice as long where neither device reaches the other, since CUDA then goes by the host.
cudaError_t copy_between(const Copy& copy, int to_device, int from_device, cudaStream_t stream) {
  const bool direct = reaches(from_device, to_device) || reaches(to_device, from_device);
  return enqueue_copy(copy, stream, direct ? 1 : 0.5);
}

cudaError_t copy_peer(const Copy& wanted, int to_device, int from_device, cudaStream_t stream) {
  if (!is_device(to_device) || !is_device(from_device)) return cudaErrorInvalidDevice;
  if (!is_of(wanted.to, to_device) || !is_of(wanted.from, from_device)) {
    return cudaErrorInvalidValue;
  }
  return copy_between(wanted, to_device, from_device, stream);
}

cudaError_t set(void* start, int value, std::size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return cudaSuccess;
  std::byte* const at = alias(start, bytes);
  if (at == nullptr) return cudaErrorInvalidValue;
  return enqueue(stream, [=](ItemTime&) { std::memset(at, value, bytes); });
}

}  // namespace
}  // namespace fakecuda

extern "C" {

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return fakecuda::api([&] { return fakecuda::copy_now(to, from, bytes, kind); });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return fakecuda::api([&] { return fakecuda::copy_async(to, from, bytes, kind, stream); });
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t bytes, cudaStream_t stream) {
  return fakecuda::api([&] {
    if (bytes == 0) return cudaSuccess;
    fakecuda::Copy copy;
    const cudaError_t error = fakecuda::resolve(copy, to, from, bytes, cudaMemcpyDeviceToDevice);
    if (error != cudaSuccess) return error;
    return fakecuda::copy_peer(copy, to_device, from_device, stream);
  });
}

// Setting device memory does not make the host wait: the NULL stream orders it.
cudaError_t cudaMemset(void* start, int value, std::size_t bytes) {
  return fakecuda::api([&] { return fakecuda::set(start, value, bytes, nullptr); });
}

cudaError_t cudaMemsetAsync(void* start, int value, std::size_t bytes, cudaStream_t stream) {
  return fakecuda::api([&] { return fakecuda::set(start, value, bytes, stream); });
}
}
