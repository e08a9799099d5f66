// SPDX-License-Identifier: Apache-2.0
// Every token reaches the experts that it chose, and comes back once: what a plan says of numbers
// and ways of rows, held against the choices token by token, which are drawn here once more.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "plan/exact_schemes.h"
#include "routing/draw.h"

namespace collbench::plan {
namespace {

constexpr int kRanks = 4, kExperts = 16, kOfRank = kExperts / kRanks, kPerToken = 4;
constexpr Count kTokens = 1024;  // of a rank

Plan plan_of(const std::string& words) {
  model::Model model = small_model();
  model.layers = 2;
  model.experts = {.routed = kExperts, .per_token = kPerToken, .ffn = 512};
  model::Layout layout = layout_of(1, 1, kRanks, 1);
  layout.ep = kRanks;
  Scheme scheme;
  scheme.experts.routing.spec = routing::parse_routing_spec(words, "--routing");
  return training_step("x", model, layout, step_of(1), scheme);
}

/// A copy of a token on its way to one of its experts.
struct Row {
  int rank;
  std::size_t token;
  int expert;
  auto operator<=>(const Row&) const = default;
};

/// A rank's own, in the order in which they are sent: by expert, then by token.
std::vector<Row> routed(const std::string& words, int layer, int rank) {
  const routing::RoutingSpec spec = routing::parse_routing_spec(words, "--routing");
  const routing::Shape shape = {.ranks = kRanks,
                                .experts = kExperts,
                                .per_token = kPerToken,
                                .tokens = kTokens,
                                .groups = spec.groups.value_or(routing::GroupLimit{})};
  const routing::Choices choices =
      routing::Drawing(spec, shape, static_cast<std::uint64_t>(layer), 0).of_rank(rank);
  std::vector<Row> rows;
  for (std::size_t token = 0; token < choices.tokens(); ++token) {
    for (const std::uint16_t expert : choices.of(token)) rows.push_back({rank, token, expert});
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::tie(a.expert, a.token) < std::tie(b.expert, b.token);
  });
  return rows;
}

using AllRows = std::vector<std::vector<Row>>;  // by rank

/// Blocks by the numbers of a matrix, as an all-to-all moves them.
AllRows moved(const AllRows& rows, const traffic::Matrix& matrix) {
  AllRows got(rows.size());
  for (int from = 0; from < matrix.ranks(); ++from) {
    const std::vector<Row>& own = rows[static_cast<std::size_t>(from)];
    auto first = own.begin();
    for (int to = 0; to < matrix.ranks(); ++to) {
      const auto last = first + static_cast<std::ptrdiff_t>(matrix.at(from, to));
      got[static_cast<std::size_t>(to)].insert(got[static_cast<std::size_t>(to)].end(), first,
                                               last);
      first = last;
    }
    EXPECT_TRUE(first == own.end()) << "rows of rank " << from << " that nobody gets";
  }
  return got;
}

const Op& op_named(const RankClass& ranks, const std::string& label) {
  return ranks.ops.at(
      static_cast<std::size_t>(std::find_if(ranks.ops.begin(), ranks.ops.end(),
                                            [&](const Op& op) { return op.label == label; }) -
                               ranks.ops.begin()));
}

const traffic::Matrix& matrix_of(const Plan& plan, const std::string& label) {
  return plan.matrices.at(op_named(plan.classes.front(), label).messages.front().matrix);
}

std::vector<Count> counted(const std::vector<Row>& rows) {
  std::vector<Count> counts(kExperts, 0);
  for (const Row& row : rows) ++counts[static_cast<std::size_t>(row.expert)];
  return counts;
}

class TokenWays : public ::testing::TestWithParam<const char*> {};

TEST_P(TokenWays, LeadToTheExpertsThatWereChosenAndBack) {
  const Plan plan = plan_of(GetParam());
  for (int layer = 0; layer < 2; ++layer) {
    SCOPED_TRACE(layer);
    const std::string where = fmt::format("layer {} ", layer);
    AllRows sent;
    for (int rank = 0; rank < kRanks; ++rank) sent.push_back(routed(GetParam(), layer, rank));
    const AllRows arrived = moved(sent, matrix_of(plan, "F0 " + where + "dispatch routed tokens"));
    for (std::size_t rank = 0; rank < kRanks; ++rank) {
      for (const Row& row : arrived[rank]) {
        ASSERT_EQ(static_cast<std::size_t>(row.expert / kOfRank), rank);
      }
    }
    for (const char* back : {"F0 {}combine expert outputs", "B0 {}combine routed token gradients",
                             "B0 {}combine probability gradients"}) {
      EXPECT_EQ(moved(arrived, matrix_of(plan, fmt::format(fmt::runtime(back), where))), sent);
    }
    for (const char* there :
         {"F0 {}dispatch probabilities", "B0 {}dispatch expert output gradients"}) {
      EXPECT_EQ(moved(sent, matrix_of(plan, fmt::format(fmt::runtime(there), where))), arrived);
    }
  }
}

// What ranks tell each other, and what each expert works on.
TEST_P(TokenWays, AreCountedAsTheyAre) {
  const Plan plan = plan_of(GetParam());
  for (int layer = 0; layer < 2; ++layer) {
    std::vector<Count> loads(kExperts, 0);
    for (int rank = 0; rank < kRanks; ++rank) {
      const RankClass& ranks = plan.classes.at(static_cast<std::size_t>(rank));
      const auto known =
          op_named(ranks, fmt::format("F0 layer {} experts own tokens", layer)).known;
      ASSERT_TRUE(known);
      EXPECT_EQ(ranks.slots[known->slot].name, "token counts");
      const std::vector<Count> counts = counted(routed(GetParam(), layer, rank));
      EXPECT_EQ(plan.tables.at(known->table), counts);
      for (std::size_t e = 0; e < kExperts; ++e) loads[e] += counts[e];
    }
    for (int rank = 0; rank < kRanks; ++rank) {
      std::vector<Count> products;
      const RankClass& ranks = plan.classes[static_cast<std::size_t>(rank)];
      for (const Gemm& gemm :
           op_named(ranks, fmt::format("B0 layer {} experts row inputs", layer)).gemms) {
        products.insert(products.end(), gemm.times, gemm.m);
      }
      const auto first = loads.begin() + rank * kOfRank;
      std::vector<Count> chosen(first, first + kOfRank);
      std::erase(chosen, 0u);
      EXPECT_EQ(products, chosen);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Routings, TokenWays,
                         ::testing::Values("uniform", "zipf:1.2,seed:7", "lognormal:1",
                                           "hot:1,seed:2", "zipf:1,groups:4/2"));

// As the rows of its even messages, of whatever tokens.
TEST(TokenCounts, OfBalancedRoutingAreAlike) {
  const Plan plan = plan_of("balanced");
  ASSERT_EQ(plan.tables.size(), 1u);
  EXPECT_EQ(plan.tables.front(), std::vector<Count>(kExperts, kTokens * kPerToken / kExperts));
}

TEST(TokenCounts, AreNotSentWithACapacity) {
  const Plan plan = plan_of("zipf:1,capacity:1.25");
  EXPECT_TRUE(plan.tables.empty());
  for (const Op& op : plan.classes.front().ops) EXPECT_FALSE(op.known) << op.label;
}

}  // namespace
}  // namespace collbench::plan
