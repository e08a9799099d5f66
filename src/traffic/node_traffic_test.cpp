// SPDX-License-Identifier: Apache-2.0
#include "traffic/node_traffic.h"

#include <gtest/gtest.h>

#include <vector>

namespace collbench::traffic {
namespace {

/// So many ranks on each of so many nodes, one node after the other.
std::vector<int> in_order(int nodes, int ranks_per_node) {
  std::vector<int> all;
  for (int node = 0; node < nodes; ++node) all.insert(all.end(), ranks_per_node, node);
  return all;
}

TEST(NodeTraffic, OfTwoNodesOfFourRanksByHand) {
  const auto of = [](const Traffic& row) { return node_factor(row, in_order(2, 4)); };
  EXPECT_EQ(of(all_reduce), 1);        // half of the sums from the other node, and half to it
  EXPECT_EQ(of(all_gather), 0.5);      // 4 of 8 blocks
  EXPECT_EQ(of(reduce_scatter), 0.5);  // likewise
  EXPECT_EQ(of(alltoall), 2);          // each of 4 ranks sends 4 of 8 blocks away
  EXPECT_EQ(of(broadcast), 1);
  EXPECT_EQ(of(reduce), 1);
  EXPECT_EQ(of(gather), 0.5);
  EXPECT_EQ(of(scatter), 0.5);
  EXPECT_EQ(of(sendrecv), 1);  // rank 3 to rank 4, and 7 to 0
  EXPECT_EQ(of(hypercube),
            2);  // only the last of three steps, of 4 of 8 blocks, of each of 4 ranks
  EXPECT_EQ(of(alltoallv), std::nullopt);
}

// 377 GB/s of bus bandwidth on 4 nodes of 8 GPUs are 36.5 GB/s of each of 8 NICs.
TEST(NodeTraffic, OfAPublishedAllReduce) {
  const double algorithm_GBps = 377 / all_reduce.bus_factor(32);
  const double of_nic_GBps = algorithm_GBps * *node_factor(all_reduce, in_order(4, 8)) / 8;
  EXPECT_NEAR(of_nic_GBps, 36.5, 0.05);
  EXPECT_NEAR(of_nic_GBps, 377.0 * 3 / 31, 1e-9);
}

TEST(NodeTraffic, WhereRanksAreInTurnsEveryoneSendsAway) {
  const std::vector<int> in_turns = {0, 1, 0, 1};
  EXPECT_EQ(node_factor(sendrecv, in_turns), 2);
  EXPECT_EQ(node_factor(sendrecv, in_order(2, 2)), 1);
  EXPECT_EQ(node_factor(hypercube, in_turns), 0.5);  // the first step, of 1 of 4 blocks, of 2 ranks
  EXPECT_EQ(node_factor(hypercube, in_order(2, 2)), 1);
  EXPECT_EQ(node_factor(all_reduce, in_turns), node_factor(all_reduce, in_order(2, 2)));
}

TEST(NodeTraffic, OneNodeAndUnequalOnesHaveNone) {
  EXPECT_EQ(node_factor(all_reduce, in_order(1, 8)), std::nullopt);
  EXPECT_EQ(node_factor(all_reduce, std::vector<int>{0, 0, 0, 1}), std::nullopt);
}

}  // namespace
}  // namespace collbench::traffic
