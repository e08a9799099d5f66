// SPDX-License-Identifier: Apache-2.0
#include "routing/draw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/errors.h"
#include "routing/race.h"
#include "routing/rows.h"

namespace collbench::routing {
namespace {

/// A layer of DeepSeek-V3 with 4096 tokens per rank, without its groups.
Shape deepseek(int ranks) {
  return {.ranks = ranks, .experts = 256, .per_token = 8, .tokens = 4096, .groups = {}};
}

RoutingSpec spec_of(const char* text) { return parse_routing_spec(text, "--routing"); }

Choices drawn(const char* text, const Shape& shape, std::uint64_t layer = 0, int rank = 0) {
  return Drawing(spec_of(text), shape, layer, 0).of_rank(rank);
}

constexpr const char* kAll[] = {"balanced",
                                "uniform",
                                "zipf:1.2",
                                "zipf:10",
                                "lognormal:1",
                                "hot:0.3",
                                "hot:0",
                                "hot:1",
                                "zipf:1.2,groups:8/4",
                                "zipf:10,groups:8/4",
                                "balanced,groups:8/4"};

/// With the groups that the words have.
Shape limited(const char* text, Shape shape) {
  if (const auto groups = spec_of(text).groups) shape.groups = *groups;
  return shape;
}

TEST(Drawing, GivesEveryTokenDistinctExperts) {
  for (const char* text : kAll) {
    const Shape shape = limited(text, deepseek(8));
    const Choices choices = drawn(text, shape);
    ASSERT_EQ(choices.tokens(), shape.tokens) << text;
    for (std::size_t token = 0; token < choices.tokens(); ++token) {
      const auto experts = choices.of(token);
      const std::set<int> distinct(experts.begin(), experts.end());
      ASSERT_EQ(distinct.size(), 8U) << text;
      ASSERT_LT(*distinct.rbegin(), 256) << text;
      std::set<int> groups;
      for (const int expert : distinct) groups.insert(expert / (256 / shape.groups.groups));
      ASSERT_LE(groups.size(), static_cast<std::size_t>(shape.groups.per_token)) << text;
    }
  }
}

TEST(Drawing, IsTheSameEachTimeAndNoOtherIs) {
  const Shape shape = deepseek(8);
  for (const char* text : {"balanced", "uniform", "zipf:1.2"}) {
    const RoutingSpec spec = spec_of(text);
    const Choices choices = Drawing(spec, shape, 3, 5).of_rank(2);
    EXPECT_EQ(choices, Drawing(spec, shape, 3, 5).of_rank(2)) << text;
    EXPECT_NE(choices, Drawing(spec, shape, 4, 5).of_rank(2)) << text;
    EXPECT_NE(choices, Drawing(spec, shape, 3, 6).of_rank(2)) << text;
    EXPECT_NE(choices, Drawing(spec, shape, 3, 5).of_rank(1)) << text;
    RoutingSpec other = spec;
    other.seed = 2;
    EXPECT_NE(choices, Drawing(other, shape, 3, 5).of_rank(2)) << text;
  }
}

/// How many of the tokens of 8 ranks have each expert, the most popular first.
std::vector<double> shares(const char* text, Shape shape) {
  const std::vector<std::uint64_t> loads =
      drawn_rows(spec_of(text), limited(text, shape), 0, 0).chosen.loads();
  std::vector<double> shares;
  for (const std::uint64_t load : loads) {
    shares.push_back(static_cast<double>(load) / (shape.ranks * static_cast<double>(shape.tokens)));
  }
  std::sort(shares.rbegin(), shares.rend());
  return shares;
}

TEST(Drawing, MeetsTheSharesOfItsWords) {
  // One expert per token: shares are the weights. Sampling of 32768 tokens: 4 deviations.
  Shape one = deepseek(8);
  one.per_token = 1;
  double sum = 0;
  for (int n = 1; n <= 256; ++n) sum += std::pow(n, -1.2);
  const std::vector<double> zipf = shares("zipf:1.2", one);
  EXPECT_NEAR(zipf[0], 1 / sum, 0.01);
  EXPECT_NEAR(zipf[1], std::pow(2, -1.2) / sum, 0.01);
  EXPECT_NEAR(zipf[9], std::pow(10, -1.2) / sum, 0.005);
  // Of the share of one of eight.
  EXPECT_NEAR(shares("hot:0.3", deepseek(8))[0], 0.3, 0.01);
  EXPECT_NEAR(shares("hot:0.9", deepseek(8))[0], 0.9, 0.01);
  EXPECT_DOUBLE_EQ(shares("hot:1", deepseek(8))[0], 1);
  EXPECT_NEAR(shares("hot:0.3", deepseek(8))[1], 7.7 / 255, 0.005);
  EXPECT_NEAR(shares("hot:0", deepseek(8))[255], 0, 1e-9);
  const std::vector<double> uniform = shares("uniform", deepseek(8));
  EXPECT_NEAR(uniform[0], 8.0 / 256, 0.004);
  EXPECT_NEAR(uniform[255], 8.0 / 256, 0.004);
}

/// Of experts of weights 1, 1/2 and 1/3 two are drawn: how often not the last.
constexpr double kLastIsMissing = (6.0 / 11) * (3.0 / 5) + (3.0 / 11) * (6.0 / 8);

TEST(Drawing, DrawsWithoutReplacement) {
  const Shape shape = {.ranks = 1, .experts = 3, .per_token = 2, .tokens = 65536, .groups = {}};
  EXPECT_NEAR(shares("zipf:1", shape)[2], 1 - kLastIsMissing, 0.01);
}

TEST(Race, OfAllGroupsIsAsDrawingOneByOne) {
  const std::vector<std::uint64_t> weights = {600, 300, 200};
  Race race({.experts = 3, .per_token = 2, .groups = {3, 3}}, weights);
  PortableRandom random(1);
  std::vector<std::uint16_t> experts;
  for (int token = 0; token < 65536; ++token) race.draw(random, experts);
  const auto last = std::count(experts.begin(), experts.end(), 2);
  EXPECT_NEAR(static_cast<double>(last) / 65536, 1 - kLastIsMissing, 0.01);
}

TEST(Race, PrefersTheGroupOfTheTwoBest) {
  // The best expert is in the first group, but only the second group has two good ones.
  const std::vector<std::uint64_t> weights = {3000, 1, 1000, 1000};
  Race race({.experts = 4, .per_token = 2, .groups = {2, 1}}, weights);
  PortableRandom random(1);
  std::vector<std::uint16_t> experts;
  for (int token = 0; token < 1000; ++token) race.draw(random, experts);
  EXPECT_GT(std::count(experts.begin(), experts.end(), 2), 950);
}

TEST(Race, OfGroupsOfOneIsAsDrawingOneByOne) {
  const std::vector<std::uint64_t> weights = {600, 300, 200};
  Race race({.experts = 3, .per_token = 2, .groups = {3, 2}}, weights);
  PortableRandom random(1);
  std::vector<std::uint16_t> experts;
  for (int token = 0; token < 65536; ++token) race.draw(random, experts);
  const auto last = std::count(experts.begin(), experts.end(), 2);
  EXPECT_NEAR(static_cast<double>(last) / 65536, 1 - kLastIsMissing, 0.01);
}

TEST(Race, UsesGroupsAlikeWhereExpertsAre) {
  const std::vector<double> uniform = shares("uniform,groups:8/4", deepseek(8));
  EXPECT_NEAR(uniform[0], 8.0 / 256, 0.004);
  EXPECT_NEAR(uniform[255], 8.0 / 256, 0.004);
}

TEST(Drawing, DealsBalancedTokensExactly) {
  for (const char* text : {"balanced", "balanced,groups:8/4"}) {
    const Rows rows = drawn_rows(spec_of(text), limited(text, deepseek(8)), 0, 0);
    for (int rank = 0; rank < 8; ++rank) {
      for (int expert = 0; expert < 256; ++expert) {
        ASSERT_EQ(rows.chosen.at(rank, expert), 4096U * 8 / 256) << text;
      }
    }
  }
  // Where the deck does not come out even: the whole numbers beside the mean.
  const Shape odd = {.ranks = 1, .experts = 10, .per_token = 3, .tokens = 77, .groups = {}};
  for (const std::uint64_t load : drawn_rows(spec_of("balanced"), odd, 0, 0).chosen.loads()) {
    EXPECT_GE(load, 23U);
    EXPECT_LE(load, 24U);
  }
}

TEST(Drawing, RefusesWhatCannotBeBalancedOrDrawn) {
  Shape shape = deepseek(8);
  shape.groups = {8, 3};
  EXPECT_THROW(Drawing(spec_of("balanced"), shape, 0, 0), UserError);
  EXPECT_THROW(Drawing(spec_of("file:x"), shape, 0, 0), std::logic_error);
}

}  // namespace
}  // namespace collbench::routing
