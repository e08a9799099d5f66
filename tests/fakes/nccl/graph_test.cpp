// SPDX-License-Identifier: Apache-2.0
// Captured operations run at each launch of their graph, and not before.
#include "rank_threads.h"

namespace fakenccl::test {
namespace {

template <class Issue>
cudaGraphExec_t capture(const Rank& r, Issue issue) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  EXPECT_CUDA(cudaStreamBeginCapture(r.stream, cudaStreamCaptureModeThreadLocal));
  issue();
  EXPECT_CUDA(cudaStreamEndCapture(r.stream, &graph));
  EXPECT_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  EXPECT_CUDA(cudaGraphDestroy(graph));
  return executable;
}

TEST(Graph, ReplaysACollective) {
  with_ranks(2, [](Rank& r) {
    Buffer<int> buffer(1000, 1);
    const cudaGraphExec_t graph = capture(r, [&] {
      EXPECT_NCCL(
          ncclAllReduce(buffer.at(), buffer.at(), 1000, ncclInt32, ncclSum, r.comm, r.stream));
    });
    EXPECT_EQ(buffer.read()[999], 1);
    for (int i = 0; i < 3; ++i) EXPECT_CUDA(cudaGraphLaunch(graph, r.stream));
    EXPECT_NCCL(
        ncclAllReduce(buffer.at(), buffer.at(), 1000, ncclInt32, ncclSum, r.comm, r.stream));
    r.synchronize();
    EXPECT_EQ(buffer.read(), std::vector<int>(1000, 16));
    EXPECT_CUDA(cudaGraphExecDestroy(graph));
  });
}

TEST(Graph, ReplaysAGroupOnTwoStreams) {
  with_ranks(2, [](Rank& r) {
    Buffer<int> send(1, r.rank), receive(1, -1), sum(1, 1);
    cudaStream_t second;
    cudaEvent_t fork, join;
    EXPECT_CUDA(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    EXPECT_CUDA(cudaEventCreate(&fork));
    EXPECT_CUDA(cudaEventCreate(&join));
    const cudaGraphExec_t graph = capture(r, [&] {
      EXPECT_CUDA(cudaEventRecord(fork, r.stream));
      EXPECT_CUDA(cudaStreamWaitEvent(second, fork, 0));
      EXPECT_NCCL(ncclGroupStart());
      EXPECT_NCCL(ncclSend(send.at(), 1, ncclInt32, 1 - r.rank, r.comm, r.stream));
      EXPECT_NCCL(ncclRecv(receive.at(), 1, ncclInt32, 1 - r.rank, r.comm, second));
      EXPECT_NCCL(ncclAllReduce(sum.at(), sum.at(), 1, ncclInt32, ncclSum, r.comm, second));
      EXPECT_NCCL(ncclGroupEnd());
      EXPECT_CUDA(cudaEventRecord(join, second));
      EXPECT_CUDA(cudaStreamWaitEvent(r.stream, join, 0));
    });
    for (int i = 0; i < 2; ++i) EXPECT_CUDA(cudaGraphLaunch(graph, r.stream));
    r.synchronize();
    EXPECT_EQ(receive.read()[0], 1 - r.rank);
    EXPECT_EQ(sum.read()[0], 4);
    EXPECT_CUDA(cudaGraphExecDestroy(graph));
    EXPECT_CUDA(cudaEventDestroy(fork));
    EXPECT_CUDA(cudaEventDestroy(join));
    EXPECT_CUDA(cudaStreamDestroy(second));
  });
}

TEST(Graph, OutlivesItsCommunicatorWithoutDoingAnything) {
  with_ranks(1, [](Rank& r) {
    Buffer<int> in(1, 7), out(1, 0);
    const cudaGraphExec_t graph = capture(r, [&] {
      EXPECT_NCCL(ncclAllReduce(in.at(), out.at(), 1, ncclInt32, ncclSum, r.comm, r.stream));
    });
    EXPECT_NCCL(ncclCommAbort(r.comm));
    r.comm = nullptr;
    EXPECT_CUDA(cudaGraphLaunch(graph, r.stream));
    r.synchronize();
    EXPECT_EQ(out.read()[0], 0);
    EXPECT_CUDA(cudaGraphExecDestroy(graph));
  });
}

}  // namespace
}  // namespace fakenccl::test
