// SPDX-License-Identifier: Apache-2.0
// Rank threads over a process-level control plane that answers for the other processes.
#include "comm/rank_team.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/errors.h"

namespace collbench {
namespace {

// Process `rank` of `size`, where every other process contributes the same bytes as this one, plus
// the distance of its rank. Counts the calls, and notices two at a time.
class FakeProcesses final : public ControlPlane {
 public:
  FakeProcesses(int rank, int size) : rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void barrier() override { call(); }

  void all_gather_bytes(const void* mine, Bytes each, void* all) override {
    call();
    for (int process = 0; process < size_; ++process) {
      auto* block = static_cast<char*>(all) + static_cast<Bytes>(process) * each;
      if (each != 0) std::memcpy(block, mine, each);
      if (adds_distance) block[0] = static_cast<char>(block[0] + process - rank_);
    }
  }

  void broadcast_bytes(void* data, Bytes bytes) override {
    call();
    if (rank_ != 0) std::memset(data, 'z', bytes);
  }

  int calls = 0;
  int most_at_a_time = 0;
  bool adds_distance = false;
  bool fails = false;

 private:
  void call() {
    const int at_a_time = ++inside_;
    if (at_a_time > most_at_a_time) most_at_a_time = at_a_time;
    ++calls;
    std::this_thread::yield();
    --inside_;
    if (fails) throw SystemError("the network is gone");
  }

  int rank_;
  int size_;
  std::atomic<int> inside_{0};
};

void on_each_thread(RankTeam& team, int threads, const std::function<void(ControlPlane&)>& body) {
  std::vector<std::jthread> running;
  for (int thread = 0; thread < threads; ++thread) {
    running.emplace_back([&, thread] { body(team.control_plane(thread)); });
  }
}

TEST(RankTeam, NumbersRanksByProcessThenThread) {
  FakeProcesses processes(2, 5);
  RankTeam team(processes, 3);
  for (int thread = 0; thread < 3; ++thread) {
    EXPECT_EQ(team.control_plane(thread).rank(), 6 + thread);
    EXPECT_EQ(team.control_plane(thread).size(), 15);
  }
}

TEST(RankTeam, NobodyLeavesABarrierBeforeAllHaveCome) {
  FakeProcesses processes(0, 1);
  RankTeam team(processes, 4);
  std::atomic<int> came{0};
  std::atomic<int> left_early{0};
  on_each_thread(team, 4, [&](ControlPlane& plane) {
    for (int round = 1; round <= 200; ++round) {
      ++came;
      plane.barrier();
      if (came < 4 * round) ++left_early;
      plane.barrier();
    }
  });
  EXPECT_EQ(left_early, 0);
  EXPECT_EQ(processes.calls, 1 + 400);  // the first of them by the constructor
  EXPECT_EQ(processes.most_at_a_time, 1);
}

TEST(RankTeam, GathersInRankOrderWithOneCall) {
  FakeProcesses processes(1, 3);
  RankTeam team(processes, 2);
  processes.adds_distance = true;
  std::vector<std::vector<char>> gathered(6);
  on_each_thread(team, 2, [&](ControlPlane& plane) {
    const char mine = plane.rank() == 2 ? 'm' : 'x';
    gathered[static_cast<std::size_t>(plane.rank())] = plane.all_gather(mine);
  });
  // Process 1 has ranks 2 and 3; the fake adds the distance to the first thread's byte.
  const std::vector<char> expected = {'l', 'x', 'm', 'x', 'n', 'x'};
  EXPECT_EQ(gathered[2], expected);
  EXPECT_EQ(gathered[3], expected);
  EXPECT_EQ(processes.calls, 1 + 1);
}

TEST(RankTeam, BroadcastsFromTheFirstThreadOfTheFirstProcess) {
  for (const int process : {0, 1}) {
    FakeProcesses processes(process, 2);
    RankTeam team(processes, 3);
    std::atomic<int> right{0};
    const std::string expected = process == 0 ? "rank 0" : "zzzzzz";
    on_each_thread(team, 3, [&](ControlPlane& plane) {
      std::string text = "rank " + std::to_string(plane.rank());
      plane.broadcast_bytes(text.data(), text.size());
      if (text == expected) ++right;
    });
    EXPECT_EQ(right, 3) << "process " << process;
  }
}

TEST(RankTeam, CarriesTextsOfDifferentLengthAndTheLargest) {
  FakeProcesses processes(0, 1);
  RankTeam team(processes, 3);
  std::atomic<int> right{0};
  on_each_thread(team, 3, [&](ControlPlane& plane) {
    const std::string mine(static_cast<std::size_t>(plane.rank()) * 3, 'a');
    const bool texts = plane.all_gather_text(mine) == std::vector<std::string>{"", "aaa", "aaaaaa"};
    const bool empty = plane.all_gather_text("") == std::vector<std::string>{"", "", ""};
    const bool first = plane.broadcast_text("by " + std::to_string(plane.rank())) == "by 0";
    const bool largest = plane.max(plane.rank()) == 2;
    if (texts && empty && first && largest) ++right;
  });
  EXPECT_EQ(right, 3);
}

TEST(RankTeam, ThrowsTheFailureOfTheOneCallOnEveryThread) {
  FakeProcesses processes(0, 2);
  RankTeam team(processes, 4);
  processes.fails = true;
  std::atomic<int> caught{0};
  on_each_thread(team, 4, [&](ControlPlane& plane) {
    try {
      plane.barrier();
    } catch (const SystemError& error) {
      if (std::string(error.what()) == "the network is gone") ++caught;
    }
  });
  EXPECT_EQ(caught, 4);

  processes.fails = false;
  std::atomic<int> passed{0};
  on_each_thread(team, 4, [&](ControlPlane& plane) {
    plane.barrier();
    ++passed;
  });
  EXPECT_EQ(passed, 4);
}

TEST(RankTeam, RefusesThreadsThatDisagreeAboutTheOperation) {
  FakeProcesses processes(0, 1);
  RankTeam team(processes, 2);
  std::atomic<int> caught{0};
  on_each_thread(team, 2, [&](ControlPlane& plane) {
    try {
      plane.rank() == 0 ? static_cast<void>(plane.all_gather('a'))
                        : static_cast<void>(plane.all_gather(1));
    } catch (const SystemError&) {
      ++caught;
    }
  });
  EXPECT_EQ(caught, 2);
}

TEST(RankTeam, RefusesProcessesWithOtherNumbersOfThreads) {
  FakeProcesses processes(0, 3);
  processes.adds_distance = true;
  try {
    RankTeam team(processes, 2);
    FAIL() << "made a team of processes with 2, 3 and 4 threads";
  } catch (const SystemError& error) {
    EXPECT_EQ(std::string(error.what()),
              "process 1 has 3 rank threads and process 0 has 2: start all processes of a run with "
              "the same arguments");
  }
}

}  // namespace
}  // namespace collbench
