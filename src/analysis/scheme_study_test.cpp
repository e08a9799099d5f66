// SPDX-License-Identifier: Apache-2.0
#include "analysis/scheme_study.h"

#include <gtest/gtest.h>

#include "analysis/example_schemes.h"

namespace collbench {
namespace {

std::vector<std::string> names(const SchemeTable& table) {
  std::vector<std::string> all;
  for (const SchemeRow& row : table.rows) all.push_back(row.name);
  return all;
}

TEST(SchemeStudy, TheFastestThatFitsComesFirst) {
  const SchemeStudy all = study_schemes(example::schemes(), std::nullopt);
  ASSERT_EQ(all.tables.size(), 1u);
  EXPECT_EQ(names(all.tables[0]),
            (std::vector<std::string>{"data_parallel", "zero fsdp2 no reshard",
                                      "hybrid_parallel megatron", "zero fsdp2 reshard"}));
  EXPECT_EQ(all.tables[0].fitting, 4u);
  EXPECT_EQ(all.tables[0].as_fast, 1u);
  EXPECT_EQ(all.tables[0].least_memory, 3u);

  const SchemeStudy small = study_schemes(example::schemes(), Bytes{48} << 30);
  EXPECT_EQ(names(small.tables[0]),
            (std::vector<std::string>{"zero fsdp2 no reshard", "hybrid_parallel megatron",
                                      "zero fsdp2 reshard", "data_parallel"}));
  EXPECT_EQ(small.tables[0].fitting, 3u);
  EXPECT_EQ(small.tables[0].as_fast, 2u);  // 32 and 32.1 ms to 1 %
  EXPECT_FALSE(small.tables[0].rows.back().fits);
  EXPECT_EQ(study_schemes(example::schemes(), Bytes{1}).tables[0].fitting, 0u);
}

TEST(SchemeStudy, WhatARowIsMadeOf) {
  const SchemeRow row = study_schemes(example::schemes(), std::nullopt).tables[0].rows[0];
  EXPECT_DOUBLE_EQ(*row.computing_share, 0.8);
  EXPECT_NEAR(*row.bubble_share, 0.05, 1e-12);
  EXPECT_NEAR(*row.exposed_share, 0.15, 1e-12);
  EXPECT_EQ(row.crossing_bytes, Bytes{2} << 30);
  EXPECT_EQ(row.memory_bytes(), Bytes{96} << 30);  // of a model whose activations are not known
  EXPECT_DOUBLE_EQ(row.tokens_per_s, 65536 / 20e-3);
}

// Megatron's formula of one micro-batch of GPT: beyond states, and less where tp shares it.
TEST(SchemeStudy, ActivationsOfModelsThatAreBuiltInCount) {
  StepRecord one = example::step(), two = one;
  one.key.layout = {.dp = 4};
  two.key.layout = {.tp = 4};
  Document document = example::pattern();
  document.steps = {one, two};
  const SchemeTable table = study_schemes(std::vector{document}, std::nullopt).tables[0];
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_GT(*table.rows[0].activation_bytes, 3 * *table.rows[1].activation_bytes);
  EXPECT_EQ(table.rows[0].memory_bytes(), one.model_bytes + *table.rows[0].activation_bytes);
}

TEST(SchemeStudy, OtherStepsMakeOtherTables) {
  std::vector<Document> documents = example::schemes();
  documents[1].steps[0].tokens *= 2;
  documents[2].steps[0].key.compute = "none";
  const SchemeStudy study = study_schemes(documents, std::nullopt);
  ASSERT_EQ(study.tables.size(), 3u);
  EXPECT_FALSE(study.tables[2].rows[0].computing_share.has_value());
}

TEST(SchemeStudy, OfSeveralLaunchesTheMiddleOneCounts) {
  std::vector<Document> documents = example::schemes();
  for (const double step_s : {90e-3, 25e-3}) {
    documents.push_back(documents[0]);
    documents.back().steps[0].step = example::series({step_s}, step_s);
    documents.back().steps[0].flags = {"oversubscribed"};
  }
  const SchemeTable table = study_schemes(documents, std::nullopt).tables[0];
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_DOUBLE_EQ(table.rows[0].step_s, 25e-3);
  EXPECT_EQ(table.rows[0].launches, 3u);
  EXPECT_EQ(table.rows[0].flags, std::vector<std::string>{"oversubscribed"});
}

TEST(SchemeStudy, WhatWasNotMeasuredIsLeftOutWithItsReason) {
  Document skipped = example::pattern(), empty = example::pattern_started();
  skipped.steps = {example::skipped_step(), example::small_step()};
  const SchemeStudy study = study_schemes(std::vector{skipped, empty}, std::nullopt);
  EXPECT_TRUE(study.tables.empty());
  ASSERT_EQ(study.left_out.size(), 3u);
  EXPECT_EQ(study.left_out[0].reason, "8 ranks are more than the 4 that were started");
  EXPECT_EQ(study.left_out[1].reason.find("3 wrong of 1000 elements"), 0u);
  EXPECT_EQ(study.left_out[2], (SchemeGap{"zero_perf", "no step was measured"}));
}

}  // namespace
}  // namespace collbench
