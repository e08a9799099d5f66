// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/requirements.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <nccl.h>

#include "comm/nccl/cuda_error.h"
#include "comm/nccl/library_versions.h"

namespace collbench {
namespace {

std::string runtime_version() {
  int version = 0;
  cudaRuntimeGetVersion(&version);  // 0 is as good an answer as any
  return cuda_version_text(version);
}

std::string why_no_devices(cudaError_t code) {
  switch (code) {
    case cudaErrorInsufficientDriver:
      return fmt::format("no CUDA driver, or one too old for CUDA {}", runtime_version());
    case cudaErrorStubLibrary:
      return "the CUDA driver that was found is the toolkit's stub, which is for linking only: "
             "take "
             "its folder out of LD_LIBRARY_PATH";
    case cudaErrorNoDevice:
      return "no CUDA device: there is none, or CUDA_VISIBLE_DEVICES hides it";
    default:
      return fmt::format("cudaGetDeviceCount failed with {}", cuda_error_text(code));
  }
}

}  // namespace

int loaded_nccl_version() {
  int version = 0;
  return ncclGetVersion(&version) == ncclSuccess ? version : 0;
}

std::string why_no_nccl() {
  int devices = 0;
  const cudaError_t code = cudaGetDeviceCount(&devices);
  if (code != cudaSuccess) return why_no_devices(code);
  if (devices == 0) return why_no_devices(cudaErrorNoDevice);
  const int version = loaded_nccl_version();
  if (version >= kLeastNccl) return "";
  return fmt::format("the NCCL that was found is {}, and {} is the oldest that will do",
                     nccl_version_text(version), nccl_version_text(kLeastNccl));
}

}  // namespace collbench
