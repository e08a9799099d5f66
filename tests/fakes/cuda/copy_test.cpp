// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "allocated.h"
#include "fake_cuda.h"
#include "gate.h"
#include "in_child.h"

namespace {

TEST(FakeCopy, CopiesInEveryDirection) {
  std::byte* const a = device_memory(4096);
  std::byte* const b = device_memory(4096);
  std::vector<unsigned char> from(4096);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(i * 7);
  std::vector<unsigned char> middle(4096);
  std::vector<unsigned char> to(4096);
  ASSERT_EQ(cudaMemcpy(middle.data(), from.data(), 4096, cudaMemcpyHostToHost), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(a, middle.data(), 4096, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(b, a, 4096, cudaMemcpyDeviceToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(to.data(), b, 4096, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(to, from);
  EXPECT_EQ(cudaFree(a), cudaSuccess);
  EXPECT_EQ(cudaFree(b), cudaSuccess);
}

TEST(FakeCopy, RefusesACopyAgainstItsDirection) {
  std::byte* const device = device_memory(8);
  std::array<char, 8> host{};
  EXPECT_EQ(cudaMemcpy(device, host.data(), 8, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device, host.data(), 8, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host.data(), device, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host.data(), device, 8, cudaMemcpyHostToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host.data(), device, 8, static_cast<cudaMemcpyKind>(7)),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
}

TEST(FakeCopy, RefusesWhatPassesTheEnd) {
  std::byte* const device = device_memory(1000);
  std::array<char, 2000> host{};
  EXPECT_EQ(cudaMemcpy(host.data(), device, 1001, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host.data(), device + 999, 1, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(host.data(), device + 1000, 1, cudaMemcpyDeviceToHost),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host.data(), device - 1, 1, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(device + 900, 0, 101), cudaErrorInvalidValue);
  EXPECT_NE(fakecuda::alias(device + 900, 100), nullptr);
  EXPECT_EQ(fakecuda::alias(device + 900, 101), nullptr);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
}

TEST(FakeCopy, SetsDeviceMemoryOnly) {
  std::byte* const device = device_memory(300);
  ASSERT_EQ(cudaMemset(device + 100, 0x5A, 100), cudaSuccess);
  std::array<unsigned char, 300> host{};
  ASSERT_EQ(cudaMemcpy(host.data(), device, 300, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(host[99], 0xCB);
  EXPECT_EQ(host[100], 0x5A);
  EXPECT_EQ(host[199], 0x5A);
  EXPECT_EQ(host[200], 0xCB);
  EXPECT_EQ(cudaMemset(host.data(), 0, 8), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
}

TEST(FakeCopy, ReadsPageableMemoryBeforeTheCopyReturns) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  std::byte* const device = device_memory(4);
  std::byte* const pinned = pinned_memory(4);
  std::uint32_t pageable = 1;
  std::memcpy(pinned, &pageable, 4);
  std::byte* const from_pinned = device_memory(4);
  {
    const Gate gate(stream);
    ASSERT_EQ(cudaMemcpyAsync(device, &pageable, 4, cudaMemcpyHostToDevice, stream), cudaSuccess);
    ASSERT_EQ(cudaMemcpyAsync(from_pinned, pinned, 4, cudaMemcpyHostToDevice, stream), cudaSuccess);
    pageable = 2;
    std::memcpy(pinned, &pageable, 4);
  }
  std::uint32_t found = 0;
  // Returns when it is there.
  ASSERT_EQ(cudaMemcpyAsync(&found, device, 4, cudaMemcpyDeviceToHost, stream), cudaSuccess);
  EXPECT_EQ(found, 1U);
  ASSERT_EQ(cudaMemcpyAsync(&found, from_pinned, 4, cudaMemcpyDeviceToHost, stream), cudaSuccess);
  EXPECT_EQ(found, 2U);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaFree(from_pinned), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

// Memory of 4 bytes on another device than the current one, which stays that.
std::byte* memory_on(int device) {
  EXPECT_EQ(cudaSetDevice(device), cudaSuccess);
  std::byte* const memory = device_memory(4);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  return memory;
}

TEST(FakeCopy, GoesToTheDeviceThatIsSaid) {
  std::byte* const here = device_memory(4);
  std::byte* const there = memory_on(1);
  const std::uint32_t sent = 0x12345678;
  ASSERT_EQ(cudaMemcpy(here, &sent, 4, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpyPeerAsync(there, 2, here, 0, 4, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyPeerAsync(there, 1, here, 1, 4, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyPeerAsync(there, 99, here, 0, 4, nullptr), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaMemcpyPeerAsync(there, 1, here, 0, 5, nullptr), cudaErrorInvalidValue);
  ASSERT_EQ(cudaMemcpyPeerAsync(there, 1, here, 0, 4, nullptr), cudaSuccess);
  std::uint32_t found = 0;
  ASSERT_EQ(cudaMemcpy(&found, there, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(found, sent);
  EXPECT_EQ(cudaFree(here), cudaSuccess);
  EXPECT_EQ(cudaFree(there), cudaSuccess);
}

// 4 bytes at 1 GB/s are 4 ns; by the host twice that.
TEST(FakeCopy, TakesTheTimeOfItsRate) {
  expect_in_child({{"FAKE_CUDA_VTIME", "1"}, {"FAKE_CUDA_COPY_GBPS", "1"}}, [] {
    std::byte* const here = device_memory(4);
    std::byte* const there = memory_on(1);
    const auto copied_s = [&] {
      const double start_s = collbench_clock_now_s();
      EXPECT_EQ(cudaMemcpyPeerAsync(there, 1, here, 0, 4, nullptr), cudaSuccess);
      EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
      return collbench_clock_now_s() - start_s;
    };
    EXPECT_DOUBLE_EQ(copied_s(), 8e-9);
    EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
    EXPECT_NEAR(copied_s(), 4e-9, 1e-15);
  });
}

}  // namespace
