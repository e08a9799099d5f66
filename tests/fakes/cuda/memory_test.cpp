// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "allocated.h"
#include "fake_cuda.h"
#include "in_child.h"

namespace {

TEST(FakeMemory, PoisonsWhatItGives) {
  std::byte* const device = device_memory(1000);
  std::array<unsigned char, 1000> host{};
  ASSERT_EQ(cudaMemcpy(host.data(), device, 1000, cudaMemcpyDeviceToHost), cudaSuccess);
  for (const unsigned char byte : host) ASSERT_EQ(byte, 0xCB);
  EXPECT_EQ(cudaFree(device), cudaSuccess);

  std::byte* const pinned = pinned_memory(10);
  EXPECT_EQ(pinned[9], std::byte{0xCB});
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST(FakeMemory, EndsTheHostThatTouchesDeviceMemory) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(std::memset(device_memory(8), 0, 8), "");
  EXPECT_DEATH(std::printf("%d\n", static_cast<int>(*device_memory(8))), "");
}

TEST(FakeMemory, EndsAtAGuardPage) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto just_past = [](std::byte* start) { std::memset(start + 512, 0, 1); };
  EXPECT_DEATH(just_past(pinned_memory(512)), "");
  EXPECT_DEATH(just_past(fakecuda::alias(device_memory(512), 512)), "");
}

TEST(FakeMemory, EndsTheProcessThatWroteBesideIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto write_and_free = [](std::ptrdiff_t offset) {
    std::byte* const memory = pinned_memory(100);
    memory[offset] = std::byte{0};
    cudaFreeHost(memory);
  };
  EXPECT_DEATH(write_and_free(100), "1 bytes were written past an allocation");
  EXPECT_DEATH(write_and_free(-1), "1 bytes were written before an allocation");
  EXPECT_EXIT((write_and_free(99), std::_Exit(0)), testing::ExitedWithCode(0), "");
}

TEST(FakeMemory, EndsTheProcessThatUsesItAfterItIsFreed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto free_and_write = [](std::byte* memory, cudaError_t (*free)(void*), std::byte* at) {
    if (free(memory) == cudaSuccess) *at = std::byte{0};
    std::_Exit(0);
  };
  EXPECT_DEATH(
      {
        std::byte* const pinned = pinned_memory(64);
        free_and_write(pinned, cudaFreeHost, pinned);
      },
      "");
  EXPECT_DEATH(
      {
        std::byte* const device = device_memory(64);
        free_and_write(device, cudaFree, fakecuda::alias(device, 64));
      },
      "");
}

TEST(FakeMemory, NeverGivesAnAddressAgain) {
  std::byte* const freed = device_memory(4096);
  ASSERT_EQ(cudaFree(freed), cudaSuccess);
  std::byte* const next = device_memory(4096);
  EXPECT_NE(next, freed);
  EXPECT_EQ(fakecuda::alias(freed, 1), nullptr);
  EXPECT_EQ(cudaMemset(freed, 0, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(freed), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(next), cudaSuccess);
}

TEST(FakeMemory, FreesOnlyWhatItGave) {
  std::byte* const device = device_memory(4096);
  std::byte* const pinned = pinned_memory(4096);
  int on_stack = 0;
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(cudaFree(device + 256), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(pinned), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(device), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(&on_stack), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST(FakeMemory, CountsWhatIsAllocated) {
  std::size_t before = 0;
  std::size_t total = 0;
  ASSERT_EQ(cudaMemGetInfo(&before, &total), cudaSuccess);
  EXPECT_EQ(total, std::size_t{8} << 30);
  std::byte* const device = device_memory(1'000'000);
  std::byte* const pinned = pinned_memory(1'000'000);
  std::size_t now = 0;
  ASSERT_EQ(cudaMemGetInfo(&now, &total), cudaSuccess);
  EXPECT_EQ(now, before - 1'000'000);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  ASSERT_EQ(cudaMemGetInfo(&now, &total), cudaSuccess);
  EXPECT_EQ(now, before);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST(FakeMemory, RunsOut) {
  expect_in_child({{"FAKE_CUDA_MEMORY", "1000"}}, [] {
    void* first = nullptr;
    void* second = nullptr;
    EXPECT_EQ(cudaMalloc(&first, 600), cudaSuccess);
    EXPECT_EQ(cudaMalloc(&second, 401), cudaErrorMemoryAllocation);
    EXPECT_EQ(second, nullptr);
    EXPECT_EQ(cudaMalloc(&second, 400), cudaSuccess);
    EXPECT_EQ(cudaMallocHost(&first, 5000), cudaSuccess);
  });
}

TEST(FakeMemory, IsGoneAfterAReset) {
  std::byte* const kept = device_memory(64);
  std::thread([] {
    ASSERT_EQ(cudaSetDevice(6), cudaSuccess);
    std::byte* const lost = device_memory(64);
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    EXPECT_EQ(fakecuda::alias(lost, 1), nullptr);
    std::size_t free = 0;
    std::size_t total = 0;
    EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
    EXPECT_EQ(free, total);
  }).join();
  EXPECT_NE(fakecuda::alias(kept, 1), nullptr);
  EXPECT_EQ(cudaFree(kept), cudaSuccess);
}

TEST(FakeMemory, SaysWhatAPointerIs) {
  std::byte* const device = device_memory(64);
  std::byte* const pinned = pinned_memory(64);
  int on_stack = 0;
  cudaPointerAttributes found{};
  ASSERT_EQ(cudaPointerGetAttributes(&found, device + 63), cudaSuccess);
  EXPECT_EQ(found.type, cudaMemoryTypeDevice);
  EXPECT_EQ(found.device, 0);
  EXPECT_EQ(found.devicePointer, device + 63);
  EXPECT_EQ(found.hostPointer, nullptr);
  ASSERT_EQ(cudaPointerGetAttributes(&found, pinned), cudaSuccess);
  EXPECT_EQ(found.type, cudaMemoryTypeHost);
  EXPECT_EQ(found.hostPointer, pinned);
  ASSERT_EQ(cudaPointerGetAttributes(&found, &on_stack), cudaSuccess);
  EXPECT_EQ(found.type, cudaMemoryTypeUnregistered);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST(FakeMemory, AlignsTo256Bytes) {
  for (const std::size_t bytes : {1, 255, 256, 257, 4097}) {
    std::byte* const device = device_memory(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(device) % 256, 0U) << bytes;
    EXPECT_EQ(cudaFree(device), cudaSuccess);
  }
}

}  // namespace
