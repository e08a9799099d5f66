// SPDX-License-Identifier: Apache-2.0
// The counts of tokens that ranks send each other are checked by value, and faults on the way of
// tokens are seen.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "replay/interpreter.h"
#include "replay/scheme_cases.h"

namespace collbench::replay {
namespace {

using Lines = std::vector<std::string>;

plan::Plan plan_of_experts(const std::string& routing, int experts = 8) {
  plan::Case c{"", plan::layout_of(1, 1, 4, 1), tiny_step(2), {}, tiny_mixture()};
  c.model.experts->routed = experts;
  c.layout.ep = 4;
  c.scheme.experts.routing.spec = routing::parse_routing_spec(routing, "--routing");
  return plan::training_step("x", c.model, c.layout, c.step, c.scheme);
}

/// What one faulty step finds.
Lines faults_with(const plan::Plan& plan, Interpreter::Fault fault) {
  Interpreter interpreter(plan, std::move(fault));
  return interpreter.run(contents_of_all(plan, 1));
}

bool is_counts(const Call& call) {
  return call.kind == CallKind::all_gather && call.type == DataType::int64;
}

bool is_tokens(const Call& call) {
  return call.kind == CallKind::all_to_all_v && call.type == DataType::bfloat16;
}

// Read as a rank would read them: how many rows it sends to whom follows.
TEST(TokenCounts, SayHowManyRowsFollow) {
  for (const int experts : {8, 1024}) {  // tables of more than one tile
    const plan::Plan plan = plan_of_experts("zipf:1,seed:3", experts);
    std::vector<std::vector<Count>> sent(4);  // by rank, the latest
    int compared = 0;
    const Lines wrong = faults_with(plan, [&](int rank, Call& call) {
      const auto r = static_cast<std::size_t>(rank);
      if (is_counts(call)) {
        std::vector<std::int64_t> counts(call.count);
        std::memcpy(counts.data(), call.send, call.count * sizeof(std::int64_t));
        const auto each = static_cast<std::ptrdiff_t>(counts.size() / 4);
        sent[r].clear();
        for (auto first = counts.begin(); first != counts.end(); first += each) {
          sent[r].push_back(
              static_cast<Count>(std::accumulate(first, first + each, std::int64_t{0})));
        }
      }
      const bool is_dispatch = is_tokens(call) && !sent[r].empty();
      if (!is_dispatch) return;
      ASSERT_EQ(call.counts->send.size(), sent[r].size());
      for (std::size_t to = 0; to < 4; ++to) {
        EXPECT_EQ(call.counts->send[to], sent[r][to] * 32);  // the width of a token
      }
      sent[r].clear();
      ++compared;
    });
    EXPECT_EQ(wrong, Lines{});
    EXPECT_EQ(compared, 4 * 2 * 2);  // ranks, layers with experts, micro-batches
  }
}

// Another number of tokens than was drawn, for one expert.
TEST(TokenCounts, ThatAreWrongAreSeen) {
  const plan::Plan plan = plan_of_experts("zipf:1,seed:3");
  const Lines wrong = faults_with(plan, [done = false](int rank, Call& call) mutable {
    if (done || rank != 2 || !is_counts(call)) return;
    std::int64_t count = 0;
    std::byte* at = const_cast<std::byte*>(static_cast<const std::byte*>(call.send)) + 3 * 8;
    std::memcpy(&count, at, sizeof count);
    ++count;
    std::memcpy(at, &count, sizeof count);
    done = true;
  });
  ASSERT_EQ(wrong.size(), 4u);  // on every rank
  for (const std::string& line : wrong) {
    EXPECT_NE(line.find("experts] slot token counts gathered byte 152: 1 of 8 wrong"),
              std::string::npos)
        << line;
  }
}

/// The last row comes first, so that all rows are where others belong.
void rotate_rows(std::byte* rows, Count count, Bytes row) {
  std::rotate(rows, rows + (count - 1) * row, rows + count * row);
}

// One rank's tokens are sent in the places of their neighbours.
TEST(TokenCounts, TokensThatGoAstrayAreSeen) {
  const plan::Plan plan = plan_of_experts("zipf:1,seed:3");
  for (const bool back : {false, true}) {
    int seen = 0;
    const Lines wrong = faults_with(plan, [&](int rank, Call& call) {
      if (rank != 1 || !is_tokens(call) || seen++ != (back ? 1 : 0)) return;
      Count elements = 0;
      for (const Count of_peer : call.counts->send) elements += of_peer;
      rotate_rows(const_cast<std::byte*>(static_cast<const std::byte*>(call.send)), elements / 32,
                  32 * 2);
    });
    ASSERT_FALSE(wrong.empty());
    const char* slot = back ? "slot expert outputs byte" : "slot routed tokens arrived byte";
    EXPECT_NE(wrong.front().find(slot), std::string::npos) << wrong.front();
  }
}

}  // namespace
}  // namespace collbench::replay
