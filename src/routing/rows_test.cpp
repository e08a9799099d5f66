// SPDX-License-Identifier: Apache-2.0
#include "routing/rows.h"

#include <gtest/gtest.h>

#include "model/routing.h"

namespace collbench::routing {
namespace {

/// A layer of DeepSeek-V3 with 4096 tokens per rank, without its groups.
Shape deepseek(int ranks) {
  return {.ranks = ranks, .experts = 256, .per_token = 8, .tokens = 4096, .groups = {}};
}

Rows drawn(const char* text, const Shape& shape, std::uint64_t layer = 0) {
  return drawn_rows(parse_routing_spec(text, "--routing"), shape, layer, 0);
}

// 4 ranks on 2 nodes, 2 experts each; rank 0 has two tokens, the others one.
const Shape kSmall = {
    .ranks = 4, .experts = 8, .per_token = 3, .tokens = 2, .groups = {}, .ranks_per_node = 2};

Rows small(std::optional<Count> capacity) {
  Tally tally(kSmall, capacity);
  tally.add({3, {0, 1, 4, 7, 6, 0}});
  for (int rank = 1; rank < 4; ++rank) tally.add({3, {2, 3, 4}});
  return tally.rows();
}

Matrix matrix(const std::vector<std::vector<std::uint64_t>>& rows) {
  Matrix matrix(static_cast<int>(rows.size()));
  for (int from = 0; from < matrix.ranks(); ++from) {
    for (int to = 0; to < matrix.ranks(); ++to) {
      matrix.at(from, to) = rows[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
    }
  }
  return matrix;
}

TEST(Rows, AreCountedOnceForEachExpertRankAndNode) {
  const Rows rows = small({});
  EXPECT_EQ(rows.chosen, rows.kept);
  EXPECT_EQ(rows.chosen.at(0, 0), 2U);
  EXPECT_EQ(rows.chosen.loads(), (std::vector<std::uint64_t>{2, 1, 3, 3, 4, 0, 1, 1}));
  EXPECT_EQ(copies(rows.kept), matrix({{3, 0, 1, 2}, {0, 2, 1, 0}, {0, 2, 1, 0}, {0, 2, 1, 0}}));
  ASSERT_TRUE(rows.deduplicated);
  EXPECT_EQ(rows.deduplicated->per_rank,
            matrix({{2, 0, 1, 1}, {0, 1, 1, 0}, {0, 1, 1, 0}, {0, 1, 1, 0}}));
  // To rank 0 or 2 of a node from ranks 0 and 2, to rank 1 or 3 from ranks 1 and 3.
  EXPECT_EQ(rows.deduplicated->per_node,
            matrix({{2, 0, 2, 0}, {0, 1, 0, 1}, {1, 0, 1, 0}, {0, 1, 0, 1}}));
  EXPECT_EQ(rows.deduplicated->fan_out,
            matrix({{2, 1, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 1}, {0, 0, 2, 0}}));
}

TEST(Rows, BeyondTheCapacityAreDroppedFromTheLastTokensOn) {
  const Rows rows = small(1);
  EXPECT_EQ(rows.chosen, small({}).chosen);
  EXPECT_EQ(rows.kept.at(0, 0), 1U);  // the second token wanted it too
  EXPECT_EQ(rows.kept.total(), rows.chosen.total() - 1);
  EXPECT_EQ(rows.deduplicated->per_rank.at(0, 0), 1U);
  EXPECT_EQ(rows.deduplicated->per_node.at(0, 0), 1U);
  EXPECT_EQ(padded_copies(kSmall, 1),
            matrix({{2, 2, 2, 2}, {2, 2, 2, 2}, {2, 2, 2, 2}, {2, 2, 2, 2}}));
}

TEST(Rows, AddUpWithACapacity) {
  Shape shape = deepseek(8);
  shape.tokens = 1000;
  EXPECT_EQ(capacity_rows(shape, 1.25), 40U);  // of 39.0625
  EXPECT_EQ(capacity_rows(shape, 1), 32U);     // of 31.25
  const Rows rows = drawn("zipf:1,capacity:1.25", shape);
  EXPECT_EQ(rows.capacity, 40U);
  EXPECT_EQ(rows.chosen.total(), 8U * 1000 * 8);
  std::uint64_t padded = 0;
  for (int rank = 0; rank < 8; ++rank) {
    for (int expert = 0; expert < 256; ++expert) {
      ASSERT_EQ(rows.kept.at(rank, expert),
                std::min<std::uint64_t>(rows.chosen.at(rank, expert), 40));
      padded += 40 - rows.kept.at(rank, expert);
    }
  }
  EXPECT_EQ(rows.kept.total() + padded, all_rows(padded_copies(shape, 40)));
  EXPECT_EQ(all_rows(padded_copies(shape, 40)), 8U * 40 * 256);
}

TEST(Rows, OfBalancedTokensAreTheClosedFormExactly) {
  for (const int ranks : {2, 8, 64}) {
    const Shape shape = deepseek(ranks);
    const Matrix rows = copies(drawn("balanced", shape).kept);
    const auto e = static_cast<std::uint64_t>(ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(rows.sent_by(rank) - rows.at(rank, rank), 4096 * 8 * (e - 1) / e);
    }
    EXPECT_EQ(traffic::max_over_mean(rows), 1);
  }
}

TEST(Rows, AreAsManyAsDeepEpCounts) {
  // 4096 tokens on 8 ranks reach 5.295 of them: 21.7 thousand rows.
  const Rows rows = drawn("uniform", deepseek(8));
  for (int rank = 0; rank < 8; ++rank) {
    const auto sent = static_cast<double>(rows.deduplicated->per_rank.sent_by(rank));
    EXPECT_NEAR(sent, 21.7e3, 0.01 * 21.7e3);
    EXPECT_NEAR(sent / 4096, model::expected_groups(256, 8, 8), 0.01 * 5.295);
  }
}

TEST(Rows, ReachTheExpectedNodes) {
  for (const int nodes : {2, 4, 8}) {
    Shape shape = deepseek(8 * nodes);
    shape.tokens = 1024;
    shape.ranks_per_node = 8;
    const Rows rows = drawn("uniform", shape);
    const double tokens = 1024.0 * shape.ranks;
    EXPECT_NEAR(static_cast<double>(all_rows(rows.deduplicated->per_node)) / tokens,
                model::expected_groups(256, 8, nodes), 0.05);
    // What goes once to a node goes on to each of its ranks.
    EXPECT_EQ(all_rows(rows.deduplicated->fan_out), all_rows(rows.deduplicated->per_rank));
  }
}

TEST(Rows, OfLimitedTokensReachNoMoreNodesThanGroups) {
  Shape shape = deepseek(64);
  shape.tokens = 256;
  shape.ranks_per_node = 8;
  shape.groups = {8, 4};
  const Rows rows = drawn("uniform", shape);
  for (int rank = 0; rank < 64; ++rank) {
    EXPECT_LE(rows.deduplicated->per_node.sent_by(rank), 4U * 256);
    EXPECT_GT(rows.deduplicated->per_node.sent_by(rank), 3U * 256);
  }
}

TEST(Rows, AreTheSameOnEveryPlatform) {
  const auto digest_of = [](const char* text, Shape shape) {
    shape.tokens = 512;
    return traffic::digest(copies(drawn(text, shape, 5).kept));
  };
  Shape limited = deepseek(16);
  limited.groups = {8, 4};
  EXPECT_EQ(digest_of("uniform", deepseek(16)), "d5348678cc654096");
  EXPECT_EQ(digest_of("zipf:1.2,seed:7", deepseek(16)), "90a6f427b843dbfb");
  EXPECT_EQ(digest_of("lognormal:1", deepseek(16)), "fc710fe087c5cfda");
  EXPECT_EQ(digest_of("hot:0.3", deepseek(16)), "e2f124b70c05db0e");
  EXPECT_EQ(digest_of("zipf:0.5", limited), "a3414479622cf34f");
}

TEST(Rows, OfDealtTokensAreTheSameOnEveryPlatform) {
  const auto digest_of = [](const Shape& shape) {
    return traffic::digest(drawn("balanced", shape).deduplicated->per_rank);
  };
  Shape shape = {.ranks = 5, .experts = 30, .per_token = 4, .tokens = 101, .groups = {}};
  EXPECT_EQ(digest_of(shape), "94fdcadccd2e2fca");
  shape.groups = {5, 2};
  EXPECT_EQ(digest_of(shape), "5dc6f2101c7f2299");
}

TEST(Rows, InBytesStayOrMove) {
  const Matrix rows = matrix({{5, 2}, {1, 7}});
  EXPECT_EQ(all_rows(rows), 15U);
  EXPECT_EQ(moved_rows(rows), 3U);
  EXPECT_EQ(in_bytes(rows, model::float8_row_bytes(7168)),
            matrix({{5 * 7392, 2 * 7392}, {7392, 7 * 7392}}));
}

}  // namespace
}  // namespace collbench::routing
