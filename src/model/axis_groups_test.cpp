// SPDX-License-Identifier: Apache-2.0
#include "model/axis_groups.h"

#include <gtest/gtest.h>

namespace collbench::model {
namespace {

std::vector<std::string_view> told(const Layout& layout) {
  std::vector<std::string_view> names;
  for (const AxisRow& row : kAxes) {
    if (tells_something(layout, row.axis)) names.push_back(row.name);
  }
  return names;
}

using Names = std::vector<std::string_view>;

TEST(AxisGroups, TellWhatFollowsFromNoOther) {
  EXPECT_EQ(told({}), Names{});
  EXPECT_EQ(told({.tp = 2, .dp = 4}), (Names{"tp", "dp"}));
  EXPECT_EQ(told({.tp = 2, .cp = 2, .dp = 2}), (Names{"tp", "cp", "dp", "dp_cp", "tp_cp"}));
  EXPECT_EQ(told({.dp = 4, .replicas = 2}), (Names{"dp", "dp_replicate", "dp_shard_cp"}));
  EXPECT_EQ(told({.tp = 2, .pp = 2}), (Names{"tp", "pp", "tp_dp_cp", "tp_pp", "embedding"}));
  EXPECT_EQ(told({.tp = 2, .ep = 2, .etp = 1, .dp = 2}),
            (Names{"tp", "dp", "ep", "etp_ep", "edp"}));
}

TEST(AxisGroups, SayWhichLieOnSeveralNodes) {
  const AxisGroups all = axis_groups({.tp = 2, .pp = 3}, Axis::pp, 4, {});
  EXPECT_EQ(all.groups, (std::vector<std::vector<int>>{{0, 2, 4}, {1, 3, 5}}));
  EXPECT_EQ(all.nodes, (std::vector<std::vector<int>>{{0, 1}, {0, 1}}));
  EXPECT_EQ(all.crossing, 2);
  EXPECT_EQ(axis_groups({.tp = 2, .pp = 3}, Axis::tp, 4, {}).crossing, 0);
}

TEST(AxisGroups, AreSpelledForPeople) {
  EXPECT_EQ(describe(axis_groups({.tp = 2, .pp = 3}, Axis::pp, 4, {}), 1, "ask"),
            "# pp: the stages of one pipeline; 2 groups, 2 across nodes\n"
            "  ranks 0 2 4                    nodes 0 1\n"
            "  and 1 more: ask\n");
  EXPECT_EQ(describe(axis_groups({.tp = 16}, Axis::tp, 16, {}), 9, ""),
            "# tp: shares each layer of a stage; 1 group, 0 across nodes\n"
            "  ranks 0 1 2 ... 15             node 0\n");
}

TEST(AxisGroups, AreThoseOfOneRankWhereItIsNamed) {
  const AxisGroups one = axis_groups({.tp = 2, .pp = 3}, Axis::tp, 4, 3);
  EXPECT_EQ(one.groups, (std::vector<std::vector<int>>{{2, 3}}));
}

TEST(AxisGroups, LeaveOutRanksThatAreAlone) {
  EXPECT_EQ(axis_groups({.tp = 2, .pp = 3}, Axis::embedding, 4, {}).groups,
            (std::vector<std::vector<int>>{{0, 4}, {1, 5}}));
}

}  // namespace
}  // namespace collbench::model
