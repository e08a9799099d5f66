// SPDX-License-Identifier: Apache-2.0
#include "results/method_lines.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "results/example_document.h"

namespace collbench {
namespace {

constexpr std::string_view kUsual =
    "# time is the median of a row's samples, each the maximum over ranks; nccl-tests has one "
    "sample, the mean over ranks\n";

std::string lines(void (*change)(RunConfig&)) {
  RunConfig config = example::started().config;
  change(config);
  return method_lines(config);
}

std::string with(std::string_view before, std::string_view after = "") {
  return std::string(before).append(kUsual).append(after);
}

TEST(MethodLines, SayHowSamplesBecomeATime) {
  EXPECT_EQ(lines([](RunConfig&) {}), kUsual);
  for (const auto& [aggregation, words] :
       std::map<std::string, std::string>{{"mean", "the mean over ranks"},
                                          {"min", "the minimum over ranks"},
                                          {"rank0", "rank 0's time"}}) {
    RunConfig config = example::started().config;
    config.aggregation = aggregation;
    EXPECT_NE(method_lines(config).find("samples, each " + words + ";"), std::string::npos);
  }
}

TEST(MethodLines, SayTheModeUnlessItIsThatOfNcclTests) {
  EXPECT_EQ(lines([](RunConfig& c) { c.mode = "isolated"; }),
            with("# mode isolated: each operation is timed alone, after an alignment of all ranks, "
                 "whose exit skew is in the file\n"));
  EXPECT_EQ(lines([](RunConfig& c) { c.mode = "isolated_unaligned"; }),
            with("# mode isolated_unaligned: each operation is timed alone, whenever each rank is "
                 "ready for it\n"));
  EXPECT_EQ(
      lines([](RunConfig& c) {
        c.mode = "graph";
        c.graph_launches = 3;
      }),
      with("# mode graph: a sample replays 3 times what the GPU has recorded of its operations\n"));
}

TEST(MethodLines, SayWhatIsFusedEnqueuedAndTimedOneByOne) {
  EXPECT_EQ(lines([](RunConfig& c) { c.grouped_operations = 4; }),
            with("# 4 operations start as one fused group (-m 4); times are of one of them\n"));
  EXPECT_EQ(lines([](RunConfig& c) { c.enqueue_time = true; }),
            "# cputime is what it took the host to enqueue an operation (-C 1), a median of "
            "samples, each the maximum over ranks; algbw and busbw are of the whole time, which "
            "the file has\n");
  const std::string_view single =
      " (-I 1), each the maximum over ranks; these were timed in blocks of their own, and are no "
      "part of the other columns\n";
  EXPECT_EQ(lines([](RunConfig& c) { c.skipped_iterations = 0; }),
            with("", std::string("# i_min to i_cv are of single iterations").append(single)));
  EXPECT_EQ(lines([](RunConfig& c) { c.skipped_iterations = 3; }),
            with("", std::string("# i_min to i_cv are of single iterations, but for the first 3")
                         .append(single)));
}

}  // namespace
}  // namespace collbench
