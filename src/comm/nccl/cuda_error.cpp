// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/cuda_error.h"

#include <fmt/format.h>

#include "base/errors.h"

namespace collbench {

std::string cuda_error_text(cudaError_t code) {
  return fmt::format("{} ({}): {}", cudaGetErrorName(code), static_cast<int>(code),
                     cudaGetErrorString(code));
}

std::string cuda_failure(cudaError_t code, const CudaCallSite& site) {
  return fmt::format("{} failed with {} ({}:{})", site.call, cuda_error_text(code), site.file,
                     site.line);
}

void throw_cuda_error(cudaError_t code, const CudaCallSite& site) {
  cudaGetLastError();
  throw SystemError(cuda_failure(code, site));
}

bool is_ready(cudaError_t answer, const CudaCallSite& site) {
  if (answer == cudaSuccess) return true;
  if (answer != cudaErrorNotReady) throw_cuda_error(answer, site);
  cudaGetLastError();
  return false;
}

}  // namespace collbench
