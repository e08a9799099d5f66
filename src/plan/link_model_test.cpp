// SPDX-License-Identifier: Apache-2.0
#include "plan/link_model.h"

#include <gtest/gtest.h>

#include "base/errors.h"

namespace collbench::plan {
namespace {

LinkModel cluster() {
  LinkModel links;
  links.ranks_per_node = 8;
  links.node = {2e-6, 400e9};
  links.network = {5e-6, 50e9};
  return links;
}

TEST(LinkModel, WhereAGroupIs) {
  const GroupPlace within = place_of(cluster(), {8, 9, 15});
  EXPECT_EQ(within.ranks, 3);
  EXPECT_EQ(within.nodes, 1);
  EXPECT_EQ(place_of(cluster(), {0, 8, 16}).nodes, 3);
}

// Rounds and factors by hand: 8 ranks, all-reduce, 14 rounds and 7/4.
TEST(LinkModel, WithinANode) {
  EXPECT_DOUBLE_EQ(collective_time(cluster(), Collective::all_reduce, {8, 1}, 400000000).total_s(),
                   14 * 2e-6 + 1.75e-3);
  EXPECT_DOUBLE_EQ(transfer_time(cluster(), true, 400000).total_s(), 2e-6 + 1e-6);
  EXPECT_EQ(collective_time(cluster(), Collective::all_reduce, {1, 1}, 1000).total_s(), 0);
}

TEST(LinkModel, AcrossNodesAGroupUsesTheLinksOfAllItsRanksOnANode) {
  const auto gather_s = [](GroupPlace group) {
    return collective_time(cluster(), Collective::all_gather, group, 16000000000).total_s();
  };
  EXPECT_DOUBLE_EQ(gather_s({16, 16}), 15 * 5e-6 + 15e9 / 50e9);
  EXPECT_DOUBLE_EQ(gather_s({16, 8}), 15 * 5e-6 + 15e9 / 100e9);
  EXPECT_DOUBLE_EQ(gather_s({16, 1}), 15 * 2e-6 + 15e9 / 400e9);
  LinkModel slow_node = cluster();
  slow_node.node.bandwidth_Bps = 60e9;  // it limits what two network links could carry
  EXPECT_DOUBLE_EQ(
      collective_time(slow_node, Collective::all_gather, {16, 8}, 16000000000).total_s(),
      15 * 5e-6 + 15e9 / 60e9);
}

TEST(LinkModel, AMeasurementCountsMoreThanTheLinks) {
  LinkModel links = cluster();
  links.measured = {{Collective::all_gather, 4, 1, 0, 10e-6, 100e9},
                    {Collective::all_gather, 4, 1, 1 << 20, 30e-6, 200e9},
                    {Collective::all_gather, 4, 2, 0, 1, 1}};
  EXPECT_DOUBLE_EQ(collective_time(links, Collective::all_gather, {4, 1}, 1000).total_s(),
                   10e-6 + 1e-8);
  EXPECT_DOUBLE_EQ(collective_time(links, Collective::all_gather, {4, 1}, 2 << 20).total_s(),
                   30e-6 + (2 << 20) / 200e9);
  // 7 rounds for 3, and 7/8 of the message for 3/4 of it.
  EXPECT_DOUBLE_EQ(collective_time(links, Collective::all_gather, {8, 1}, 1000).total_s(),
                   10e-6 * 7 / 3 + 1e-8 * (7.0 / 8) / (3.0 / 4));
}

TEST(MeasuredLinks, AreReadAsTheyAreWritten) {
  const MeasuredLink link{Collective::reduce_scatter, 16, 2, 65536, 12.5e-6, 230e9};
  const auto read = parse_measured_links("# fitted\n\n" + describe(link) + "  # 0.6 %\n", "f");
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(describe(read[0]), describe(link));
  EXPECT_EQ(describe(link),
            "reduce_scatter ranks 16 nodes 2 from_bytes 65536 latency_us 12.5 bandwidth_GBps 230");
}

TEST(MeasuredLinks, ABadLineIsNamed) {
  const auto complaint = [](const std::string& text) {
    try {
      parse_measured_links(text, "links.txt");
      return std::string("none");
    } catch (const UserError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(complaint("\nall_gather ranks 1"),
            "links.txt:2: ranks must be a number of at least 2, not '1'");
  EXPECT_EQ(complaint("all_gather rank 2"), "links.txt:1: expected ranks, found 'rank'");
  EXPECT_EQ(complaint("all_gather ranks 2 nodes"),
            "links.txt:1: nodes is missing; a line is as collbench fit writes it");
  const std::string line = "all_gather ranks 2 nodes 1 from_bytes 0 latency_us 1 bandwidth_GBps ";
  EXPECT_EQ(complaint(line + "5 6"), "links.txt:1: '6' is too much");
  EXPECT_NE(complaint(line + "0").find("at least 1e-06, not '0'"), std::string::npos);
  EXPECT_NE(complaint(line + "nan").find("not 'nan'"), std::string::npos);
  EXPECT_NE(complaint(line + "inf").find("not 'inf'"), std::string::npos);
  EXPECT_EQ(
      complaint("# nothing\n\n"),
      "links.txt: no link is described here; collbench fit writes such lines, from files of at "
      "least two sizes");
  EXPECT_NE(complaint("gather_all ranks 2").find("choose from all_reduce"), std::string::npos);
}

}  // namespace
}  // namespace collbench::plan
