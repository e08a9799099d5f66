// SPDX-License-Identifier: Apache-2.0
// The interface functions of memory, but for copies.
#include "errors.h"
#include "fake_cuda.h"
#include "memory.h"
#include "settings.h"

namespace {

cudaError_t pointer_attributes(cudaPointerAttributes* out, const void* pointer) {
  if (out == nullptr) return cudaErrorInvalidValue;
  const auto target = fakecuda::find_memory(pointer, 1);
  if (!target) return cudaErrorInvalidValue;
  *out = {};
  auto* const address = const_cast<void*>(pointer);
  if (!target->allocation) {
    out->type = cudaMemoryTypeUnregistered;
    out->device = cudaInvalidDeviceId;
    out->hostPointer = address;
    return cudaSuccess;
  }
  const bool is_device = target->allocation->of == fakecuda::MemoryOf::device;
  out->type = is_device ? cudaMemoryTypeDevice : cudaMemoryTypeHost;
  out->device = target->allocation->device;
  out->devicePointer = address;
  out->hostPointer = is_device ? nullptr : address;
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** start, std::size_t bytes) {
  return fakecuda::api(
      [&] { return fakecuda::allocate(start, bytes, fakecuda::MemoryOf::device); });
}

cudaError_t cudaFree(void* start) {
  return fakecuda::api([&] { return fakecuda::release(start, fakecuda::MemoryOf::device); });
}

cudaError_t cudaMallocHost(void** start, std::size_t bytes) {
  return fakecuda::api([&] { return fakecuda::allocate(start, bytes, fakecuda::MemoryOf::host); });
}

cudaError_t cudaHostAlloc(void** start, std::size_t bytes, unsigned int) {
  return cudaMallocHost(start, bytes);
}

cudaError_t cudaFreeHost(void* start) {
  return fakecuda::api([&] { return fakecuda::release(start, fakecuda::MemoryOf::host); });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int) {
  return fakecuda::api([&] {
    const auto target = fakecuda::find_memory(host, 1);
    const bool pinned = target && target->allocation && target->at == host;
    if (device == nullptr || !pinned) return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return fakecuda::api([&] {
    if (free == nullptr || total == nullptr) return cudaErrorInvalidValue;
    *total = fakecuda::settings().memory;
    *free = *total - fakecuda::allocated_bytes(fakecuda::current_device());
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* out, const void* pointer) {
  return fakecuda::api([&] { return pointer_attributes(out, pointer); });
}
}
