// SPDX-License-Identifier: Apache-2.0
// The kernels that the program registered, and where their bodies are.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "../kernels/kernel_body.h"

/// What a cudaKernel_t points to.
struct CUkern_st {
  std::string name;  // mangled
};

namespace fakecuda {

/// The kernel behind a host function, which may be a cudaKernel_t itself; null when there is none.
cudaKernel_t find_kernel(const void* function);

/// The kernel's body in libfake_kernels.so, which lies beside this library; null when there is
/// none.
const KernelRow* find_body(const CUkern_st& kernel);

}  // namespace fakecuda
