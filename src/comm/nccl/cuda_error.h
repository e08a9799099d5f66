// SPDX-License-Identifier: Apache-2.0
// COLLBENCH_CUDA_CHECK: a call into the CUDA runtime whose failure becomes a SystemError.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace collbench {

/// Where a call stands in the source.
struct CudaCallSite {
  const char* call;
  const char* file;
  int line;
};

/// "cudaErrorNoDevice (100): no CUDA-capable device is detected"
std::string cuda_error_text(cudaError_t code);

/// "cudaMalloc(...) failed with cudaErrorMemoryAllocation (2): out of memory (file:line)". Rank and
/// host are added where it is caught.
std::string cuda_failure(cudaError_t code, const CudaCallSite& site);

/// Throws SystemError. Forgets the error, where the runtime can, so that no later call reports it.
[[noreturn]] void throw_cuda_error(cudaError_t code, const CudaCallSite& site);

/// The answer of a query, which the runtime also keeps as an error when it is "not yet". Throws
/// SystemError for any other error.
bool is_ready(cudaError_t answer, const CudaCallSite& site);

}  // namespace collbench

#define COLLBENCH_CUDA_CHECK(...)                                                             \
  do {                                                                                        \
    const cudaError_t collbench_cuda_code = (__VA_ARGS__);                                    \
    if (collbench_cuda_code != cudaSuccess) {                                                 \
      ::collbench::throw_cuda_error(collbench_cuda_code, {#__VA_ARGS__, __FILE__, __LINE__}); \
    }                                                                                         \
  } while (false)
