// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "fake_cuda.h"
#include "gate.h"

namespace {

/// Captures on two streams; the work of each appends letters to its own log.
class FakeGraph : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaStreamCreateWithFlags(&branch_, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  }

  void TearDown() override {
    if (exec_ != nullptr) {
      EXPECT_EQ(cudaGraphExecDestroy(exec_), cudaSuccess);
    }
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(branch_), cudaSuccess);
  }

  void note(cudaStream_t stream, std::string& log, char letter) {
    ASSERT_EQ(fakecuda::enqueue(stream, [&log, letter](fakecuda::ItemTime&) { log += letter; }),
              cudaSuccess);
  }

  /// Ends the capture, and destroys the graph once it is instantiated, as programs do.
  void instantiate(std::size_t nodes) {
    cudaGraph_t graph = nullptr;
    std::size_t count = 0;
    ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
    EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &count), cudaSuccess);
    EXPECT_EQ(count, nodes);
    ASSERT_EQ(cudaGraphInstantiate(&exec_, graph, 0), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  }

  void launch_and_wait() {
    ASSERT_EQ(cudaGraphLaunch(exec_, stream_), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  }

  cudaStream_t stream_ = nullptr;
  cudaStream_t branch_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  std::string log_;
  std::string branch_log_;
};

TEST_F(FakeGraph, RunsAtLaunchAndEachTime) {
  note(stream_, log_, 'a');
  note(stream_, log_, 'b');
  instantiate(2);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(log_, "");
  launch_and_wait();
  EXPECT_EQ(log_, "ab");
  launch_and_wait();
  EXPECT_EQ(log_, "abab");
}

TEST_F(FakeGraph, KeepsTheOrderThatEventsMade) {
  note(stream_, log_, 'a');
  ASSERT_EQ(fakecuda::order_after(branch_, stream_), cudaSuccess);
  note(branch_, log_, 'b');
  ASSERT_EQ(fakecuda::order_after(stream_, branch_), cudaSuccess);
  note(stream_, log_, 'c');
  instantiate(3);
  for (int i = 0; i < 20; ++i) launch_and_wait();
  std::string expected;
  for (int i = 0; i < 20; ++i) expected += "abc";
  EXPECT_EQ(log_, expected);
}

TEST_F(FakeGraph, RunsBranchesAtTheSameTime) {
  std::promise<void> reached;
  ASSERT_EQ(fakecuda::order_after(branch_, stream_), cudaSuccess);
  // Enqueued first, and done only when what comes later on the other branch has run.
  ASSERT_EQ(fakecuda::enqueue(stream_, [future = reached.get_future().share()](
                                           fakecuda::ItemTime&) { future.wait(); }),
            cudaSuccess);
  ASSERT_EQ(fakecuda::enqueue(branch_, [&](fakecuda::ItemTime&) { reached.set_value(); }),
            cudaSuccess);
  ASSERT_EQ(fakecuda::order_after(stream_, branch_), cudaSuccess);
  instantiate(2);
  launch_and_wait();
}

TEST_F(FakeGraph, HoldsUpTheStreamUntilAllBranchesAreDone) {
  ASSERT_EQ(fakecuda::order_after(branch_, stream_), cudaSuccess);
  Gate gate(branch_);
  note(branch_, branch_log_, 'b');
  ASSERT_EQ(fakecuda::order_after(stream_, branch_), cudaSuccess);
  instantiate(2);
  std::string seen;
  ASSERT_EQ(cudaGraphLaunch(exec_, stream_), cudaSuccess);
  ASSERT_EQ(fakecuda::enqueue(stream_, [&](fakecuda::ItemTime&) { seen = branch_log_; }),
            cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream_), cudaErrorNotReady);
  gate.open();
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(seen, "b");
}

TEST_F(FakeGraph, StartsWhenTheStreamGetsThere) {
  ASSERT_EQ(fakecuda::order_after(branch_, stream_), cudaSuccess);
  note(branch_, branch_log_, 'b');
  ASSERT_EQ(fakecuda::order_after(stream_, branch_), cudaSuccess);
  instantiate(1);
  Gate gate(stream_);
  ASSERT_EQ(cudaGraphLaunch(exec_, stream_), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream_), cudaErrorNotReady);
  EXPECT_EQ(branch_log_, "");
  gate.open();
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(branch_log_, "b");
}

TEST_F(FakeGraph, RunsOneLaunchAtATime) {
  note(stream_, log_, 'a');
  instantiate(1);
  Gate gate(stream_);
  ASSERT_EQ(cudaGraphLaunch(exec_, stream_), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(exec_, branch_), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(branch_), cudaErrorNotReady);
  gate.open();
  ASSERT_EQ(cudaStreamSynchronize(branch_), cudaSuccess);
  EXPECT_EQ(log_, "aa");
}

TEST_F(FakeGraph, CopiesWhatItIsToldEachTime) {
  std::uint32_t* pinned = nullptr;
  void* device = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  ASSERT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(reinterpret_cast<void**>(&pinned), 8), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&device, 4), cudaSuccess);
  ASSERT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(device, pinned, 4, cudaMemcpyHostToDevice, stream_), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(pinned + 1, device, 4, cudaMemcpyDeviceToHost, stream_), cudaSuccess);
  instantiate(2);
  for (const std::uint32_t value : {5U, 6U}) {
    pinned[0] = value;
    launch_and_wait();
    EXPECT_EQ(pinned[1], value);
  }
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST_F(FakeGraph, CopiesPageableMemoryWhenItRuns) {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  ASSERT_EQ(cudaMemcpyAsync(&to, &from, 4, cudaMemcpyHostToHost, stream_), cudaSuccess);
  instantiate(1);
  from = 7;
  EXPECT_EQ(to, 0U);
  launch_and_wait();
  EXPECT_EQ(to, 7U);
}

TEST_F(FakeGraph, RunsOnWhenDestroyed) {
  note(stream_, log_, 'a');
  instantiate(1);
  {
    const Gate gate(stream_);
    ASSERT_EQ(cudaGraphLaunch(exec_, stream_), cudaSuccess);
    ASSERT_EQ(cudaGraphExecDestroy(std::exchange(exec_, nullptr)), cudaSuccess);
  }
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(log_, "a");
}

}  // namespace
