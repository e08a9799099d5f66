// SPDX-License-Identifier: Apache-2.0
#include "comm/wait_policy.h"

#include <gtest/gtest.h>

#include <limits>

namespace collbench {
namespace {

constexpr double kNoQuota = std::numeric_limits<double>::infinity();

// May use the first `cores` cores of the machine.
RankCores rank_on(const std::string& machine, unsigned cores, double granted, int container_ranks) {
  return {machine, {(1ULL << cores) - 1}, granted, container_ranks};
}

TEST(EveryRankHasACore, Cases) {
  struct Case {
    const char* what;
    std::vector<RankCores> ranks;
    bool expected;
  };
  const RankCores a_of_two = rank_on("a", 2, kNoQuota, 2);
  const RankCores b_of_two = rank_on("b", 2, kNoQuota, 2);
  const RankCores container = rank_on("a", 4, 1, 1);
  const RankCores name_space = rank_on("a", 2, kNoQuota, 1);
  const std::vector<Case> cases = {
      {"two ranks on two cores", {a_of_two, a_of_two}, true},
      {"two machines", {a_of_two, b_of_two, a_of_two, b_of_two}, true},
      {"one of two machines is full", {a_of_two, b_of_two, b_of_two, b_of_two}, false},
      {"a quota below the ranks", {rank_on("a", 8, 1.5, 2), rank_on("a", 8, 1.5, 2)}, false},
      {"a quota that suffices", {rank_on("a", 8, 2, 2), rank_on("a", 8, 2, 2)}, true},
      {"containers with a core each", {container, container, container, container}, true},
      {"hosts that are name spaces of one machine", {name_space, name_space, name_space}, false},
  };
  for (const Case& c : cases) EXPECT_EQ(every_rank_has_a_core(c.ranks), c.expected) << c.what;
}

}  // namespace
}  // namespace collbench
