// SPDX-License-Identifier: Apache-2.0
// Launching kernels: what nvcc's host code calls, and bodies found by the kernel's name.
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "devices.h"
#include "errors.h"
#include "kernel_table.h"
#include "memory.h"
#include "settings.h"
#include "stream.h"

namespace fakecuda {
namespace {

constexpr unsigned kMostThreads = 1024;

/// A launch between <<<>>> and the host stub.
struct Configuration {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes;
  cudaStream_t stream;
};

std::vector<Configuration>& pushed_configurations() {
  thread_local std::vector<Configuration> pushed;
  return pushed;
}

/// Pinned memory of the host, and memory of the current device and of its peers; pageable memory is
/// not a GPU's to use.
const void* resolve(const void* pointer) {
  const auto target = find_memory(pointer, 0);
  if (!target || !target->allocation) return nullptr;
  const bool on_host = target->allocation->of == MemoryOf::host;
  return on_host || reaches(current_device(), target->allocation->device) ? target->at : nullptr;
}

bool is_possible(const dim3& grid, const dim3& block) {
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  return blocks > 0 && threads > 0 && threads <= kMostThreads;
}

/// What is wrong on the device goes to stderr, since a GPU would say it later and with less.
cudaError_t complain(const CUkern_st& kernel, const char* what, cudaError_t error) {
  std::fprintf(stderr, "fake CUDA: kernel %s %s\n", kernel.name.c_str(), what);
  return error;
}

cudaError_t launch(const CUkern_st& kernel, const Configuration& how, void** arguments) {
  if (!is_possible(how.grid, how.block)) return cudaErrorInvalidConfiguration;
  if (device_of(how.stream) != current_device()) return cudaErrorInvalidResourceHandle;
  const KernelRow* const row = find_body(kernel);
  if (row == nullptr) {
    return complain(kernel, "has no body in libfake_kernels.so (tests/fakes/kernels)",
                    cudaErrorNoKernelImageForDevice);
  }
  Body body = row->bind(arguments, resolve);
  if (!body) {
    return complain(kernel, "was given a pointer to memory that is not a GPU's to use",
                    cudaErrorIllegalAddress);
  }
  const Launch launch{{how.grid.x, how.grid.y, how.grid.z},
                      {how.block.x, how.block.y, how.block.z},
                      virtual_time()};
  return enqueue(how.stream, [body = std::move(body), launch](ItemTime& time) {
    time.end_s += body(launch) + settings().kernel_s;
  });
}

cudaError_t launch_function(const void* function, const Configuration& how, void** arguments) {
  const CUkern_st* const kernel = find_kernel(function);
  return kernel == nullptr ? cudaErrorInvalidDeviceFunction : launch(*kernel, how, arguments);
}

cudaError_t function_attributes(cudaFuncAttributes* out, const void* function) {
  if (out == nullptr) return cudaErrorInvalidValue;
  if (find_kernel(function) == nullptr) return cudaErrorInvalidDeviceFunction;
  *out = {};
  out->maxThreadsPerBlock = kMostThreads;
  out->numRegs = 32;
  out->binaryVersion = 90;
  out->ptxVersion = 90;
  return cudaSuccess;
}

}  // namespace
}  // namespace fakecuda

extern "C" {

// Declared by nvcc's own headers only.
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                     CUstream_st* stream);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream);
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared, cudaStream_t stream);

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                     CUstream_st* stream) {
  fakecuda::pushed_configurations().push_back({grid, block, shared, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  auto& pushed = fakecuda::pushed_configurations();
  if (pushed.empty()) return fakecuda::report(cudaErrorInvalidConfiguration);
  const fakecuda::Configuration how = pushed.back();
  pushed.pop_back();
  *grid = how.grid;
  *block = how.block;
  *shared = how.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = how.stream;
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = fakecuda::find_kernel(function);
  return *kernel == nullptr ? fakecuda::report(cudaErrorInvalidDeviceFunction) : cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared, cudaStream_t stream) {
  return fakecuda::api([&] {
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    return fakecuda::launch(*kernel, {grid, block, shared, stream}, arguments);
  });
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared, cudaStream_t stream) {
  return fakecuda::api([&] {
    return fakecuda::launch_function(function, {grid, block, shared, stream}, arguments);
  });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* how, const void* function,
                                void** arguments) {
  return fakecuda::api([&] {
    if (how == nullptr) return cudaErrorInvalidValue;
    return fakecuda::launch_function(
        function, {how->gridDim, how->blockDim, how->dynamicSmemBytes, how->stream}, arguments);
  });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* out, const void* function) {
  return fakecuda::api([&] { return fakecuda::function_attributes(out, function); });
}
}
