// SPDX-License-Identifier: Apache-2.0
#include "traffic/traffic.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace collbench::traffic {
namespace {

// Worked by hand from nccl-tests' doc/PERFORMANCE.md and the bandwidths of its sources.
struct Factors {
  Traffic row;
  double of_2, of_3, of_8;
};
const Factors kByHand[] = {
    {all_reduce, 1.0, 4.0 / 3, 1.75},
    {all_gather, 0.5, 2.0 / 3, 0.875},
    {reduce_scatter, 0.5, 2.0 / 3, 0.875},
    {alltoall, 0.5, 2.0 / 3, 0.875},
    {alltoallv, 0.5, 2.0 / 3, 0.875},
    {broadcast, 1, 1, 1},
    {reduce, 1, 1, 1},
    {gather, 0.5, 2.0 / 3, 0.875},
    {scatter, 0.5, 2.0 / 3, 0.875},
    {sendrecv, 1, 1, 1},
    {hypercube, 0.5, 2.0 / 3, 0.875},
};

TEST(Traffic, BusFactors) {
  ASSERT_EQ(std::size(kByHand), kAll.size());
  for (const Factors& f : kByHand) {
    EXPECT_DOUBLE_EQ(f.row.bus_factor(2), f.of_2) << f.row.name;
    EXPECT_DOUBLE_EQ(f.row.bus_factor(3), f.of_3) << f.row.name;
    EXPECT_DOUBLE_EQ(f.row.bus_factor(8), f.of_8) << f.row.name;
  }
}

TEST(Traffic, OneRankCrossesNoLinkAndWaitsForNobody) {
  for (const Traffic& row : kAll) {
    EXPECT_EQ(row.bus_factor(1), 0.0) << row.name;
    EXPECT_EQ(row.rounds(1), 0) << row.name;
  }
}

// In a ring, or with one partner after the other, a rank moves one block of S/n in each round: so
// S * rounds / n bytes cross its link.
TEST(Traffic, TheBusFactorOfASharedMessageIsABlockPerRound) {
  for (const Traffic& row :
       {all_reduce, all_gather, reduce_scatter, alltoall, alltoallv, gather, scatter}) {
    for (const int n : {2, 3, 4, 7, 8, 64}) {
      EXPECT_DOUBLE_EQ(row.bus_factor(n), static_cast<double>(row.rounds(n)) / n) << row.name;
    }
  }
}

// Down a chain every rank passes the whole message on, piece by piece: S, with n-1 hops.
TEST(Traffic, AChainMovesTheWholeMessage) {
  for (const Traffic& row : {broadcast, reduce}) {
    for (const int n : {2, 3, 8}) {
      EXPECT_EQ(row.bus_factor(n), 1) << row.name;
      EXPECT_EQ(row.rounds(n), n - 1) << row.name;
    }
  }
  EXPECT_EQ(sendrecv.rounds(8), 1);
}

TEST(Traffic, AHypercubeDoublesWhatIsExchanged) {
  for (const int n : {2, 4, 8, 1024}) {
    int blocks = 0;
    for (int step = 0; step < hypercube.rounds(n); ++step) blocks += 1 << step;
    EXPECT_DOUBLE_EQ(hypercube.bus_factor(n), static_cast<double>(blocks) / n);
  }
  EXPECT_EQ(hypercube.rounds(1024), 10);
}

TEST(Traffic, AllReduceIsAReduceScatterAndAnAllGather) {
  for (const int n : {2, 3, 8}) {
    EXPECT_DOUBLE_EQ(all_reduce.bus_factor(n),
                     reduce_scatter.bus_factor(n) + all_gather.bus_factor(n));
  }
}

TEST(Traffic, RowsStandInTheOrderOfTheEnumUnderNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kAll.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kAll[i].collective), i);
    EXPECT_TRUE(names.insert(kAll[i].name).second) << kAll[i].name;
    EXPECT_FALSE(kAll[i].summary.empty());
  }
}

// A block of the other buffer needs another buffer that has one block per rank.
TEST(Traffic, PlacesInPlaceFitTheBuffers) {
  for (const Traffic& row : kAll) {
    if (row.in_place == InPlace::same_buffer) {
      EXPECT_EQ(row.send, row.recv) << row.name;
    }
    if (row.in_place == InPlace::send_is_block_of_recv) {
      EXPECT_TRUE(row.send == Blocks::one && row.recv == Blocks::one_per_rank) << row.name;
    }
    if (row.in_place == InPlace::recv_is_block_of_send) {
      EXPECT_TRUE(row.send == Blocks::one_per_rank && row.recv == Blocks::one) << row.name;
    }
  }
}

}  // namespace
}  // namespace collbench::traffic
