// SPDX-License-Identifier: Apache-2.0
// Kernels of the nccl backend as nvcc compiled them, launched through the fake runtime.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "comm/nccl/kernels.h"
#include "fake_cuda.h"
#include "gate.h"

extern "C" {
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                     CUstream_st* stream);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream);
void** __cudaRegisterFatBinary(void* image);
void __cudaUnregisterFatBinary(void** handle);
void __cudaRegisterFunction(void** handle, const char* host, char* device, const char* name,
                            int thread_limit, uint3*, uint3*, dim3*, dim3*, int*);
}

namespace {

namespace gpu = collbench::gpu;

constexpr std::size_t kCount = 10'000;

/// Values 0 to 255 as elements of 4 bytes.
std::array<std::uint32_t, 256> values() {
  std::array<std::uint32_t, 256> all{};
  for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i * 1'000'003;
  return all;
}

struct CheckLog {
  gpu::LogHead head;
  gpu::LogEntry entry;
};

class FakeLaunch : public testing::Test {
 protected:
  void SetUp() override {
    // The kernels' functions return it.
    cudaGetLastError();
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&part_.data, 4 * kCount), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&scratch_, gpu::kScratchBytes), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&log_.start, sizeof(CheckLog)), cudaSuccess);
  }

  void TearDown() override {
    EXPECT_EQ(cudaFree(part_.data), cudaSuccess);
    EXPECT_EQ(cudaFree(scratch_), cudaSuccess);
    EXPECT_EQ(cudaFree(log_.start), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
  }

  std::vector<std::uint32_t> part() {
    std::vector<std::uint32_t> host(kCount);
    EXPECT_EQ(cudaMemcpyAsync(host.data(), part_.data, 4 * kCount, cudaMemcpyDeviceToHost, stream_),
              cudaSuccess);
    return host;
  }

  /// How many elements are wrong, and the first of them.
  std::array<unsigned long long, 2> mismatches() {
    CheckLog log{};
    EXPECT_EQ(cudaMemcpy(log_.start, &log, sizeof log, cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_EQ(gpu::check(part_, values().data(), scratch_, log_, 5, stream_), cudaSuccess);
    EXPECT_EQ(cudaMemcpyAsync(&log, log_.start, sizeof log, cudaMemcpyDeviceToHost, stream_),
              cudaSuccess);
    EXPECT_EQ(log.head.done, 1U);
    if (log.head.entries == 0) return {0, 0};
    EXPECT_EQ(log.entry.check, 5U);
    EXPECT_EQ(log.entry.found, log.entry.expected ^ 1);
    return {log.entry.wrong, log.entry.first_wrong};
  }

  cudaStream_t stream_ = nullptr;
  gpu::TensorPart part_ = {nullptr, kCount, 0, 4};
  void* scratch_ = nullptr;
  gpu::Log log_ = {nullptr, 1};
};

TEST_F(FakeLaunch, RunsTheKernelOnTheStream) {
  Gate gate(stream_);
  ASSERT_EQ(gpu::fill(part_, values().data(), scratch_, stream_), cudaSuccess);
  std::uint32_t first = 1;
  ASSERT_EQ(cudaMemcpy(&first, part_.data, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(first, 0xCBCBCBCB);
  gate.open();
  const std::vector<std::uint32_t> filled = part();
  for (std::size_t i = 0; i < 256; ++i) ASSERT_EQ(filled[i], values()[i]) << i;
}

TEST_F(FakeLaunch, FindsWhatWasWritten) {
  ASSERT_EQ(gpu::fill(part_, values().data(), scratch_, stream_), cudaSuccess);
  EXPECT_EQ(mismatches()[0], 0U);
  auto* const elements = reinterpret_cast<std::uint32_t*>(fakecuda::alias(part_.data, 4 * kCount));
  elements[9'999] ^= 1;
  elements[77] ^= 1;
  EXPECT_EQ(mismatches(), (std::array<unsigned long long, 2>{2, 77}));
}

TEST_F(FakeLaunch, IsCapturedWithItsArguments) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  ASSERT_EQ(gpu::fill(part_, values().data(), scratch_, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  EXPECT_EQ(part()[0], 0xCBCBCBCB);
  for (int replay = 0; replay < 2; ++replay) {
    ASSERT_EQ(cudaMemsetAsync(part_.data, 0xFF, 4 * kCount, stream_), cudaSuccess);
    ASSERT_EQ(cudaGraphLaunch(exec, stream_), cudaSuccess);
    EXPECT_EQ(mismatches()[0], 0U);
  }
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(FakeLaunch, RefusesMemoryOfTheHost) {
  std::vector<std::uint32_t> host(kCount);
  testing::internal::CaptureStderr();
  EXPECT_EQ(gpu::fill({host.data(), kCount, 0, 4}, values().data(), scratch_, stream_),
            cudaErrorIllegalAddress);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("fill_tensor"), std::string::npos) << said;
  EXPECT_NE(said.find("not a GPU's to use"), std::string::npos) << said;
}

TEST_F(FakeLaunch, RefusesMemoryOfADeviceThatIsNoPeer) {
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  cudaStream_t other = nullptr;
  ASSERT_EQ(cudaStreamCreate(&other), cudaSuccess);
  void* scratch = nullptr;
  ASSERT_EQ(cudaMalloc(&scratch, gpu::kScratchBytes), cudaSuccess);
  testing::internal::CaptureStderr();
  EXPECT_EQ(gpu::fill(part_, values().data(), scratch, other), cudaErrorIllegalAddress);
  testing::internal::GetCapturedStderr();
  ASSERT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaSuccess);
  EXPECT_EQ(gpu::fill(part_, values().data(), scratch, other), cudaSuccess);
  ASSERT_EQ(cudaDeviceDisablePeerAccess(0), cudaSuccess);
  EXPECT_EQ(cudaFree(scratch), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(other), cudaSuccess);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
}

TEST_F(FakeLaunch, RefusesAStreamOfAnotherDevice) {
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(gpu::busy(0, stream_), cudaErrorInvalidResourceHandle);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(gpu::busy(0, stream_), cudaSuccess);
}

TEST_F(FakeLaunch, TakesPinnedMemory) {
  void* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 1024), cudaSuccess);
  ASSERT_EQ(gpu::fill({pinned, 256, 0, 4}, values().data(), scratch_, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(static_cast<std::uint32_t*>(pinned)[3], values()[3]);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

/// Registers as nvcc's initialisers do, under a name that has no body.
class FakeRegistration : public testing::Test {
 protected:
  void SetUp() override {
    binary_ = __cudaRegisterFatBinary(nullptr);
    __cudaRegisterFunction(binary_, &stub_, nullptr, "_Z7unknownv", -1, nullptr, nullptr, nullptr,
                           nullptr, nullptr);
  }
  void TearDown() override {
    if (binary_ != nullptr) __cudaUnregisterFatBinary(binary_);
  }

  char stub_ = 0;
  void** binary_ = nullptr;
};

TEST_F(FakeRegistration, SaysWhichKernelHasNoBody) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaLaunchKernel(&stub_, 1, 1, nullptr, 0, nullptr), cudaErrorNoKernelImageForDevice);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said,
            "fake CUDA: kernel _Z7unknownv has no body in libfake_kernels.so "
            "(tests/fakes/kernels)\n");
  EXPECT_EQ(cudaGetLastError(), cudaErrorNoKernelImageForDevice);
}

TEST_F(FakeRegistration, RefusesAnImpossibleGrid) {
  EXPECT_EQ(cudaLaunchKernel(&stub_, 0, 1, nullptr, 0, nullptr), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaLaunchKernel(&stub_, 1, 0, nullptr, 0, nullptr), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaLaunchKernel(&stub_, 1, dim3(32, 33, 1), nullptr, 0, nullptr),
            cudaErrorInvalidConfiguration);
}

TEST(FakeLaunchConfiguration, IsTakenOnce) {
  ASSERT_EQ(__cudaPushCallConfiguration(dim3(1, 2, 3), dim3(4, 5, 6), 7, cudaStreamLegacy), 0U);
  dim3 grid;
  dim3 block;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaSuccess);
  EXPECT_EQ(grid.z, 3U);
  EXPECT_EQ(block.x, 4U);
  EXPECT_EQ(shared, 7U);
  EXPECT_EQ(stream, cudaStreamLegacy);
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream),
            cudaErrorInvalidConfiguration);
}

TEST_F(FakeRegistration, KnowsWhatIsRegisteredOnly) {
  cudaFuncAttributes found{};
  EXPECT_EQ(cudaFuncGetAttributes(&found, &stub_), cudaSuccess);
  EXPECT_EQ(found.maxThreadsPerBlock, 1024);
  const char other = 0;
  EXPECT_EQ(cudaFuncGetAttributes(&found, &other), cudaErrorInvalidDeviceFunction);
  __cudaUnregisterFatBinary(std::exchange(binary_, nullptr));
  EXPECT_EQ(cudaFuncGetAttributes(&found, &stub_), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaLaunchKernel(&stub_, 1, 1, nullptr, 0, nullptr), cudaErrorInvalidDeviceFunction);
}

}  // namespace
