// SPDX-License-Identifier: Apache-2.0
// What tests of documents do not reach: arrays that are streamed.
#include "results/json_node.h"

#include <gtest/gtest.h>

#include <array>

#include "base/errors.h"

namespace collbench {
namespace {

struct Seen {
  std::string place;
  std::uint64_t number;

  bool operator==(const Seen&) const = default;
};

TEST(JsonStream, ElementsAreTakenOneByOneAndGone) {
  std::vector<Seen> seen;
  const JsonStream rows = {"/rows", [&](const JsonNode& row) {
                             seen.push_back({row.at("n").place(), row.at("n").count()});
                           }};
  const ParsedJson json(R"({"a": "before", "rows": [{"n": 7}, {"n": 8, "more": [[1], "x"]}],
                            "other": [{"n": 9}], "z": "after"})",
                        {&rows, 1});
  EXPECT_EQ(seen, (std::vector<Seen>{{"/rows/0/n", 7}, {"/rows/1/n", 8}}));
  const JsonNode root = json.root();
  EXPECT_TRUE(root.at("rows").elements().empty());
  EXPECT_EQ(root.at("other").elements().at(0).at("n").place(), "/other/0/n");
  EXPECT_EQ(root.at("a").text() + root.at("z").text(), "beforeafter");
}

TEST(JsonStream, ElementsOfAnyType) {
  std::vector<std::string> seen;
  const JsonStream words = {"/words", [&](const JsonNode& word) { seen.push_back(word.text()); }};
  const ParsedJson json(R"({"words": ["one", "", "three"], "next": "kept"})", {&words, 1});
  EXPECT_EQ(seen, (std::vector<std::string>{"one", "", "three"}));
  EXPECT_EQ(json.root().at("next").text(), "kept");
}

TEST(JsonStream, OneInsideAnother) {
  std::vector<std::string> seen;
  const std::array<JsonStream, 2> streams = {{
      {"/runs", [&](const JsonNode& run) { seen.push_back(run.at("id").text()); }},
      {"/runs/*/rows", [&](const JsonNode& row) { seen.push_back(row.place()); }},
  }};
  const ParsedJson json(R"({"runs": [{"rows": [1, 2], "id": "a"}, {"id": "b", "rows": [3]}],
                            "rows": [4]})",
                        streams);
  EXPECT_EQ(seen, (std::vector<std::string>{"/runs/0/rows/0", "/runs/0/rows/1", "a",
                                            "/runs/1/rows/0", "b"}));
  EXPECT_EQ(json.root().at("rows").counts(), std::vector<std::uint64_t>{4});
}

TEST(JsonStream, WhatIsNoArrayIsLeftAlone) {
  const JsonStream rows = {"/rows", [](const JsonNode&) { FAIL(); }};
  const ParsedJson json(R"({"rows": {"rows": [1]}, "more": {"rows": [2]}})", {&rows, 1});
  EXPECT_EQ(json.root().at("rows").at("rows").counts(), std::vector<std::uint64_t>{1});
}

TEST(JsonStream, KeysThatAreGivenTwiceAreFoundInElementsToo) {
  const JsonStream rows = {"/rows", [](const JsonNode&) {}};
  EXPECT_THROW(ParsedJson(R"({"rows": [{"n": 1, "m": 2, "n": 3}]})", {&rows, 1}), UserError);
}

}  // namespace
}  // namespace collbench
