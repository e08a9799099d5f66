// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>

#include "fake_cuda.h"
#include "gate.h"
#include "streams.h"

namespace {

class FakeNullStream : public StreamTest {};

TEST_F(FakeNullStream, NullStreamWaitsForBlockingStreams) {
  const cudaStream_t blocking = make(cudaStreamDefault);
  Gate gate(blocking);
  note(blocking, 'a');
  note(nullptr, 'b');
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
  gate.open();
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(log_, "ab");
}

TEST_F(FakeNullStream, BlockingStreamWaitsForTheNullStream) {
  const cudaStream_t blocking = make(cudaStreamDefault);
  Gate gate(nullptr);
  note(blocking, 'a');
  EXPECT_EQ(cudaStreamQuery(blocking), cudaErrorNotReady);
  EXPECT_EQ(log_, "");
  gate.open();
  EXPECT_EQ(cudaStreamSynchronize(blocking), cudaSuccess);
  EXPECT_EQ(log_, "a");
}

TEST_F(FakeNullStream, NonBlockingStreamAndNullStreamAreIndependent) {
  const cudaStream_t stream = make(cudaStreamNonBlocking);
  {
    const Gate gate(nullptr);
    note(stream, 'a');
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(log_, "a");
  }
  const Gate gate(stream);
  note(nullptr, 'b');
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(log_, "ab");
}

TEST_F(FakeNullStream, NullStreamIsOneForEachDevice) {
  const Gate gate(nullptr);
  std::thread([this] {
    ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
    note(nullptr, 'a');
    EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  }).join();
  EXPECT_EQ(log_, "a");
}

TEST_F(FakeNullStream, NullStreamKnowsNoBlockingStreamOfAnotherDevice) {
  const cudaStream_t blocking = make(cudaStreamDefault);
  const Gate gate(blocking);
  std::thread([this] {
    ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
    note(nullptr, 'a');
    EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  }).join();
  EXPECT_EQ(log_, "a");
}

}  // namespace
