// SPDX-License-Identifier: Apache-2.0
// The control plane over real ranks, of processes and of threads in them.
#include "comm/mpi/mpi_control_plane.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "comm/mpi/mpi_test_session.h"
#include "comm/rank_team.h"

namespace collbench {
namespace {

// What every rank must find, at whatever number of ranks; threads of a process call it at once.
// An empty text: all is well. GoogleTest's own checks may be used from one thread only.
std::string what_is_wrong_with(ControlPlane& plane) {
  const int rank = plane.rank();
  const int size = plane.size();
  const std::vector<int> ranks = plane.all_gather(rank);
  if (ranks.size() != static_cast<std::size_t>(size)) return "all_gather gives another size";
  for (int r = 0; r < size; ++r) {
    if (ranks[static_cast<std::size_t>(r)] != r) return "all_gather is out of order";
  }
  if (plane.broadcast(100 + rank) != 100) return "broadcast is not rank 0's";
  if (plane.max(-rank) != 0) return "max of 0, -1, ...";
  if (plane.max(static_cast<double>(rank)) != size - 1) return "max of 0, 1, ...";

  const std::vector<std::string> texts =
      plane.all_gather_text(std::string(static_cast<std::size_t>(rank) * 5, 'x'));
  for (int r = 0; r < size; ++r) {
    const auto at = static_cast<std::size_t>(r);
    if (texts[at] != std::string(at * 5, 'x')) return "all_gather_text is wrong";
  }
  for (const std::string& text : plane.all_gather_text("")) {
    if (!text.empty()) return "all_gather_text of nothing is something";
  }
  if (plane.broadcast_text("from " + std::to_string(rank)) != "from 0") return "broadcast_text";
  if (!plane.broadcast_text(rank == 0 ? "" : "not this").empty()) return "broadcast_text of \"\"";
  return "";
}

TEST(MpiControlPlane, IsRightOnEveryRank) {
  MpiControlPlane plane(MPI_COMM_WORLD);
  EXPECT_EQ(plane.rank(), test_session().rank());
  EXPECT_EQ(plane.size(), test_session().size());
  EXPECT_EQ(what_is_wrong_with(plane), "");
}

TEST(MpiControlPlane, CarriesMegabytes) {
  ControlPlane& plane = test_session().control_plane();
  constexpr Bytes kEach = (1 << 20) + 3;
  const std::string mine(kEach, static_cast<char>('a' + plane.rank()));
  const std::vector<std::string> all = plane.all_gather_text(mine);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    EXPECT_EQ(all[rank], std::string(kEach, static_cast<char>('a' + rank))) << "of rank " << rank;
  }
  EXPECT_EQ(plane.broadcast_text(mine), std::string(kEach, 'a'));
}

// Rank 0 comes to each barrier last. Nobody may have left before: the times are of one host.
TEST(MpiControlPlane, NobodyLeavesABarrierBeforeTheLastHasCome) {
  ControlPlane& plane = test_session().control_plane();
  if (test_session().local_size() != plane.size()) GTEST_SKIP() << "requires one host";
  for (int round = 0; round < 5; ++round) {
    plane.barrier();
    if (plane.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const auto came = std::chrono::steady_clock::now().time_since_epoch().count();
    plane.barrier();
    const auto left = std::chrono::steady_clock::now().time_since_epoch().count();
    EXPECT_GE(left, plane.max(came));
  }
}

double cpu_s() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// While rank 0 is away for 200 ms the others use little of their cores: a spinning wait would use
// all of what it can get.
TEST(MpiControlPlane, WaitingRanksSleep) {
  ControlPlane& plane = test_session().control_plane();
  plane.barrier();
  if (plane.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const double before_s = cpu_s();
  plane.barrier();
  EXPECT_LT(cpu_s() - before_s, 0.05);
}

TEST(MpiControlPlane, ThreadsOfProcessesAreRanks) {
  constexpr int kThreads = 2;
  RankTeam team(test_session().control_plane(), kThreads);
  std::vector<std::string> wrong(kThreads);
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        ControlPlane& plane = team.control_plane(thread);
        for (int round = 0; round < 10 && wrong[static_cast<std::size_t>(thread)].empty();
             ++round) {
          wrong[static_cast<std::size_t>(thread)] = what_is_wrong_with(plane);
          plane.barrier();
        }
      });
    }
  }
  for (int thread = 0; thread < kThreads; ++thread) {
    EXPECT_EQ(team.control_plane(thread).rank(), test_session().rank() * kThreads + thread);
    EXPECT_EQ(wrong[static_cast<std::size_t>(thread)], "");
  }
}

}  // namespace
}  // namespace collbench
