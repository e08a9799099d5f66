// SPDX-License-Identifier: Apache-2.0
#include "model/layout.h"

#include <gtest/gtest.h>

#include "base/errors.h"

namespace collbench::model {
namespace {

using Groups = std::vector<std::vector<int>>;

TEST(Layout, FormsTheGroupsOfMegatronsOwnExample) {
  // The example in the documentation of Megatron-LM's initialize_model_parallel: 16 GPUs.
  const Layout layout{.tp = 2, .dp = 2, .pp = 4};
  EXPECT_EQ(groups(layout, Axis::tp),
            (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}, {12, 13}, {14, 15}}));
  EXPECT_EQ(groups(layout, Axis::dp),
            (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}, {12, 14}, {13, 15}}));
  EXPECT_EQ(groups(layout, Axis::pp),
            (Groups{{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}}));
}

TEST(Layout, PutsContextParallelRanksBetweenTensorAndDataParallelOnes) {
  const Layout layout{.tp = 2, .cp = 2, .dp = 2, .pp = 2};
  EXPECT_EQ(groups(layout, Axis::cp),
            (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}, {12, 14}, {13, 15}}));
  EXPECT_EQ(groups(layout, Axis::dp),
            (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}, {8, 12}, {9, 13}, {10, 14}, {11, 15}}));
  EXPECT_EQ(groups(layout, Axis::dp_cp),
            (Groups{{0, 2, 4, 6}, {1, 3, 5, 7}, {8, 10, 12, 14}, {9, 11, 13, 15}}));
  EXPECT_EQ(groups(layout, Axis::pp),
            (Groups{{0, 8}, {1, 9}, {2, 10}, {3, 11}, {4, 12}, {5, 13}, {6, 14}, {7, 15}}));
  EXPECT_EQ(group(layout, Axis::tp_pp, 8), (std::vector<int>{0, 1, 8, 9}));
}

// As Megatron's hierarchical context parallelism: the ranks that exchange heads are neighbours.
TEST(Layout, DividesContextParallelRanksIntoNeighboursAndRings) {
  const Layout layout{.tp = 2, .cp = 6, .cp_a2a = 2};
  EXPECT_EQ(groups(layout, Axis::cp), (Groups{{0, 2, 4, 6, 8, 10}, {1, 3, 5, 7, 9, 11}}));
  EXPECT_EQ(groups(layout, Axis::cp_a2a),
            (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}}));
  EXPECT_EQ(groups(layout, Axis::cp_p2p), (Groups{{0, 4, 8}, {1, 5, 9}, {2, 6, 10}, {3, 7, 11}}));
}

TEST(Layout, CarvesExpertsOutOfDataAndTensorParallelRanks) {
  const Layout layout{.tp = 2, .ep = 4, .etp = 1, .dp = 4, .pp = 2};
  EXPECT_EQ(ranks(layout), 16);
  EXPECT_EQ(expert_dp(layout), 2);
  EXPECT_EQ(groups(layout, Axis::ep),
            (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}}));
  EXPECT_EQ(groups(layout, Axis::edp),
            (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}, {8, 12}, {9, 13}, {10, 14}, {11, 15}}));
}

TEST(Layout, DividesExpertsByTpUnlessToldOtherwise) {
  const Layout layout{.tp = 2, .ep = 2, .dp = 4};
  EXPECT_EQ(groups(layout, Axis::etp), (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(groups(layout, Axis::ep), (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(groups(layout, Axis::etp_ep), (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}}));
}

TEST(Layout, RefusesExpertsThatTheStageCannotHold) {
  EXPECT_THROW(expert_dp({.ep = 3, .dp = 4}), UserError);
}

TEST(Layout, FollowsTheOrderThatIsAskedFor) {
  using enum Dimension;
  const Layout layout{.tp = 2, .dp = 2, .pp = 2, .order = {tp, cp, ep, pp, dp}};  // Llama 3
  EXPECT_EQ(groups(layout, Axis::pp), (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(groups(layout, Axis::dp), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
}

TEST(Layout, PutsShardsNextToEachOtherAndReplicasOutside) {
  const Layout layout{.cp = 2, .dp = 4, .replicas = 2};
  EXPECT_EQ(groups(layout, Axis::dp_shard_cp), (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(groups(layout, Axis::dp_replicate), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  const Layout experts{.ep = 2, .dp = 8, .replicas = 2};
  EXPECT_EQ(groups(experts, Axis::edp_shard), (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(groups(experts, Axis::edp_replicate), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
}

TEST(Layout, JoinsFirstAndLastStageByTheTiedEmbedding) {
  const Layout layout{.tp = 2, .pp = 3};
  EXPECT_EQ(groups(layout, Axis::embedding), (Groups{{0, 4}, {1, 5}, {2}, {3}}));
  EXPECT_EQ(size_of(layout, Axis::embedding), 2);
  EXPECT_EQ(groups({.tp = 2}, Axis::embedding), (Groups{{0}, {1}}));
}

TEST(Layout, SaysWhichGroupsCrossNodes) {
  const Layout layout{.tp = 2, .dp = 2, .pp = 2};
  EXPECT_EQ(nodes_of(group(layout, Axis::dp, 5), 4), std::vector<int>{1});
  EXPECT_EQ(nodes_of(group(layout, Axis::pp, 5), 4), (std::vector<int>{0, 1}));
  EXPECT_EQ(nodes_of(group(layout, Axis::world, 0), 3), (std::vector<int>{0, 1, 2}));
}

/// Every axis of every order, in a layout where all degrees differ from 1.
class EveryOrder : public testing::TestWithParam<Order> {
 protected:
  Layout layout_{.tp = 2, .cp = 4, .cp_a2a = 2, .ep = 4, .etp = 1, .dp = 6, .replicas = 3, .pp = 2};
  EveryOrder() { layout_.order = GetParam(); }
};

TEST_P(EveryOrder, PutsEachRankInOneGroupOfEachAxis) {
  for (const AxisRow& row : kAxes) {
    std::vector<int> times(96);
    for (const std::vector<int>& group : groups(layout_, row.axis)) {
      if (row.axis != Axis::embedding) {
        EXPECT_EQ(group.size(), size_of(layout_, row.axis)) << row.name;
      }
      for (const int rank : group) ++times[static_cast<std::size_t>(rank)];
    }
    EXPECT_EQ(times, std::vector<int>(96, 1)) << row.name;
  }
}

TEST_P(EveryOrder, FindsARankByItsCoordinates) {
  for (int rank = 0; rank < ranks(layout_); ++rank) {
    const Coordinates at = coordinates_of(layout_, rank);
    EXPECT_EQ(rank_of(layout_, at.tp, at.cp, at.dp, at.pp), rank);
    EXPECT_EQ(group(layout_, Axis::tp, rank)[static_cast<std::size_t>(at.tp)], rank);
    EXPECT_EQ(group(layout_, Axis::edp, rank)[static_cast<std::size_t>(at.edp)], rank);
  }
}

using enum Dimension;
INSTANTIATE_TEST_SUITE_P(Layout, EveryOrder,
                         testing::Values(kMegatronOrder, Order{tp, cp, ep, pp, dp},
                                         Order{pp, dp, ep, cp, tp}, Order{dp, tp, pp, ep, cp}));

}  // namespace
}  // namespace collbench::model
