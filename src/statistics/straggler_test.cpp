// SPDX-License-Identifier: Apache-2.0
#include "statistics/straggler.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace collbench::statistics {
namespace {

using Counts = std::vector<std::uint64_t>;

TEST(Straggler, MatchesAWorkedExample) {
  const auto found = find_straggler(Counts{0, 5, 0, 0});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 1U);
  EXPECT_EQ(found->last_count, 5U);
  EXPECT_EQ(found->by_chance, 1.25);
  EXPECT_NEAR(found->probability, 4.0 / 1024, 1e-12);  // four ranks, each (1/4)^5
}

TEST(Straggler, OneRankAndNoSamplesHaveNone) {
  EXPECT_FALSE(find_straggler(Counts{7}));
  EXPECT_FALSE(find_straggler(Counts{0, 0}));
  EXPECT_FALSE(find_straggler(Counts{}));
}

TEST(Straggler, EqualRanksAreRarelySuspectedAndASlowOneIsFound) {
  std::mt19937_64 random(5);
  int suspected = 0;
  int found = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    Counts counts(8);
    for (int sample = 0; sample < 40; ++sample) ++counts[random() % 8];
    suspected += find_straggler(counts)->probability < 0.01;
    for (int sample = 0; sample < 20; ++sample) ++counts[3];
    found += find_straggler(counts)->probability < 0.01 && find_straggler(counts)->rank == 3;
  }
  EXPECT_LE(suspected, 30);  // at most 1 % expected
  EXPECT_GT(found, 1980);
}

}  // namespace
}  // namespace collbench::statistics
