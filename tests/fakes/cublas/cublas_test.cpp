// SPDX-License-Identifier: Apache-2.0
#include <cublas_v2.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "../cuda/in_child.h"
#include "fake_cuda.h"

namespace {

constexpr std::uint16_t kTwo = 0x4000;  // of bfloat16
constexpr std::uint16_t kThree = 0x4040;
constexpr std::uint16_t kSix = 0x40c0;

// A handle and a matrix of each operand with room for `kElements`.
class Products {
 public:
  static constexpr std::size_t kElements = 1 << 20;

  Products() {
    EXPECT_EQ(cublasCreate(&handle_), CUBLAS_STATUS_SUCCESS);
    for (void*& matrix : matrices_) EXPECT_EQ(cudaMalloc(&matrix, 2 * kElements), cudaSuccess);
  }
  ~Products() {
    EXPECT_EQ(cublasDestroy(handle_), CUBLAS_STATUS_SUCCESS);
    for (void* matrix : matrices_) EXPECT_EQ(cudaFree(matrix), cudaSuccess);
  }
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;

  cublasStatus_t on(cudaStream_t stream, int m, int n, int k, int a_stride) {
    EXPECT_EQ(cublasSetStream(handle_, stream), CUBLAS_STATUS_SUCCESS);
    const float one = 1;
    const float zero = 0;
    return cublasGemmEx(handle_, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, matrices_[0], CUDA_R_16BF,
                        a_stride, matrices_[1], CUDA_R_16BF, k, &zero, matrices_[2], CUDA_R_16BF, m,
                        CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  }

  void set(std::size_t matrix, std::size_t element, std::uint16_t value) {
    EXPECT_EQ(cudaMemcpy(at(matrix, element), &value, 2, cudaMemcpyHostToDevice), cudaSuccess);
  }
  std::uint16_t get(std::size_t matrix, std::size_t element) {
    std::uint16_t value = 0;
    EXPECT_EQ(cudaMemcpy(&value, at(matrix, element), 2, cudaMemcpyDeviceToHost), cudaSuccess);
    return value;
  }

 private:
  void* at(std::size_t matrix, std::size_t element) {
    return static_cast<std::byte*>(matrices_[matrix]) + 2 * element;
  }

  cublasHandle_t handle_ = nullptr;
  std::array<void*, 3> matrices_{};
};

cudaStream_t make_stream() {
  cudaStream_t stream = nullptr;
  EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  return stream;
}

TEST(FakeCublas, WritesTheEndsOfTheResult) {
  Products products;
  products.set(0, 0, kTwo);
  products.set(1, 0, kThree);
  products.set(0, 10 * 4 - 1, kThree);  // columns of 10, 4 of them
  products.set(1, 4 * 5 - 1, kTwo);
  const cudaStream_t stream = make_stream();
  ASSERT_EQ(products.on(stream, 10, 5, 4, 10), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(products.get(2, 0), kSix);
  EXPECT_EQ(products.get(2, 49), kSix);
  EXPECT_EQ(products.get(2, 50), 0xCBCB);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST(FakeCublas, RefusesWhatTheLibraryWouldNotDo) {
  Products products;
  EXPECT_EQ(products.on(nullptr, 10, 5, 4, 9), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(products.on(nullptr, 0, 5, 4, 10), CUBLAS_STATUS_INVALID_VALUE);
  testing::internal::CaptureStderr();
  EXPECT_EQ(products.on(nullptr, 1024, 1025, 4, 1024), CUBLAS_STATUS_EXECUTION_FAILED);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "fake cuBLAS: matrix C is not in memory of the device\n");
  EXPECT_EQ(cublasSetStream(nullptr, nullptr), CUBLAS_STATUS_NOT_INITIALIZED);
}

TEST(FakeCublas, AProductTakesItsOperationsAtTheRate) {
  expect_in_child({{"FAKE_CUDA_VTIME", "1"}, {"FAKE_CUBLAS_TFLOPS", "2"}}, [] {
    Products products;
    const cudaStream_t one = make_stream();
    const cudaStream_t other = make_stream();
    const double start_s = fakecuda::host_now_s();
    ASSERT_EQ(products.on(one, 1000, 100, 10, 1000), CUBLAS_STATUS_SUCCESS);  // 1 us
    ASSERT_EQ(products.on(one, 1000, 200, 10, 1000), CUBLAS_STATUS_SUCCESS);  // 2 us
    ASSERT_EQ(products.on(other, 500, 500, 10, 500), CUBLAS_STATUS_SUCCESS);  // 2.5 us
    ASSERT_EQ(cudaStreamSynchronize(other), cudaSuccess);
    EXPECT_NEAR(fakecuda::host_now_s() - start_s, 2.5e-6, 1e-12);
    ASSERT_EQ(cudaStreamSynchronize(one), cudaSuccess);
    EXPECT_NEAR(fakecuda::host_now_s() - start_s, 3e-6, 1e-12);
  });
}

TEST(FakeCublas, RefusesWhatMakesNoSense) {
  const auto create = [] {
    cublasHandle_t handle = nullptr;
    cublasCreate(&handle);
  };
  expect_refusal({{"FAKE_CUBLAS_TFLOPS", "fast"}}, create,
                 "FAKE_CUBLAS_TFLOPS=fast is not a number");
  expect_refusal({{"FAKE_CUBLAS_GFLOPS", "4"}}, create,
                 "FAKE_CUBLAS_GFLOPS is not a variable of the fakes");
}

TEST(FakeCublas, WithoutADeviceThereIsNoHandle) {
  expect_in_child({{"FAKE_CUDA_NONE", "100"}}, [] {
    cublasHandle_t handle = nullptr;
    EXPECT_EQ(cublasCreate(&handle), CUBLAS_STATUS_NOT_INITIALIZED);
    EXPECT_STREQ(cublasGetStatusName(CUBLAS_STATUS_NOT_INITIALIZED),
                 "CUBLAS_STATUS_NOT_INITIALIZED");
  });
}

}  // namespace
