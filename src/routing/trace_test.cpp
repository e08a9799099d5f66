// SPDX-License-Identifier: Apache-2.0
#include "routing/trace.h"

#include <gtest/gtest.h>

#include <string>

#include "base/errors.h"
#include "routing/routing.h"

namespace collbench::routing {
namespace {

constexpr const char* kText =
    "# what a run chose\n"
    "routing ranks 2 experts 4 per_token 2 tokens 3\n"
    "layer 3 tokens\n"
    "0 1\n"
    "0, 2\n"
    "\n"
    "3 0  # the last of rank 0\n"
    "2 3\n2 1\n2 0\n"
    "layer 4 counts\n"
    "3 1 0 2\n"
    "2 2 1 1\n";

const Shape kShape = {.ranks = 2, .experts = 4, .per_token = 2, .tokens = 3, .groups = {}};

std::string refusal(const std::string& text) {
  try {
    parse_trace(text, "FILE");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

std::string with(std::string text, const std::string& old, const std::string& other) {
  return text.replace(text.find(old), old.size(), other);
}

TEST(Trace, IsReadAndWritten) {
  const Trace trace = parse_trace(kText, "FILE");
  ASSERT_EQ(trace.layers.size(), 2U);
  EXPECT_EQ(trace.layers[0].choices[0], (Choices{2, {0, 1, 0, 2, 3, 0}}));
  EXPECT_EQ(trace.layers[1].counts[1], (std::vector<std::uint64_t>{2, 2, 1, 1}));
  EXPECT_EQ(parse_trace(to_text(trace), "again"), trace);
}

TEST(Trace, SaysInWhichLineItIsWrong) {
  const std::string text = kText;
  EXPECT_EQ(refusal(with(text, "0, 2", "0 4")), "FILE, line 5: '4' is no whole number from 0 to 3");
  EXPECT_EQ(refusal(with(text, "0, 2", "0")),
            "FILE, line 5: 1 word where the experts of a token has 2");
  EXPECT_EQ(refusal(with(text, "0, 2", "0 0")), "FILE, line 5: a token has expert 0 twice");
  EXPECT_EQ(refusal(with(text, "3 1 0 2", "3 1 0 3")),
            "FILE, line 12: the counts of a rank add up to 7, and its tokens choose 6");
  EXPECT_EQ(refusal(with(text, "3 1 0 2", "4 0 0 2")),
            "FILE, line 12: '4' is no whole number from 0 to 3");
  EXPECT_EQ(refusal(with(text, "layer 4", "layer 3")), "FILE, line 11: layer 3 came before");
  EXPECT_EQ(refusal(with(text, "counts", "sums")),
            "FILE, line 11: expected tokens or counts, found 'sums'");
  EXPECT_EQ(refusal(with(text, "ranks", "rank")), "FILE, line 2: expected ranks, found 'rank'");
  EXPECT_EQ(refusal(text + "1 1 1 1\n"),
            "FILE, line 14: expected the first line of a layer, 'layer 0 tokens' or 'layer 0 "
            "counts'");
  EXPECT_EQ(refusal(with(text, "2 2 1 1\n", "")),
            "FILE, line 12: the file ends where the counts of a rank should follow");
  EXPECT_EQ(refusal("routing ranks 1 experts 1 per_token 1 tokens 1"),
            "FILE, line 1: no layer is described here; a line 'layer 0 tokens' begins one");
  EXPECT_NE(refusal(""), "");
  EXPECT_NE(refusal("routing ranks 1 experts 1 per_token 2 tokens 1\nlayer 0 tokens\n0 0"), "");
}

TEST(Trace, IsRoutedLikeWhatIsDrawn) {
  const Routing routing = routing_of(parse_routing_spec("file:a/FILE", "--routing"), kText);
  const Rows rows = rows_of(routing, kShape, 3, 0);
  EXPECT_EQ(rows.chosen.loads(), (std::vector<std::uint64_t>{4, 2, 4, 2}));
  EXPECT_EQ(rows.deduplicated->per_rank.sent_by(0), 5U);
  const Rows counted = rows_of(routing, kShape, 4, 0);
  EXPECT_EQ(counted.chosen.at(1, 3), 1U);
  EXPECT_FALSE(counted.deduplicated);
  EXPECT_THROW(rows_of(routing, kShape, 5, 0), UserError);
  EXPECT_THROW(rows_of(routing, kShape, 3, 0, {0, 0, 0, 1}), UserError);
  Shape other = kShape;
  other.tokens = 4;
  EXPECT_THROW(rows_of(routing, other, 3, 0), UserError);
}

TEST(Trace, OfOneLayerStandsForAll) {
  const std::string text = "routing ranks 1 experts 2 per_token 1 tokens 1\nlayer 7 tokens\n1\n";
  const Routing routing = routing_of(parse_routing_spec("file:F,capacity:1", "--routing"), text);
  const Shape shape = {.ranks = 1, .experts = 2, .per_token = 1, .tokens = 1, .groups = {}};
  EXPECT_EQ(rows_of(routing, shape, 0, 5).chosen.at(0, 1), 1U);
  EXPECT_EQ(rows_of(routing, shape, 0, 5).capacity, 1U);
}

TEST(Routing, IsToldApartByItsWordsOrItsFile) {
  EXPECT_EQ(identity(routing_of(parse_routing_spec("zipf:1,seed:7", ""), "")), "zipf:1,seed:7");
  const RoutingSpec spec = parse_routing_spec("file:a/FILE,capacity:2", "");
  const std::string one = identity(routing_of(spec, kText));
  EXPECT_TRUE(one.starts_with("file:FILE ")) << one;
  EXPECT_TRUE(one.ends_with(",capacity:2")) << one;
  EXPECT_NE(one, identity(routing_of(spec, with(kText, "0 1", "1 0"))));
  EXPECT_EQ(one, identity(routing_of(spec, with(kText, "0 1", "0,1 #"))));
}

}  // namespace
}  // namespace collbench::routing
