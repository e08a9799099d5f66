// SPDX-License-Identifier: Apache-2.0
// What streams do while they are captured, and how captures end. Graphs: graph_test.cpp.
#include <gtest/gtest.h>

#include <thread>

#include "fake_cuda.h"

namespace {

constexpr auto kGlobal = cudaStreamCaptureModeGlobal;
constexpr auto kThreadLocal = cudaStreamCaptureModeThreadLocal;
constexpr auto kRelaxed = cudaStreamCaptureModeRelaxed;

class FakeCapture : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaStreamCreateWithFlags(&other_, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaEventCreate(&event_), cudaSuccess);
  }

  void TearDown() override {
    // Whatever a test left open must not spoil the next one.
    for (const cudaStream_t stream : {stream_, other_}) {
      if (fakecuda::is_capturing(stream)) end(stream);
      EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    }
    EXPECT_EQ(cudaEventDestroy(event_), cudaSuccess);
  }

  static cudaError_t end(cudaStream_t stream) {
    cudaGraph_t graph = nullptr;
    const cudaError_t error = cudaStreamEndCapture(stream, &graph);
    EXPECT_EQ(graph == nullptr, error != cudaSuccess);
    if (graph != nullptr) {
      EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    }
    return error;
  }

  static cudaError_t enqueue_nothing(cudaStream_t stream) {
    return fakecuda::enqueue(stream, [](fakecuda::ItemTime&) {});
  }

  static cudaStreamCaptureStatus status(cudaStream_t stream) {
    auto found = cudaStreamCaptureStatusInvalidated;
    EXPECT_EQ(cudaStreamIsCapturing(stream, &found), cudaSuccess);
    return found;
  }

  /// What allocating says, and frees it.
  static cudaError_t allocate() {
    void* memory = nullptr;
    const cudaError_t error = cudaMalloc(&memory, 16);
    if (error == cudaSuccess) {
      EXPECT_EQ(cudaFree(memory), cudaSuccess);
    }
    return error;
  }

  cudaStream_t stream_ = nullptr;
  cudaStream_t other_ = nullptr;
  cudaEvent_t event_ = nullptr;
};

TEST_F(FakeCapture, IsSeenOnItsStreamOnly) {
  EXPECT_EQ(status(stream_), cudaStreamCaptureStatusNone);
  ASSERT_EQ(cudaStreamBeginCapture(stream_, kThreadLocal), cudaSuccess);
  EXPECT_EQ(status(stream_), cudaStreamCaptureStatusActive);
  EXPECT_EQ(status(other_), cudaStreamCaptureStatusNone);
  EXPECT_TRUE(fakecuda::is_capturing(stream_));
  EXPECT_FALSE(fakecuda::is_capturing(other_));
  EXPECT_EQ(end(stream_), cudaSuccess);
  EXPECT_EQ(status(stream_), cudaStreamCaptureStatusNone);
}

TEST_F(FakeCapture, IsSpoiledByWaitingForItsStream) {
  for (const auto wait : {cudaStreamSynchronize, cudaStreamQuery}) {
    ASSERT_EQ(cudaStreamBeginCapture(stream_, kThreadLocal), cudaSuccess);
    EXPECT_EQ(wait(stream_), cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(status(stream_), cudaStreamCaptureStatusInvalidated);
    EXPECT_EQ(enqueue_nothing(stream_), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(end(stream_), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(wait(stream_), cudaSuccess);
  }
  ASSERT_EQ(cudaStreamBeginCapture(stream_, kThreadLocal), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(end(stream_), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(FakeCapture, LeavesOtherStreamsAlone) {
  ASSERT_EQ(cudaStreamBeginCapture(stream_, kGlobal), cudaSuccess);
  bool ran = false;
  ASSERT_EQ(fakecuda::enqueue(other_, [&ran](fakecuda::ItemTime&) { ran = true; }), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(other_), cudaSuccess);
  EXPECT_TRUE(ran);
  EXPECT_EQ(end(stream_), cudaSuccess);
}

TEST_F(FakeCapture, KeepsTheHostFromItsEvents) {
  ASSERT_EQ(cudaStreamBeginCapture(stream_, kThreadLocal), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event_, stream_), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event_), cudaErrorCapturedEvent);
  EXPECT_EQ(cudaEventSynchronize(event_), cudaErrorCapturedEvent);
  EXPECT_EQ(end(stream_), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event_), cudaErrorCapturedEvent);
  EXPECT_EQ(cudaStreamWaitEvent(other_, event_, 0), cudaErrorCapturedEvent);
  ASSERT_EQ(cudaEventRecord(event_, stream_), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(event_), cudaSuccess);
}

TEST_F(FakeCapture, RefusesToWaitForWorkOutside) {
  ASSERT_EQ(cudaEventRecord(event_, other_), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream_, kThreadLocal), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(stream_, event_, 0), cudaErrorStreamCaptureIsolation);
  EXPECT_EQ(end(stream_), cudaErrorStreamCaptureInvalidated);
}

TEST_F(FakeCapture, RefusesToMerge) {
  ASSERT_EQ(cudaStreamBeginCapture(stream_, kThreadLocal), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(other_, kThreadLocal), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event_, stream_), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(other_, event_, 0), cudaErrorStreamCaptureMerge);
  EXPECT_EQ(end(stream_), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(end(other_), cudaErrorStreamCaptureInvalidated);
}

TEST_F(FakeCapture, EndsWhereItBeganOnly) {
  EXPECT_EQ(end(stream_), cudaErrorIllegalState);
  ASSERT_EQ(cudaStreamBeginCapture(stream_, kThreadLocal), cudaSuccess);
  EXPECT_EQ(cudaStreamBeginCapture(stream_, kThreadLocal), cudaErrorIllegalState);
  ASSERT_EQ(fakecuda::order_after(other_, stream_), cudaSuccess);
  EXPECT_TRUE(fakecuda::is_capturing(other_));
  EXPECT_EQ(end(other_), cudaErrorStreamCaptureUnmatched);
  EXPECT_EQ(end(stream_), cudaErrorStreamCaptureInvalidated);
  EXPECT_FALSE(fakecuda::is_capturing(other_));
}

TEST_F(FakeCapture, MustJoinWhatItForked) {
  for (const bool joined : {false, true}) {
    ASSERT_EQ(cudaStreamBeginCapture(stream_, kThreadLocal), cudaSuccess);
    ASSERT_EQ(fakecuda::order_after(other_, stream_), cudaSuccess);
    ASSERT_EQ(enqueue_nothing(other_), cudaSuccess);
    if (joined) {
      ASSERT_EQ(fakecuda::order_after(stream_, other_), cudaSuccess);
    }
    EXPECT_EQ(end(stream_), joined ? cudaSuccess : cudaErrorStreamCaptureUnjoined);
    EXPECT_FALSE(fakecuda::is_capturing(other_));
  }
}

TEST_F(FakeCapture, EndsInItsThreadUnlessRelaxed) {
  ASSERT_EQ(cudaStreamBeginCapture(stream_, kThreadLocal), cudaSuccess);
  std::thread([this] { EXPECT_EQ(end(stream_), cudaErrorStreamCaptureWrongThread); }).join();
  EXPECT_EQ(end(stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream_, kRelaxed), cudaSuccess);
  std::thread([this] { EXPECT_EQ(end(stream_), cudaSuccess); }).join();
}

TEST_F(FakeCapture, CannotBeOfTheNullStream) {
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, kThreadLocal), cudaErrorStreamCaptureUnsupported);
}

TEST_F(FakeCapture, OfABlockingStreamForbidsTheNullStream) {
  cudaStream_t blocking = nullptr;
  ASSERT_EQ(cudaStreamCreate(&blocking), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream_, kThreadLocal), cudaSuccess);
  EXPECT_EQ(enqueue_nothing(nullptr), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(blocking, kThreadLocal), cudaSuccess);
  EXPECT_EQ(enqueue_nothing(nullptr), cudaErrorStreamCaptureImplicit);
  EXPECT_EQ(end(blocking), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(end(stream_), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(blocking), cudaSuccess);
}

TEST_F(FakeCapture, GlobalForbidsAllocationInEveryThread) {
  ASSERT_EQ(cudaStreamBeginCapture(stream_, kGlobal), cudaSuccess);
  EXPECT_EQ(allocate(), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(end(stream_), cudaErrorStreamCaptureInvalidated);
  ASSERT_EQ(cudaStreamBeginCapture(stream_, kGlobal), cudaSuccess);
  std::thread([] { EXPECT_EQ(allocate(), cudaErrorStreamCaptureUnsupported); }).join();
  EXPECT_EQ(end(stream_), cudaErrorStreamCaptureInvalidated);
}

TEST_F(FakeCapture, ForbidsAskingForEventsOutsideAsItForbidsAllocation) {
  ASSERT_EQ(cudaEventRecord(event_, other_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(other_), cudaSuccess);
  for (const auto ask : {cudaEventQuery, cudaEventSynchronize}) {
    ASSERT_EQ(cudaStreamBeginCapture(stream_, kThreadLocal), cudaSuccess);
    std::thread([&] { EXPECT_EQ(ask(event_), cudaSuccess); }).join();
    EXPECT_EQ(end(stream_), cudaSuccess);
    ASSERT_EQ(cudaStreamBeginCapture(stream_, kGlobal), cudaSuccess);
    std::thread([&] { EXPECT_EQ(ask(event_), cudaErrorStreamCaptureUnsupported); }).join();
    EXPECT_EQ(end(stream_), cudaErrorStreamCaptureInvalidated);
  }
}

TEST_F(FakeCapture, ThreadLocalForbidsAllocationInItsThreadOnly) {
  ASSERT_EQ(cudaStreamBeginCapture(stream_, kThreadLocal), cudaSuccess);
  std::thread([] { EXPECT_EQ(allocate(), cudaSuccess); }).join();
  EXPECT_EQ(status(stream_), cudaStreamCaptureStatusActive);
  EXPECT_EQ(allocate(), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(end(stream_), cudaErrorStreamCaptureInvalidated);
}

TEST_F(FakeCapture, RelaxedForbidsNoAllocation) {
  ASSERT_EQ(cudaStreamBeginCapture(stream_, kRelaxed), cudaSuccess);
  EXPECT_EQ(allocate(), cudaSuccess);
  EXPECT_EQ(end(stream_), cudaSuccess);
}

TEST_F(FakeCapture, AThreadCanChangeItsMode) {
  ASSERT_EQ(cudaStreamBeginCapture(stream_, kGlobal), cudaSuccess);
  std::thread([] {
    auto mode = kThreadLocal;
    EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
    EXPECT_EQ(mode, kGlobal);
    EXPECT_EQ(allocate(), cudaSuccess);
  }).join();
  auto mode = kRelaxed;
  EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  EXPECT_EQ(allocate(), cudaSuccess);
  EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  EXPECT_EQ(mode, kRelaxed);
  EXPECT_EQ(end(stream_), cudaSuccess);
}

}  // namespace
