// SPDX-License-Identifier: Apache-2.0
// Devices: how many there are, which one a thread uses, and what they say of themselves.
#include "devices.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>

#include "capture.h"
#include "errors.h"
#include "fake_cuda.h"
#include "memory.h"
#include "settings.h"
#include "stream.h"

namespace fakecuda {
namespace {

constexpr int kMultiprocessors = 132;
constexpr int kClockKHz = 1'980'000;

int& thread_device() {
  thread_local int device = 0;
  return device;
}

int count() { return static_cast<int>(settings().devices.size()); }

int pci_bus(int device) { return settings().devices[static_cast<std::size_t>(device)] + 1; }

struct AttributeRow {
  cudaDeviceAttr attribute;
  int value;
};

constexpr AttributeRow kAttributes[] = {
    {cudaDevAttrMaxThreadsPerBlock, 1024},
    {cudaDevAttrMaxBlockDimX, 1024},
    {cudaDevAttrMaxBlockDimY, 1024},
    {cudaDevAttrMaxBlockDimZ, 64},
    {cudaDevAttrMaxGridDimX, 2'147'483'647},
    {cudaDevAttrMaxGridDimY, 65'535},
    {cudaDevAttrMaxGridDimZ, 65'535},
    {cudaDevAttrWarpSize, 32},
    {cudaDevAttrClockRate, kClockKHz},
    {cudaDevAttrMemoryClockRate, 2'619'000},
    {cudaDevAttrGlobalMemoryBusWidth, 5120},
    {cudaDevAttrL2CacheSize, 50 << 20},
    {cudaDevAttrEccEnabled, 1},
    {cudaDevAttrMaxSharedMemoryPerBlock, 48 << 10},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, 227 << 10},
    {cudaDevAttrMaxRegistersPerBlock, 65'536},
    {cudaDevAttrMultiProcessorCount, kMultiprocessors},
    {cudaDevAttrMaxThreadsPerMultiProcessor, 2048},
    {cudaDevAttrComputeCapabilityMajor, 9},
    {cudaDevAttrComputeCapabilityMinor, 0},
    {cudaDevAttrPciDomainId, 0},
    {cudaDevAttrPciDeviceId, 0},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrAsyncEngineCount, 3},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrStreamPrioritiesSupported, 1},
    {cudaDevAttrIntegrated, 0},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrComputeMode, 0},
    {cudaDevAttrPageableMemoryAccess, 0},
    {cudaDevAttrManagedMemory, 0},
};

cudaError_t attribute(int* value, cudaDeviceAttr wanted, int device) {
  if (value == nullptr) return cudaErrorInvalidValue;
  if (!is_device(device)) return cudaErrorInvalidDevice;
  if (wanted == cudaDevAttrPciBusId) {
    *value = pci_bus(device);
    return cudaSuccess;
  }
  const auto* const found =
      std::find_if(std::begin(kAttributes), std::end(kAttributes),
                   [wanted](const AttributeRow& row) { return row.attribute == wanted; });
  if (found == std::end(kAttributes)) return cudaErrorInvalidValue;
  *value = found->value;
  return cudaSuccess;
}

cudaError_t properties(cudaDeviceProp* out, int device) {
  if (out == nullptr) return cudaErrorInvalidValue;
  if (!is_device(device)) return cudaErrorInvalidDevice;
  *out = {};
  std::snprintf(out->name, sizeof out->name, "Fake GPU");
  out->uuid.bytes[0] = static_cast<char>(pci_bus(device));
  out->totalGlobalMem = settings().memory;
  out->major = 9;
  out->minor = 0;
  out->multiProcessorCount = kMultiprocessors;
  out->maxThreadsPerBlock = 1024;
  out->maxThreadsPerMultiProcessor = 2048;
  out->warpSize = 32;
  out->pciBusID = pci_bus(device);
  out->unifiedAddressing = 1;
  out->canMapHostMemory = 1;
  out->concurrentKernels = 1;
  out->asyncEngineCount = 3;
  return cudaSuccess;
}

cudaError_t synchronize_device(int device) {
  cudaError_t error = cudaSuccess;
  for (const StreamPtr& stream : streams_of(device)) {
    if (const cudaError_t refused = refuse_host_wait(*stream); refused != cudaSuccess) {
      error = cudaErrorStreamCaptureUnsupported;
    }
  }
  if (error == cudaSuccess) drain_device(device);
  return error;
}

}  // namespace

int current_device() { return thread_device(); }

bool is_device(int device) { return device >= 0 && device < count(); }

std::string pci_bus_id(int device) {
  char text[16];
  std::snprintf(text, sizeof text, "0000:%02X:00.0", static_cast<unsigned>(pci_bus(device)));
  return text;
}

}  // namespace fakecuda

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return fakecuda::api([&] {
    if (count == nullptr) return cudaErrorInvalidValue;
    *count = fakecuda::count();
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return fakecuda::api([&] {
    if (!fakecuda::is_device(device)) return cudaErrorInvalidDevice;
    fakecuda::thread_device() = device;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return fakecuda::api([&] {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = fakecuda::current_device();
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* out, int device) {
  return fakecuda::api([&] { return fakecuda::properties(out, device); });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return fakecuda::api([&] { return fakecuda::attribute(value, attribute, device); });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return fakecuda::api([&] {
    if (!fakecuda::is_device(device)) return cudaErrorInvalidDevice;
    const std::string id = fakecuda::pci_bus_id(device);
    if (text == nullptr || length <= static_cast<int>(id.size())) return cudaErrorInvalidValue;
    std::copy_n(id.c_str(), id.size() + 1, text);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return fakecuda::api([&] {
    if (device == nullptr || text == nullptr) return cudaErrorInvalidValue;
    for (int candidate = 0; candidate < fakecuda::count(); ++candidate) {
      if (fakecuda::pci_bus_id(candidate) != text) continue;
      *device = candidate;
      return cudaSuccess;
    }
    return cudaErrorInvalidDevice;
  });
}

// Streams and events stay as they are.
cudaError_t cudaDeviceReset() {
  return fakecuda::api([] {
    const int device = fakecuda::current_device();
    const cudaError_t error = fakecuda::synchronize_device(device);
    if (error == cudaSuccess) fakecuda::release_all(device);
    return error;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return fakecuda::api([] { return fakecuda::synchronize_device(fakecuda::current_device()); });
}

// Versions need no device: they say what this library is.

cudaError_t cudaRuntimeGetVersion(int* version) {
  if (version == nullptr) return fakecuda::report(cudaErrorInvalidValue);
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  if (version == nullptr) return fakecuda::report(cudaErrorInvalidValue);
  // 0, and no error, is what CUDA says where there is no driver.
  const bool has_driver = fakecuda::settings().no_device != cudaErrorInsufficientDriver;
  *version = has_driver ? CUDART_VERSION : 0;
  return cudaSuccess;
}
}
