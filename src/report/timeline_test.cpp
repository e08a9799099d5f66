// SPDX-License-Identifier: Apache-2.0
#include "report/timeline.h"

#include <gtest/gtest.h>

#include "base/errors.h"

namespace collbench::report {
namespace {

constexpr std::string_view kTrace = R"({"displayTimeUnit":"ms","traceEvents":[
{"ph":"M","name":"process_name","pid":1,"args":{"name":"rank 1"}},
{"ph":"M","name":"process_sort_index","pid":1,"args":{"sort_index":0}},
{"ph":"M","name":"thread_name","pid":1,"tid":0,"args":{"name":"compute"}},
{"ph":"X","name":"F1","pid":1,"tid":0,"ts":110.5,"dur":4,"args":{}},
{"ph":"X","name":"F0","pid":0,"tid":2,"ts":100.5,"dur":10},
{"ph":"s","bp":"e","name":"message","id":1,"pid":0,"tid":2,"ts":101}
]})";

TEST(Timeline, LanesAreNamedAndSortedAndTimesBeginAtZero) {
  const Timeline timeline = parse_timeline(kTrace, "t.json");
  EXPECT_EQ(timeline.lanes, (std::vector<std::string>{"process 0, stream 2", "rank 1, compute"}));
  ASSERT_EQ(timeline.ops.size(), 2u);
  EXPECT_EQ(timeline.ops[0].label, "F0");
  EXPECT_EQ(timeline.ops[0].lane, 0u);
  EXPECT_DOUBLE_EQ(timeline.ops[0].begin_s, 0);
  EXPECT_NEAR(timeline.ops[0].end_s, 10e-6, 1e-15);
  EXPECT_EQ(timeline.ops[1].lane, 1u);
  EXPECT_NEAR(timeline.ops[1].begin_s, 10e-6, 1e-15);
  EXPECT_NEAR(timeline.ops[1].end_s, 14e-6, 1e-15);
}

TEST(Timeline, IsToldFromResultsByItsFirstMember) {
  EXPECT_TRUE(is_timeline(kTrace));
  EXPECT_FALSE(is_timeline(R"({"schema":"collbench.results"})"));
  EXPECT_FALSE(is_timeline(""));
}

std::string message_of(std::string_view text) {
  try {
    parse_timeline(text, "t.json");
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Timeline, NamesThePlaceOfWhatIsWrong) {
  EXPECT_EQ(message_of(R"({"traceEvents":[{"ph":"X","pid":0,"ts":"0","dur":1}]})"),
            "t.json: /traceEvents/0/ts: expected a number, found a string");
  EXPECT_EQ(message_of(R"({"traceEvents":{}})").substr(0, 21), "t.json: /traceEvents:");
}

}  // namespace
}  // namespace collbench::report
