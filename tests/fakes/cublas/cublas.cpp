// SPDX-License-Identifier: Apache-2.0
// As much of cuBLAS as the nccl backend uses. A product takes its time of the virtual clock, looks
// at the ends of its operands, and writes those of its result.
#include <cublas_v2.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "../environment.h"
#include "fake_cuda.h"

struct cublasContext {
  int device;
  cudaStream_t stream;
};

namespace {

constexpr std::size_t kElementBytes = 2;  // of bfloat16

double flop_per_s() {
  static const double once = [] {
    const double tera = fakes::number("FAKE_CUBLAS_TFLOPS", 400.0, 1e-9, 1e9);
    fakes::refuse_others("FAKE_CUBLAS_");
    return tera * 1e12;
  }();
  return once;
}

/// A matrix of columns that begin `stride` elements from each other; empty where the host may not
/// touch all of it.
struct Matrix {
  Matrix(const void* device, int rows, int columns, int stride)
      : elements(static_cast<std::size_t>(stride) * static_cast<std::size_t>(columns - 1) +
                 static_cast<std::size_t>(rows)),
        start(fakecuda::alias(device, elements * kElementBytes)) {}

  std::byte* last() const { return start + (elements - 1) * kElementBytes; }

  std::size_t elements;
  std::byte* start;
};

/// The upper half of a float.
std::uint16_t bfloat16(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<std::uint16_t>(bits >> 16);
}

float number(const std::byte* bfloat) {
  std::uint32_t bits = 0;
  std::memcpy(reinterpret_cast<std::byte*>(&bits) + 2, bfloat, kElementBytes);
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

void set(std::byte* bfloat, float value) {
  const std::uint16_t bits = bfloat16(value);
  std::memcpy(bfloat, &bits, sizeof bits);
}

cublasStatus_t refuse_memory(char matrix) {
  std::fprintf(stderr, "fake cuBLAS: matrix %c is not in memory of the device\n", matrix);
  return CUBLAS_STATUS_EXECUTION_FAILED;
}

cublasStatus_t enqueue(const cublasContext& context, double seconds, const Matrix& a,
                       const Matrix& b, const Matrix& c) {
  if (a.start == nullptr) return refuse_memory('A');
  if (b.start == nullptr) return refuse_memory('B');
  if (c.start == nullptr) return refuse_memory('C');
  const cudaError_t queued = fakecuda::enqueue(context.stream, [=](fakecuda::ItemTime& time) {
    set(c.start, number(a.start) * number(b.start));
    set(c.last(), number(a.last()) * number(b.last()));
    time.end_s += seconds;
  });
  return queued == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // namespace

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  flop_per_s();
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess) return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = new cublasContext{fakecuda::current_device(), nullptr};
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  cudaDeviceSynchronize();
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (fakecuda::device_of(stream) != handle->device) return CUBLAS_STATUS_INVALID_VALUE;
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, std::size_t bytes) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  const bool aligned = reinterpret_cast<std::uintptr_t>(workspace) % 256 == 0;
  const bool usable = bytes == 0 || (aligned && fakecuda::alias(workspace, bytes) != nullptr);
  return usable ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) {
  if (version == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}

const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    default:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
  }
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t for_a, cublasOperation_t for_b,
                            int m, int n, int k, const void* alpha, const void* a,
                            cudaDataType a_type, int a_stride, const void* b, cudaDataType b_type,
                            int b_stride, const void* beta, void* c, cudaDataType c_type,
                            int c_stride, cublasComputeType_t compute_type, cublasGemmAlgo_t) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  const bool known = for_a == CUBLAS_OP_N && for_b == CUBLAS_OP_N && a_type == CUDA_R_16BF &&
                     b_type == CUDA_R_16BF && c_type == CUDA_R_16BF &&
                     compute_type == CUBLAS_COMPUTE_32F;
  if (!known) return CUBLAS_STATUS_NOT_SUPPORTED;
  const bool sizes = m > 0 && n > 0 && k > 0 && a_stride >= m && b_stride >= k && c_stride >= m;
  if (!sizes || alpha == nullptr || beta == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const double seconds = 2.0 * m * n * k / flop_per_s();
  return enqueue(*handle, seconds, Matrix(a, m, k, a_stride), Matrix(b, k, n, b_stride),
                 Matrix(c, m, n, c_stride));
}
