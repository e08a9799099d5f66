// SPDX-License-Identifier: Apache-2.0
// Virtual time, to the digit: the model of docs/testing.md with numbers that binary fractions hold
// exactly.
#include "fake_cuda.h"
#include "rank_processes.h"

namespace fakenccl::test {
namespace {

// 8 us and 2^-4 bytes per ns; host clocks start at 0. Microseconds in the tests' expectations.
const Variables kClock = {
    {"FAKE_CUDA_VTIME", "1"}, {"FAKE_NCCL_LATENCY_US", "8"}, {"FAKE_NCCL_GBps", "0.0625"}};
constexpr double kLatency_us = 8;
constexpr std::size_t kBytes = 1000;  // 16 us
constexpr double kTransfer_us = 16;

double now_us() { return fakecuda::host_now_s() * 1e6; }

void expect_us(double expected_us) { EXPECT_NEAR(now_us(), expected_us, 1e-9); }

using Step = std::function<void(const Rank&, char* buffer)>;

/// Time of this rank's host after a step.
double elapsed_us(const Rank& r, const Step& step) {
  Buffer<char> buffer(16 * kBytes);
  const double begin_us = now_us();
  step(r, buffer.at());
  r.synchronize();
  return now_us() - begin_us;
}

void all_reduce(const Rank& r, char* b) {
  EXPECT_NCCL(ncclAllReduce(b, b, kBytes, ncclInt8, ncclSum, r.comm, r.stream));
}

RANK_PROGRAM(collective_costs) {
  const Rank r = join(place);
  const double ranks = r.ranks;
  const auto expect = [&](double counted, const Step& step) {
    EXPECT_NEAR(elapsed_us(r, step), kLatency_us + counted * kTransfer_us, 1e-9);
  };
  expect(1, all_reduce);
  expect(1, [](const Rank& q, char* b) { ncclBcast(b, kBytes, ncclInt8, 0, q.comm, q.stream); });
  expect(1, [](const Rank& q, char* b) {
    ncclReduce(b, b, kBytes, ncclInt8, ncclSum, 0, q.comm, q.stream);
  });
  expect(ranks,
         [](const Rank& q, char* b) { ncclAllGather(b, b, kBytes, ncclInt8, q.comm, q.stream); });
  expect(ranks, [](const Rank& q, char* b) {
    ncclReduceScatter(b, b, kBytes, ncclInt8, ncclSum, q.comm, q.stream);
  });
  expect(ranks, [](const Rank& q, char* b) {
    ncclAlltoAll(b, b + 8 * kBytes, kBytes, ncclInt8, q.comm, q.stream);
  });
  expect(ranks,
         [](const Rank& q, char* b) { ncclGather(b, b, kBytes, ncclInt8, 1, q.comm, q.stream); });
  expect(ranks,
         [](const Rank& q, char* b) { ncclScatter(b, b, kBytes, ncclInt8, 1, q.comm, q.stream); });
  EXPECT_EQ(
      elapsed_us(r, [](const Rank& q,
                       char* b) { ncclAllReduce(b, b, 0, ncclInt8, ncclSum, q.comm, q.stream); }),
      0);
  leave(r);
  return 0;
}

RANK_PROGRAM(latest_rank_decides) {
  const Rank r = join(place);
  fakecuda::host_advance_to_s(r.rank * 100e-6);
  Buffer<char> buffer(kBytes);
  all_reduce(r, buffer.at());
  r.synchronize();
  expect_us(100 + kLatency_us + kTransfer_us);
  all_reduce(r, buffer.at());
  all_reduce(r, buffer.at());
  r.synchronize();
  expect_us(100 + 3 * (kLatency_us + kTransfer_us));
  leave(r);
  return 0;
}

RANK_PROGRAM(messages) {
  const Rank r = join(place);
  Buffer<char> send(3 * kBytes), receive(3 * kBytes);
  fakecuda::host_advance_to_s(r.rank * 50e-6);
  // A message starts at the later of both sides.
  EXPECT_NCCL(r.rank == 0 ? ncclSend(send.at(), kBytes, ncclInt8, 1, r.comm, r.stream)
                          : ncclRecv(receive.at(), kBytes, ncclInt8, 0, r.comm, r.stream));
  r.synchronize();
  const double first_us = 50 + kLatency_us + kTransfer_us;
  expect_us(first_us);
  // Those of a group share the rank's link in each direction: 3 out and 3 in are 3.
  EXPECT_NCCL(ncclGroupStart());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NCCL(ncclSend(send.at(i * kBytes), kBytes, ncclInt8, 1 - r.rank, r.comm, r.stream));
    EXPECT_NCCL(ncclRecv(receive.at(i * kBytes), kBytes, ncclInt8, 1 - r.rank, r.comm, r.stream));
  }
  EXPECT_NCCL(ncclGroupEnd());
  r.synchronize();
  expect_us(first_us + kLatency_us + 3 * kTransfer_us);
  leave(r);
  return 0;
}

RANK_PROGRAM(delayed) {
  const Rank r = join(place);
  Buffer<char> buffer(kBytes);
  all_reduce(r, buffer.at());
  r.synchronize();
  expect_us(3000 + kLatency_us + kTransfer_us);
  leave(r);
  return 0;
}

RANK_PROGRAM(replayed) {
  const Rank r = join(place);
  Buffer<char> buffer(kBytes);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  EXPECT_CUDA(cudaStreamBeginCapture(r.stream, cudaStreamCaptureModeThreadLocal));
  all_reduce(r, buffer.at());
  all_reduce(r, buffer.at());
  EXPECT_CUDA(cudaStreamEndCapture(r.stream, &graph));
  EXPECT_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  for (int i = 0; i < 3; ++i) EXPECT_CUDA(cudaGraphLaunch(executable, r.stream));
  r.synchronize();
  expect_us(6 * (kLatency_us + kTransfer_us));
  leave(r);
  return 0;
}

void expect_good(const char* program, int ranks, Variables more = {}) {
  more.insert(kClock.begin(), kClock.end());
  for (const Ended& ended : run_ranks(program, ranks, more))
    EXPECT_EQ(ended.status, 0) << ended.output;
}

TEST(Clock, CollectivesCostTheLargerBuffer) { expect_good("collective_costs", 2); }
TEST(Clock, TheLatestRankDecides) { expect_good("latest_rank_decides", 2); }
TEST(Clock, MessagesStartTogetherAndShareALink) { expect_good("messages", 2); }
TEST(Clock, DelaysAreVirtual) {
  expect_good("delayed", 3, {{"FAKE_NCCL_FAULTS", "AllReduce@2=delay:3"}});
}
TEST(Clock, GraphsTakeTheTimeOfTheirOperations) { expect_good("replayed", 2); }

}  // namespace
}  // namespace fakenccl::test
