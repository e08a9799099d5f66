// SPDX-License-Identifier: Apache-2.0
#include "results/copy_rows.h"

#include <gtest/gtest.h>

#include "results/example_document.h"
#include "results/operation_rows.h"
#include "results/table.h"

namespace collbench {
namespace {

// Three ranks on one host and two on the next, each with a GPU of its own.
Environment two_hosts() {
  Environment environment;
  for (const char* name : {"a", "b"}) {
    HostFacts host;
    host.name = name;
    environment.hosts.push_back(host);
  }
  for (int rank = 0; rank < 5; ++rank) {
    RankFacts facts;
    facts.rank = rank;
    facts.host = rank < 3 ? 0 : 1;
    facts.device_bus_id = "0" + std::to_string(rank);
    environment.ranks.push_back(facts);
  }
  return environment;
}

Record copied(const char* operation, Bytes bytes, std::vector<double> by_rank_s) {
  Record row = example::measured(false);
  row.key.collective = operation;
  row.key.mode = operation_modes::alone.name;
  row.key.message_bytes = bytes;
  row.timing->rank_median_s = std::move(by_rank_s);
  return row;
}

TEST(CopyRows, NamesOfCopiesBetweenPeersSayHowFarApart) {
  EXPECT_EQ(peer_copy_name(1, true), "peer_copy_1_access");
  EXPECT_EQ(peer_copy_name(12, false), "peer_copy_12_no_access");
  EXPECT_EQ(shift_of(peer_copy_name(12, false)), 12);
  for (const char* other : {"device_copy", "peer_copy_", "peer_copy_x_access", "peer_copy_3"}) {
    EXPECT_EQ(shift_of(other), std::nullopt) << other;
  }
}

TEST(CopyRows, PeersAreOfOneHost) {
  const Environment environment = two_hosts();
  EXPECT_EQ(ranks_by_host(environment), (std::vector<std::vector<int>>{{0, 1, 2}, {3, 4}}));
  EXPECT_EQ(peer_rank(environment, 0, 1), 1);
  EXPECT_EQ(peer_rank(environment, 2, 1), 0);
  EXPECT_EQ(peer_rank(environment, 2, 2), 1);
  EXPECT_EQ(peer_rank(environment, 4, 1), 3);
  EXPECT_EQ(who_copies(environment, "peer_copy_1_access", 2), "rank 2 to rank 0");
  EXPECT_EQ(who_copies(environment, "device_copy", 2), "rank 2");
}

// 2000 B in 2 us and in 1 us: 1 GB/s and 2.
TEST(CopyRows, TheSlowestIsNamedAtTheLargestSize) {
  Document document;
  document.environment = two_hosts();
  document.rows = {copied("device_copy", 1000, {9e-6, 1e-6, 1e-6, 1e-6, 1e-6}),
                   copied("device_copy", 2000, {1e-6, 1e-6, 1e-6, 1e-6, 2e-6}),
                   copied("peer_copy_1_access", 2000, {1e-6, 1e-6, 2e-6, 1e-6, 1e-6}),
                   copied("host_to_device_pinned", 2000, {1e-6, 1e-6, 1e-6, 1e-6, 1e-6})};
  EXPECT_EQ(slowest_copies(document),
            "# slowest of device_copy alone, 2000 B: rank 4 on b [04]: 1.00 GB/s (median of 5 "
            "ranks: 2.00)\n"
            "# slowest of peer_copy_1_access alone, 2000 B: rank 2 to rank 0 on a [02 to 00]: 1.00 "
            "GB/s (median of 5 ranks: 2.00)\n");
  document.config.mode = kModeOfEachRow;
  EXPECT_NE(table_footer(document).find("# slowest of device_copy alone"), std::string::npos);
}

TEST(CopyRows, OneRankHasNoSlowest) {
  Document document;
  document.environment = two_hosts();
  document.rows = {copied("device_copy", 1000, {1e-6})};
  EXPECT_EQ(slowest_copies(document), "");
}

}  // namespace
}  // namespace collbench
