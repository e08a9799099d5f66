// SPDX-License-Identifier: Apache-2.0
// Memory for tests, which must free it.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>

inline std::byte* device_memory(std::size_t bytes) {
  void* start = nullptr;
  EXPECT_EQ(cudaMalloc(&start, bytes), cudaSuccess);
  return static_cast<std::byte*>(start);
}

inline std::byte* pinned_memory(std::size_t bytes) {
  void* start = nullptr;
  EXPECT_EQ(cudaMallocHost(&start, bytes), cudaSuccess);
  return static_cast<std::byte*>(start);
}
