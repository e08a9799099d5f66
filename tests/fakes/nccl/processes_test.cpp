// SPDX-License-Identifier: Apache-2.0
// Ranks that are processes: the same operations, and death.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "rank_processes.h"

namespace fakenccl::test {
namespace {

constexpr std::size_t kCount = 300000;

RANK_PROGRAM(exchange) {
  Rank r = join(place);
  const auto ranks = static_cast<std::size_t>(r.ranks);
  Buffer<float> buffer(kCount, static_cast<float>(r.rank + 1));
  Buffer<float> all(kCount * ranks);
  EXPECT_NCCL(
      ncclAllReduce(buffer.at(), buffer.at(), kCount, ncclFloat32, ncclSum, r.comm, r.stream));
  EXPECT_NCCL(ncclAllGather(buffer.at(), all.at(), kCount, ncclFloat32, r.comm, r.stream));
  r.synchronize();
  const float sum = static_cast<float>(r.ranks * (r.ranks + 1)) / 2;
  EXPECT_EQ(all.read(), std::vector<float>(kCount * ranks, sum));
  const int next = (r.rank + 1) % r.ranks, before = (r.rank + r.ranks - 1) % r.ranks;
  buffer.write(std::vector<float>(kCount, static_cast<float>(r.rank)));
  EXPECT_NCCL(ncclGroupStart());
  EXPECT_NCCL(ncclSend(buffer.at(), kCount, ncclFloat32, next, r.comm, r.stream));
  EXPECT_NCCL(ncclRecv(all.at(), kCount, ncclFloat32, before, r.comm, r.stream));
  EXPECT_NCCL(ncclGroupEnd());
  r.synchronize();
  EXPECT_EQ(all.read()[kCount - 1], static_cast<float>(before));
  leave(r);
  return 0;
}

TEST(Processes, ExchangeData) {
  for (const Ended& ended : run_ranks("exchange", 3)) EXPECT_EQ(ended.status, 0) << ended.output;
}

/// Two ranks of four are threads of one process, as with a benchmark's -t 2.
RANK_PROGRAM(threads_of_processes) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 2; ++thread) {
    threads.emplace_back([thread, place] {
      const Rank r = join({2 * place.rank + thread, 2 * place.ranks, place.id});
      Buffer<int> buffer(kCount, 1 << r.rank);
      EXPECT_NCCL(
          ncclAllReduce(buffer.at(), buffer.at(), kCount, ncclInt32, ncclSum, r.comm, r.stream));
      r.synchronize();
      EXPECT_EQ(buffer.read(), std::vector<int>(kCount, 0b1111));
      leave(r);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return 0;
}

TEST(Processes, RanksMayBeThreadsOfProcesses) {
  for (const Ended& ended : run_ranks("threads_of_processes", 2)) {
    EXPECT_EQ(ended.status, 0) << ended.output;
  }
}

RANK_PROGRAM(survive) {
  Rank r = join(place);
  Buffer<int> buffer(1, 1 << r.rank);
  const auto sum = [&](ncclComm_t comm) {
    return ncclAllReduce(buffer.at(), buffer.at(), 1, ncclInt32, ncclSum, comm, r.stream);
  };
  if (r.rank == 1) raise(SIGKILL);
  EXPECT_NCCL(sum(r.comm));
  EXPECT_EQ(async_error(r.comm), ncclRemoteError);
  EXPECT_EQ(sum(r.comm), ncclRemoteError);
  int dead[] = {1};
  ncclComm_t rest = nullptr;
  EXPECT_EQ(ncclCommShrink(r.comm, dead, 1, &rest, nullptr, NCCL_SHRINK_DEFAULT), ncclRemoteError);
  EXPECT_NCCL(ncclCommShrink(r.comm, dead, 1, &rest, nullptr, NCCL_SHRINK_ABORT));
  EXPECT_NCCL(ncclCommAbort(r.comm));
  EXPECT_NCCL(sum(rest));
  r.synchronize();
  EXPECT_EQ(buffer.read()[0], 0b101);
  EXPECT_NCCL(ncclCommDestroy(rest));
  return 0;
}

TEST(Processes, SurvivorsOfADeathShrinkAndGoOn) {
  const auto ended = run_ranks("survive", 3);
  EXPECT_EQ(ended[0].status, 0) << ended[0].output;
  EXPECT_EQ(ended[1].status, 128 + SIGKILL);
  EXPECT_EQ(ended[2].status, 0) << ended[2].output;
}

/// All on the first GPU.
RANK_PROGRAM(crowd) {
  ncclComm_t comm = nullptr;
  const std::string host = "host" + std::to_string(place.rank);
  if (getenv("HOSTS_DIFFER")) setenv("NCCL_HOSTID", host.c_str(), 1);
  const ncclResult_t result = ncclCommInitRank(&comm, place.ranks, place.id, place.rank);
  ncclCommDestroy(comm);
  return 10 + result;
}

TEST(Processes, OneGpuTakesSeveralRanksOnlyOfDifferentHosts) {
  for (const Ended& ended : run_ranks("crowd", 2)) EXPECT_EQ(ended.status, 10 + ncclInvalidUsage);
  for (const Ended& ended : run_ranks("crowd", 2, {{"HOSTS_DIFFER", "1"}})) {
    EXPECT_EQ(ended.status, 10 + ncclSuccess) << ended.output;
  }
}

/// Makes the id for a peer that finds it after its death.
RANK_PROGRAM(make_and_die) {
  ncclUniqueId id;
  EXPECT_NCCL(ncclGetUniqueId(&id));
  fwrite(&id, sizeof id, 1, stdout);
  fflush(stdout);
  raise(SIGKILL);
  return 0;
}

TEST(Processes, AnIdDiesWithItsMaker) {
  const Ended maker = run_ranks("make_and_die", 1)[0];
  ncclUniqueId id;
  ASSERT_EQ(maker.output.size(), sizeof id);
  std::memcpy(&id, maker.output.data(), sizeof id);
  ncclComm_t comm;
  EXPECT_EQ(ncclCommInitRank(&comm, 1, id, 0), ncclSystemError);
}

}  // namespace
}  // namespace fakenccl::test
