// SPDX-License-Identifier: Apache-2.0
// CublasLibrary: cuBLAS, opened when somebody multiplies matrices: who only communicates needs none
// of its 500 MB.
#pragma once

#include <cublas_v2.h>

#include <string>

namespace collbench {

class CublasLibrary {
 public:
  /// cublasGemmEx: of two that the header has under this name, the one that the library has.
  using GemmEx = cublasStatus_t(cublasHandle_t handle, cublasOperation_t for_a,
                                cublasOperation_t for_b, int m, int n, int k, const void* alpha,
                                const void* a, cudaDataType a_type, int a_stride, const void* b,
                                cudaDataType b_type, int b_stride, const void* beta, void* c,
                                cudaDataType c_type, int c_stride, cublasComputeType_t compute_type,
                                cublasGemmAlgo_t algorithm);

  /// Finds it as the plugin finds CUDA's runtime. Stays loaded. Throws SystemError: which file was
  /// looked for, why it cannot be had, and what to install.
  CublasLibrary();

  decltype(&cublasCreate_v2) create;
  decltype(&cublasDestroy_v2) destroy;
  decltype(&cublasSetStream_v2) set_stream;
  decltype(&cublasSetWorkspace_v2) set_workspace;
  decltype(static_cast<GemmEx*>(&cublasGemmEx)) gemm_ex;

  /// "cuBLAS 13.0"
  std::string name(cublasHandle_t handle) const;

  /// Throws SystemError: "cublasCreate failed with CUBLAS_STATUS_NOT_INITIALIZED (1)".
  void check(cublasStatus_t status, const char* call) const;

 private:
  decltype(&cublasGetVersion_v2) get_version_;
  decltype(&cublasGetStatusName) status_name_;
};

}  // namespace collbench
