// SPDX-License-Identifier: Apache-2.0
#include "app/run_environment.h"

#include <gtest/gtest.h>

namespace collbench {
namespace {

TEST(OversubscribedHosts, AreThoseWithMoreRanksThanCores) {
  Environment environment;
  environment.hosts.resize(2);
  environment.hosts[0].name = "alpha";
  environment.hosts[0].cores = 2;
  environment.hosts[1].name = "beta";
  environment.hosts[1].cores = 1;
  for (const int host : {0, 0, 1}) {
    RankFacts rank;
    rank.host = host;
    environment.ranks.push_back(rank);
  }
  EXPECT_TRUE(oversubscribed_hosts(environment).empty());
  environment.ranks[0].host = 1;
  EXPECT_EQ(oversubscribed_hosts(environment),
            (std::vector<std::string>{"2 ranks share 1 cores of beta"}));
}

}  // namespace
}  // namespace collbench
