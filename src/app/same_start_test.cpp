// SPDX-License-Identifier: Apache-2.0
// Ranks that were started differently, as threads that share a control plane.
#include "app/same_start.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/errors.h"
#include "comm/rank_team.h"
#include "comm/test_one_process.h"

namespace collbench {
namespace {

// What each of the ranks is told; empty: nothing is wrong.
std::vector<std::string> told(const std::vector<Start>& starts) {
  OneProcess process;
  RankTeam team(process, static_cast<int>(starts.size()));
  std::vector<std::string> errors(starts.size());
  {
    std::vector<std::jthread> ranks;
    for (std::size_t rank = 0; rank < starts.size(); ++rank) {
      ranks.emplace_back([&, rank] {
        try {
          require_same_start(team.control_plane(static_cast<int>(rank)), starts[rank]);
        } catch (const UserError& error) {
          errors[rank] = error.what();
        }
      });
    }
  }
  return errors;
}

const Start kStart = {"all_reduce_perf", {"-b", "8", "-e", "1M"}, {}, "0.1.0|abc", "node0"};

TEST(SameStart, RanksThatWereStartedAlikePass) {
  Start on_another_host = kStart;
  on_another_host.host = "node1";
  EXPECT_EQ(told({kStart}), std::vector<std::string>(1));
  EXPECT_EQ(told({kStart, on_another_host, kStart}), std::vector<std::string>(3));
}

TEST(SameStart, EveryRankIsToldOfTheFirstThatDiffers) {
  Start other = kStart;
  other.host = "node1";
  other.arguments = {"-b", "8", "-e", "1M", "-n", "4"};
  const std::string text =
      "rank 2 on node1 has the arguments '-b 8 -e 1M -n 4', but rank 0 has '-b 8 -e 1M'; start all "
      "ranks with the same ones";
  EXPECT_EQ(told({kStart, kStart, other, other}), std::vector<std::string>(4, text));
}

TEST(SameStart, ArgumentsAreComparedOneByOne) {
  Start joined = kStart;
  joined.arguments = {"-b", "8 -e", "1M"};
  EXPECT_NE(told({kStart, joined})[0], "");
  Start none = kStart;
  none.arguments = {};
  EXPECT_EQ(told({kStart, none})[0],
            "rank 1 on node0 has the arguments none, but rank 0 has '-b 8 -e 1M'; start all ranks "
            "with the same ones");
  EXPECT_EQ(told({none, none})[0], "");
  Start with_an_empty_one = kStart;
  with_an_empty_one.arguments = {""};
  EXPECT_NE(told({none, with_an_empty_one})[0], "");
}

TEST(SameStart, VariablesThatWereReadAreComparedToo) {
  Start split = kStart;
  split.variables = {"NCCL_TESTS_SPLIT=MOD 2"};
  EXPECT_EQ(told({split, split}), std::vector<std::string>(2));
  EXPECT_EQ(told({split, kStart})[0],
            "rank 1 on node0 has in its environment none of these, but rank 0 has "
            "NCCL_TESTS_SPLIT=MOD 2; set the same variables for all ranks, or give flags instead");
  Start argument = kStart;
  argument.arguments.emplace_back("NCCL_TESTS_SPLIT=MOD 2");
  EXPECT_NE(told({split, argument})[0].find("has the arguments"), std::string::npos);
}

TEST(SameStart, AnotherBuildOrProgram) {
  Start other = kStart;
  other.host = "node1";
  other.build = "0.1.0|def";
  EXPECT_EQ(told({kStart, other})[1],
            "rank 1 on node1 runs build '0.1.0|def' of all_reduce_perf, but rank 0 on node0 runs "
            "'0.1.0|abc'; install the same one on all hosts");
  other.program = "all_gather_perf";
  EXPECT_EQ(told({kStart, other})[0],
            "rank 1 on node1 runs all_gather_perf, but rank 0 runs all_reduce_perf; start one "
            "program on all ranks");
}

}  // namespace
}  // namespace collbench
