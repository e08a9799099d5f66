// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>

#include "fake_cuda.h"
#include "gate.h"

namespace {

class FakeEvent : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaStreamCreateWithFlags(&other_, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaEventCreate(&event_), cudaSuccess);
    ASSERT_EQ(cudaEventCreate(&later_), cudaSuccess);
  }

  void TearDown() override {
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(other_), cudaSuccess);
    EXPECT_EQ(cudaEventDestroy(event_), cudaSuccess);
    EXPECT_EQ(cudaEventDestroy(later_), cudaSuccess);
  }

  cudaStream_t stream_ = nullptr;
  cudaStream_t other_ = nullptr;
  cudaEvent_t event_ = nullptr;
  cudaEvent_t later_ = nullptr;
};

TEST_F(FakeEvent, HappensWhenTheStreamGetsThere) {
  Gate gate(stream_);
  ASSERT_EQ(cudaEventRecord(event_, stream_), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event_), cudaErrorNotReady);
  gate.open();
  EXPECT_EQ(cudaEventSynchronize(event_), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event_), cudaSuccess);
}

TEST_F(FakeEvent, NeverRecordedHoldsNothingUp) {
  EXPECT_EQ(cudaEventQuery(event_), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(event_), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(stream_, event_, 0), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
}

TEST_F(FakeEvent, HoldsUpTheStreamThatWaits) {
  Gate gate(stream_);
  ASSERT_EQ(cudaEventRecord(event_, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(other_, event_, 0), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(other_), cudaErrorNotReady);
  gate.open();
  EXPECT_EQ(cudaStreamSynchronize(other_), cudaSuccess);
}

TEST_F(FakeEvent, RecordedAgainForgetsItsEarlierPoint) {
  ASSERT_EQ(cudaEventRecord(event_, stream_), cudaSuccess);
  ASSERT_EQ(cudaEventSynchronize(event_), cudaSuccess);
  Gate gate(stream_);
  ASSERT_EQ(cudaEventRecord(event_, stream_), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event_), cudaErrorNotReady);
}

TEST_F(FakeEvent, WhoWaitsKeepsTheEarlierPoint) {
  ASSERT_EQ(cudaEventRecord(event_, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(other_, event_, 0), cudaSuccess);
  const Gate gate(stream_);
  ASSERT_EQ(cudaEventRecord(event_, stream_), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(other_), cudaSuccess);
}

TEST_F(FakeEvent, MeasuresForwards) {
  ASSERT_EQ(cudaEventRecord(event_, stream_), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(later_, stream_), cudaSuccess);
  ASSERT_EQ(cudaEventSynchronize(later_), cudaSuccess);
  float ms = -1;
  EXPECT_EQ(cudaEventElapsedTime(&ms, event_, later_), cudaSuccess);
  EXPECT_GE(ms, 0);
  float back_ms = 1;
  EXPECT_EQ(cudaEventElapsedTime(&back_ms, later_, event_), cudaSuccess);
  EXPECT_EQ(back_ms, -ms);
}

TEST_F(FakeEvent, HasNoTimeBeforeItHappened) {
  float ms = 0;
  ASSERT_EQ(cudaEventRecord(event_, stream_), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&ms, event_, later_), cudaErrorInvalidResourceHandle);
  const Gate gate(stream_);
  ASSERT_EQ(cudaEventRecord(later_, stream_), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&ms, event_, later_), cudaErrorNotReady);
}

TEST_F(FakeEvent, HasNoTimeWithoutTiming) {
  cudaEvent_t untimed = nullptr;
  ASSERT_EQ(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event_, stream_), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(untimed, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  float ms = 0;
  EXPECT_EQ(cudaEventElapsedTime(&ms, event_, untimed), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventDestroy(untimed), cudaSuccess);
}

TEST_F(FakeEvent, BelongsToItsDevice) {
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  cudaEvent_t foreign = nullptr;
  ASSERT_EQ(cudaEventCreate(&foreign), cudaSuccess);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(foreign, stream_), cudaErrorInvalidResourceHandle);
  // Waiting for one of another device is allowed.
  EXPECT_EQ(cudaStreamWaitEvent(stream_, foreign, 0), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(foreign), cudaSuccess);
}

TEST_F(FakeEvent, RefusesWhatIsNoEvent) {
  cudaEvent_t gone = nullptr;
  ASSERT_EQ(cudaEventCreate(&gone), cudaSuccess);
  ASSERT_EQ(cudaEventDestroy(gone), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(gone, stream_), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventDestroy(gone), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventCreateWithFlags(&gone, 0x80), cudaErrorInvalidValue);
  EXPECT_EQ(cudaEventCreateWithFlags(&gone, cudaEventInterprocess), cudaErrorInvalidValue);
}

}  // namespace
