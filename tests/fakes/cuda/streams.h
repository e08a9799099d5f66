// SPDX-License-Identifier: Apache-2.0
// What tests of streams have in common.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fake_cuda.h"

/// Its streams are drained and destroyed at the end.
class StreamTest : public testing::Test {
 protected:
  cudaStream_t make(unsigned int flags) {
    cudaStream_t stream = nullptr;
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream, flags), cudaSuccess);
    streams_.push_back(stream);
    return stream;
  }

  void TearDown() override {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (const cudaStream_t stream : streams_) EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  }

  /// Appends a letter when it runs.
  void note(cudaStream_t stream, char letter) {
    ASSERT_EQ(fakecuda::enqueue(stream, [this, letter](fakecuda::ItemTime&) { log_ += letter; }),
              cudaSuccess);
  }

  std::string log_;  // written only by items that are ordered with each other

 private:
  std::vector<cudaStream_t> streams_;
};
