// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <thread>

#include "fake_cuda.h"
#include "in_child.h"

namespace {

int device_count() {
  int count = -1;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  return count;
}

std::string bus_id(int device) {
  std::array<char, 16> text{};
  EXPECT_EQ(cudaDeviceGetPCIBusId(text.data(), text.size(), device), cudaSuccess);
  return text.data();
}

TEST(FakeDevices, AreEight) { EXPECT_EQ(device_count(), 8); }

TEST(FakeDevices, AreChosenByEachThread) {
  ASSERT_EQ(cudaSetDevice(3), cudaSuccess);
  std::thread([] {
    int device = -1;
    EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
    EXPECT_EQ(device, 0);
  }).join();
  EXPECT_EQ(fakecuda::current_device(), 3);
  EXPECT_EQ(cudaSetDevice(8), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
  EXPECT_EQ(fakecuda::current_device(), 3);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
}

TEST(FakeDevices, HaveABusIdEach) {
  EXPECT_EQ(bus_id(0), "0000:01:00.0");
  EXPECT_EQ(bus_id(7), "0000:08:00.0");
  int device = -1;
  EXPECT_EQ(cudaDeviceGetByPCIBusId(&device, "0000:08:00.0"), cudaSuccess);
  EXPECT_EQ(device, 7);
  EXPECT_EQ(cudaDeviceGetByPCIBusId(&device, "0000:09:00.0"), cudaErrorInvalidDevice);
  std::array<char, 13> exact{};
  EXPECT_EQ(cudaDeviceGetPCIBusId(exact.data(), 12, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetPCIBusId(exact.data(), 13, 0), cudaSuccess);
}

TEST(FakeDevices, SayWhatTheyAre) {
  cudaDeviceProp found{};
  ASSERT_EQ(cudaGetDeviceProperties(&found, 2), cudaSuccess);
  EXPECT_STREQ(found.name, "Fake GPU");
  EXPECT_EQ(found.major, 9);
  EXPECT_EQ(found.minor, 0);
  EXPECT_EQ(found.pciBusID, 3);
  EXPECT_EQ(found.totalGlobalMem, std::size_t{8} << 30);
  EXPECT_EQ(cudaGetDeviceProperties(&found, 8), cudaErrorInvalidDevice);
  int value = -1;
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 2), cudaSuccess);
  EXPECT_EQ(value, found.multiProcessorCount);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 2), cudaSuccess);
  EXPECT_EQ(value, 9);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrPciBusId, 2), cudaSuccess);
  EXPECT_EQ(value, 3);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrMax, 2), cudaErrorInvalidValue);
}

TEST(FakeDevices, ReachTheirPeers) {
  int can = -1;
  EXPECT_EQ(cudaDeviceCanAccessPeer(&can, 0, 1), cudaSuccess);
  EXPECT_EQ(can, 1);
  EXPECT_EQ(cudaDeviceCanAccessPeer(&can, 1, 1), cudaSuccess);
  EXPECT_EQ(can, 0);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(5, 0), cudaSuccess);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(5, 0), cudaErrorPeerAccessAlreadyEnabled);
  EXPECT_EQ(cudaDeviceDisablePeerAccess(5), cudaSuccess);
  EXPECT_EQ(cudaDeviceDisablePeerAccess(5), cudaErrorPeerAccessNotEnabled);
}

TEST(FakeDevices, HaveTheVersionOfTheHeaders) {
  int version = 0;
  EXPECT_EQ(cudaRuntimeGetVersion(&version), cudaSuccess);
  EXPECT_EQ(version, CUDART_VERSION);
  EXPECT_EQ(cudaDriverGetVersion(&version), cudaSuccess);
  EXPECT_GE(version, CUDART_VERSION);
}

TEST(FakeDevices, AreAsManyAsAskedFor) {
  expect_in_child({{"FAKE_CUDA_DEVICES", "2"}}, [] {
    EXPECT_EQ(device_count(), 2);
    EXPECT_EQ(cudaSetDevice(2), cudaErrorInvalidDevice);
  });
}

TEST(FakeDevices, AreThoseMadeVisible) {
  expect_in_child({{"CUDA_VISIBLE_DEVICES", "3,1"}}, [] {
    EXPECT_EQ(device_count(), 2);
    EXPECT_EQ(bus_id(0), "0000:04:00.0");
    EXPECT_EQ(bus_id(1), "0000:02:00.0");
  });
  // CUDA ignores what follows a number that is no device.
  expect_in_child({{"CUDA_VISIBLE_DEVICES", "0,9,1"}}, [] { EXPECT_EQ(device_count(), 1); });
}

TEST(FakeDevices, CanBeNone) {
  const auto expect_nothing_works = [](cudaError_t error) {
    int count = 77;
    void* memory = nullptr;
    cudaStream_t stream = nullptr;
    EXPECT_EQ(cudaGetDeviceCount(&count), error);
    EXPECT_EQ(count, 77);
    EXPECT_EQ(cudaMalloc(&memory, 1), error);
    EXPECT_EQ(cudaStreamCreate(&stream), error);
    EXPECT_EQ(cudaSetDevice(0), error);
    EXPECT_EQ(cudaGetLastError(), error);
    EXPECT_EQ(cudaRuntimeGetVersion(&count), cudaSuccess);
  };
  expect_in_child({{"FAKE_CUDA_NONE", "35"}}, [&] {
    expect_nothing_works(cudaErrorInsufficientDriver);
    int version = 77;
    EXPECT_EQ(cudaDriverGetVersion(&version), cudaSuccess);
    EXPECT_EQ(version, 0);
  });
  expect_in_child({{"CUDA_VISIBLE_DEVICES", ""}}, [&] { expect_nothing_works(cudaErrorNoDevice); });
  expect_in_child({{"FAKE_CUDA_DEVICES", "0"}}, [&] { expect_nothing_works(cudaErrorNoDevice); });
}

TEST(FakeSettings, RefuseWhatMakesNoSense) {
  const auto use = [] { device_count(); };
  expect_refusal({{"FAKE_CUDA_DEVICES", "two"}}, use,
                 "FAKE_CUDA_DEVICES=two is not a number from 0 to 64; set one, or unset it");
  expect_refusal({{"FAKE_CUDA_DEVICES", "65"}}, use, "FAKE_CUDA_DEVICES=65 is not");
  expect_refusal({{"FAKE_CUDA_VTIME", "yes"}}, use, "FAKE_CUDA_VTIME=yes is not");
  expect_refusal({{"FAKE_CUDA_INLINE", ""}}, use, "FAKE_CUDA_INLINE= is not");
  expect_refusal({{"FAKE_CUDA_NONE", "0"}}, use, "FAKE_CUDA_NONE=0 is not");
  expect_refusal({{"FAKE_CUDA_MEMORY", "8G"}}, use, "FAKE_CUDA_MEMORY=8G is not");
  expect_refusal({{"FAKE_CUDA_CALL_US", "-1"}}, use, "FAKE_CUDA_CALL_US=-1 is not");
  expect_refusal({{"FAKE_CUDA_KERNEL_US", "nan"}}, use, "FAKE_CUDA_KERNEL_US=nan is not");
  expect_refusal({{"FAKE_CUDA_VTIMES", "1"}}, use,
                 "FAKE_CUDA_VTIMES is not a variable of the fakes; docs/testing.md lists them");
  expect_refusal({{"FAKE_CUDA_QUERY_WAIT_US", "1e9"}}, use, "FAKE_CUDA_QUERY_WAIT_US=1e9 is not");
}

TEST(FakeErrors, HaveNamesAndWords) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorInsufficientDriver), "cudaErrorInsufficientDriver");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
  EXPECT_STREQ(cudaGetErrorName(cudaSuccess), "cudaSuccess");
  EXPECT_STREQ(cudaGetErrorName(static_cast<cudaError_t>(12345)), "unrecognized error code");
}

TEST(FakeErrors, StayUntilTheyAreRead) {
  cudaGetLastError();
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(99), cudaErrorInvalidDevice);
  EXPECT_EQ(device_count(), 8);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  std::thread([] { EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess); }).join();
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

}  // namespace
