// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/cublas_library.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include "base/errors.h"

namespace collbench {
namespace {

// Of the header's major version: another may have other numbers for the same things.
std::string file_name() { return fmt::format("libcublas.so.{}", CUBLAS_VER_MAJOR); }

[[noreturn]] void throw_not_there(const std::string& why) {
  throw SystemError(fmt::format(
      "cannot multiply matrices on GPUs: {}: {}; install cuBLAS of the CUDA toolkit (NVIDIA's "
      "package is libcublas-{}-{}), or name its folder in LD_LIBRARY_PATH",
      file_name(), why, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10));
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  void* symbol = dlsym(library, name);
  if (symbol == nullptr) throw_not_there(fmt::format("it has no {}", name));
  function = reinterpret_cast<Function>(symbol);
}

}  // namespace

CublasLibrary::CublasLibrary() {
  void* library = dlopen(file_name().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw_not_there(dlerror());
  find(library, "cublasCreate_v2", create);
  find(library, "cublasDestroy_v2", destroy);
  find(library, "cublasSetStream_v2", set_stream);
  find(library, "cublasSetWorkspace_v2", set_workspace);
  find(library, "cublasGemmEx", gemm_ex);
  find(library, "cublasGetVersion_v2", get_version_);
  find(library, "cublasGetStatusName", status_name_);
}

std::string CublasLibrary::name(cublasHandle_t handle) const {
  int version = 0;
  check(get_version_(handle, &version), "cublasGetVersion");
  return fmt::format("cuBLAS {}.{}", version / 10000, version / 100 % 100);
}

void CublasLibrary::check(cublasStatus_t status, const char* call) const {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw SystemError(
      fmt::format("{} failed with {} ({})", call, status_name_(status), static_cast<int>(status)));
}

}  // namespace collbench
