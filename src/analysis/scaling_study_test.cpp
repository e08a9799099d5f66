// SPDX-License-Identifier: Apache-2.0
#include "analysis/scaling_study.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace collbench {
namespace {

StepSeries series(double median_s) {
  return {.samples_s = {median_s}, .median_s = median_s, .interval95_s = std::nullopt};
}

/// Of data parallelism where every pipeline keeps its work, 100 tokens per rank.
StepRecord step(int dp, double step_s) {
  StepRecord record;
  record.key.pattern = "zero";
  record.key.model = "tiny";
  record.key.scheme = {{"zero", "fsdp2"}};
  record.key.ranks = record.key.layout.dp = dp;
  record.key.step.micro_batches = 4;
  record.tokens = static_cast<Count>(100 * dp);
  record.step = series(step_s);
  return record;
}

Document file_of(std::vector<StepRecord> steps) {
  Document document;
  document.config.pattern = PatternConfig{"gemm"};
  document.steps = std::move(steps);
  return document;
}

Record row(int ranks, Bytes bytes, double time_s) {
  Record record;
  record.key.collective = "all_reduce";
  record.key.ranks = ranks;
  record.key.message_bytes = record.requested_bytes = bytes;
  record.timing.emplace();
  record.timing->median_s = time_s;
  record.timing->samples_s = {time_s};
  record.bus_bandwidth_Bps = static_cast<double>(bytes) / time_s * 2 * (ranks - 1) / ranks;
  return record;
}

/// 2 us for each doubling of ranks, then 1 GB/s.
Document sweep(int ranks, double factor = 1) {
  Document document;
  for (Bytes bytes = 8; bytes <= Bytes{1} << 26; bytes *= 4) {
    const double share = 2.0 * (ranks - 1) / ranks;
    const double time_s = 2e-6 * std::log2(ranks) + static_cast<double>(bytes) * share / 1e9;
    document.rows.push_back(row(ranks, bytes, time_s * factor));
  }
  return document;
}

std::vector<std::string> reasons(const ScalingStudy& study) {
  std::vector<std::string> all;
  for (const StudyGap& gap : study.left_out) all.push_back(gap.reason);
  return all;
}

const std::string kAlone =
    "nothing to compare with: no other count of ranks differs in one axis only";

TEST(ScalingStudy, WeakScalingOverFiles) {
  const ScalingStudy study = study_scaling(
      std::vector{file_of({step(4, 2.0)}), file_of({step(1, 1.0)}), file_of({step(2, 1.25)})});
  ASSERT_EQ(study.steps.size(), 1u);
  const StepCurve& curve = study.steps[0];
  EXPECT_EQ(curve.axis, "dp");
  EXPECT_TRUE(curve.weak);
  EXPECT_EQ(curve.base_ranks, 1);
  ASSERT_EQ(curve.points.size(), 3u);
  EXPECT_EQ(curve.points[2].degree, 4);
  EXPECT_DOUBLE_EQ(curve.points[2].tokens_per_s, 200);
  EXPECT_DOUBLE_EQ(curve.points[2].speedup, 2);
  EXPECT_DOUBLE_EQ(curve.points[2].efficiency, 0.5);
  EXPECT_DOUBLE_EQ(*curve.points[2].marginal_efficiency, 0.625);
  EXPECT_FALSE(curve.points[0].marginal_efficiency.has_value());
  EXPECT_FALSE(curve.points[2].karp_flatt.has_value());  // of fixed work only
  EXPECT_TRUE(curve.laws.empty());  // Amdahl's is of fixed work, and the other takes five counts
  EXPECT_TRUE(study.left_out.empty());
}

TEST(ScalingStudy, StrongScalingDividesTheMicroBatches) {
  std::vector<StepRecord> steps = {step(1, 1.0), step(2, 0.6), step(4, 0.4)};
  for (StepRecord& record : steps) {
    record.tokens = 400;
    record.key.step.micro_batches = 4 / record.key.layout.dp;
  }
  const ScalingStudy study = study_scaling(std::vector{file_of(steps)});
  ASSERT_EQ(study.steps.size(), 1u);
  EXPECT_FALSE(study.steps[0].weak);
  ASSERT_EQ(study.steps[0].laws.size(), 1u);
  EXPECT_EQ(study.steps[0].laws[0].law.kind, statistics::LawKind::amdahl);
  // A fifth does not divide: 0.2 + 0.8 / 2, 0.2 + 0.8 / 4.
  EXPECT_NEAR(*study.steps[0].points[1].karp_flatt, 0.2, 1e-12);
  EXPECT_NEAR(*study.steps[0].points[2].karp_flatt, 0.2, 1e-12);
  EXPECT_NEAR(study.steps[0].laws.at(0).law.contention, 0.2, 1e-9);
}

TEST(ScalingStudy, LaunchesCountByTheirMedian) {
  const ScalingStudy study = study_scaling(std::vector{
      file_of({step(1, 1.0), step(2, 1.0)}), file_of({step(2, 1.1)}), file_of({step(2, 9.0)})});
  ASSERT_EQ(study.steps.size(), 1u);
  EXPECT_EQ(study.steps[0].points[1].launches, 3u);
  EXPECT_DOUBLE_EQ(study.steps[0].points[1].step_s, 1.1);
}

TEST(ScalingStudy, ARunCountsOnceAndSaysWhatItLacks) {
  Document once = file_of({step(1, 1.0), step(2, 1.25)});
  once.run.id = "17";
  once.config.program = "zero_perf";
  once.incomplete = true;
  const ScalingStudy study = study_scaling(std::vector{once, once});
  EXPECT_EQ(study.steps.at(0).points[0].launches, 1u);
  EXPECT_EQ(reasons(study),
            (std::vector<std::string>{"run 17 is incomplete: what it had measured by then counts",
                                      "run 17 is given twice, and counts once"}));
}

TEST(ScalingStudy, PartsOfAModelAreNeverMixedWithAllOfIt) {
  StepRecord shrunk = step(2, 1), layered = step(2, 1), whole = step(1, 1);
  shrunk.key.shrink = 16;
  layered.key.layers = 2;
  const ScalingStudy study = study_scaling(std::vector{file_of({whole, shrunk, layered})});
  EXPECT_TRUE(study.steps.empty());
  EXPECT_EQ(reasons(study), (std::vector<std::string>{kAlone, kAlone, kAlone}));
}

TEST(ScalingStudy, OneAxisAtATime) {
  StepRecord both = step(2, 1);
  both.key.ranks = 4;
  both.key.layout.tp = 2;
  both.key.scheme["tensor"] = "megatron";
  EXPECT_TRUE(study_scaling(std::vector{file_of({step(1, 1), both})}).steps.empty());
  // dp at tp 1, and tp at dp 2: with tensor parallelism there is more to choose.
  const ScalingStudy study = study_scaling(std::vector{file_of({step(1, 1), step(2, 1), both})});
  ASSERT_EQ(study.steps.size(), 2u);
  EXPECT_EQ(study.steps[0].axis, "dp");
  EXPECT_EQ(study.steps[1].axis, "tp");
  EXPECT_FALSE(study.steps[1].weak);
  EXPECT_EQ(study.steps[1].base_ranks, 2);
}

TEST(ScalingStudy, SchemesThatContradictEachOtherAreApart) {
  StepRecord other = step(2, 1);
  other.key.scheme["zero"] = "deepspeed3";
  const ScalingStudy study = study_scaling(std::vector{file_of({step(1, 1), other})});
  EXPECT_TRUE(study.steps.empty());
}

TEST(ScalingStudy, TheNamedBase) {
  const std::vector files = {file_of({step(1, 0.5), step(2, 1), step(4, 1.25)})};
  const ScalingStudy study = study_scaling(files, 2);
  EXPECT_EQ(study.steps.at(0).base_ranks, 2);
  EXPECT_DOUBLE_EQ(study.steps[0].points[0].efficiency, 2);
  EXPECT_DOUBLE_EQ(study.steps[0].points[2].efficiency, 0.8);
  EXPECT_EQ(reasons(study_scaling(files, 3)),
            (std::vector<std::string>{"the base of 3 ranks was not measured"}));
}

TEST(ScalingStudy, WhatWasNotMeasuredIsSaid) {
  StepRecord wrong = step(4, 1);
  wrong.status = RowStatus::wrong;
  wrong.reason = "3 wrong of 1000 elements";
  StepRecord elsewhere = step(2, 1);
  elsewhere.key.nodes = 2;
  const ScalingStudy study =
      study_scaling(std::vector{file_of({step(1, 1), step(2, 1), wrong, elsewhere})});
  EXPECT_EQ(reasons(study), (std::vector<std::string>{"wrong: 3 wrong of 1000 elements",
                                                      "on 2 hosts; those on 1 count"}));
  EXPECT_EQ(study.steps.at(0).points.size(), 2u);
}

TEST(ScalingStudy, LawsEndAtTwiceTheLargestCountAndWhereTheyFit) {
  std::vector<StepRecord> steps;
  for (const int dp : {1, 2, 4, 8, 16}) {
    steps.push_back(step(dp, 1 + 0.05 * (dp - 1) + 0.001 * dp * (dp - 1)));
  }
  ScalingStudy study = study_scaling(std::vector{file_of(steps)});
  ASSERT_EQ(study.steps.at(0).laws.size(), 1u);
  const CurveLaw& law = study.steps[0].laws[0];
  EXPECT_NEAR(law.law.contention, 0.05, 1e-8);
  EXPECT_NEAR(law.law.coherency, 0.001, 1e-9);
  ASSERT_TRUE(law.beyond.has_value());
  EXPECT_EQ(law.beyond->ranks, 32);
  EXPECT_NEAR(law.beyond->tokens_per_s, 3200 / (1 + 0.05 * 31 + 0.001 * 32 * 31), 1e-4);
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = step(1 << i, i % 2 == 0 ? 1.0 : 3.0);
  study = study_scaling(std::vector{file_of(steps)});
  EXPECT_FALSE(study.steps.at(0).laws.at(0).adequate);
  EXPECT_FALSE(study.steps[0].laws[0].beyond.has_value());
}

TEST(ScalingStudy, LatencyAndPlateauOfACollective) {
  const ScalingStudy study =
      study_scaling(std::vector{sweep(16), sweep(2), sweep(8), sweep(4), sweep(4, 1.5), sweep(4)});
  ASSERT_EQ(study.rows.size(), 1u);
  const RowCurve& curve = study.rows[0];
  EXPECT_EQ(curve.base_ranks, 2);
  EXPECT_EQ(curve.latency_bytes, 8u);
  ASSERT_EQ(curve.points.size(), 4u);
  EXPECT_EQ(curve.points[1].launches, 3u);
  EXPECT_NEAR(curve.points[1].latency_s, 4e-6, 1e-7);
  ASSERT_TRUE(curve.growth.has_value());
  EXPECT_EQ(curve.growth->growth, statistics::Growth::logarithmic);
  EXPECT_NEAR(curve.growth->slope, 2e-6, 1e-7);
  EXPECT_NEAR(*curve.points[3].plateau_retention, 1, 0.01);
  ASSERT_EQ(study.links.size(), 4u);
  EXPECT_EQ(study.links[0].key.ranks, 2);
  EXPECT_NEAR(study.links[0].pieces.at(0).latency, 2e-6, 1e-8);
  EXPECT_NEAR(study.links[0].pieces.at(0).bandwidth, 1e9, 1e7);
  EXPECT_TRUE(study.links[0].adequate);
}

TEST(ScalingStudy, OneRankIsNoBaseOfACollective) {
  const ScalingStudy study = study_scaling(std::vector{sweep(2), file_of({}), Document{}});
  EXPECT_TRUE(study.rows.empty());
  EXPECT_EQ(
      reasons(study),
      (std::vector<std::string>{"nothing to compare with: no other count of two ranks or more"}));
  Document alone;
  alone.rows = {row(1, 8, 1e-6)};
  EXPECT_EQ(study_scaling(std::vector{alone, sweep(2), sweep(4)}).rows.at(0).base_ranks, 2);
}

TEST(ScalingStudy, RowsThatAreNotTheSameMakeNoCurve) {
  Document isolated = sweep(4);
  for (Record& record : isolated.rows) record.key.mode = "isolated";
  const ScalingStudy study = study_scaling(std::vector{sweep(2), isolated});
  EXPECT_TRUE(study.rows.empty());
  EXPECT_EQ(study.links.size(), 2u);
}

TEST(ScalingStudy, TimesThatNoLineFitsAreCalledSo) {
  Document document;
  for (int i = 0; i < 6; ++i) {
    document.rows.push_back(row(2, Bytes{8} << i, i % 2 == 0 ? 1e-6 : 9e-6));
  }
  const ScalingStudy study = study_scaling(std::vector{document});
  EXPECT_FALSE(study.links.at(0).adequate);
  EXPECT_GT(study.links[0].median_error, kAdequateError);
}

}  // namespace
}  // namespace collbench
