// SPDX-License-Identifier: Apache-2.0
#include "analysis/baseline.h"

#include <gtest/gtest.h>

#include <cmath>

#include "results/example_steps.h"
#include "results/json.h"

namespace collbench {
namespace {

/// A launch of one row, of all times `factor` as long.
Document launch(int number, double factor = 1) {
  Document document = example::ended();
  document.run.id = std::to_string(number);
  document.run.exit_status = 0;
  document.rows = {example::measured(false)};
  document.rows[0].timing->median_s = factor;
  return document;
}

TEST(Baseline, LaunchesKeepTheirTimesAndNoSamples) {
  for (const Document& document : {example::ended(), example::pattern()}) {
    const Document kept = baseline_launch(document);
    EXPECT_LT(to_json(kept).size(), to_json(document).size());
    EXPECT_EQ(document_from_json(to_json(kept), "FILE"), kept);
  }
  const Document kept = baseline_launch(example::ended());
  EXPECT_EQ(kept.rows[0].timing->median_s, example::ended().rows[0].timing->median_s);
  EXPECT_EQ(kept.rows[0].timing->interval95_s, example::ended().rows[0].timing->interval95_s);
  EXPECT_EQ(kept.rows[0].timing->samples_s.size(), 1u);
}

TEST(Baseline, FingerprintsAreOfTheMachineAndTheProgram) {
  const Document one = launch(1);
  Document other = one;
  other.run.id = "other";
  other.environment.hosts[0].name = "elsewhere";
  other.environment.ranks[0].pid = 1;
  EXPECT_EQ(fingerprint(one), fingerprint(other));
  EXPECT_EQ(fingerprint(one).size(), 16u);
  other.environment.hosts[0].cpu_model = "another";
  EXPECT_NE(fingerprint(one), fingerprint(other));
  other = one;
  other.config.program = "all_gather_perf";
  EXPECT_NE(fingerprint(one), fingerprint(other));
}

TEST(Baseline, OnlyGoodRunsAreFit) {
  EXPECT_FALSE(unfit_reason(launch(1)).has_value());
  EXPECT_EQ(unfit_reason(example::ended()), "it ended with status 4");
  Document killed = launch(1);
  killed.incomplete = true;
  EXPECT_EQ(unfit_reason(killed), "it is incomplete");
  Document late = launch(1);
  late.run.status = RunStatus::timeout;
  EXPECT_EQ(unfit_reason(late), "its run ended as timeout");
  Document imported = launch(1);  // which has no exit status of its own
  imported.run.exit_status.reset();
  EXPECT_FALSE(unfit_reason(imported).has_value());
  imported.rows[0].status = RowStatus::wrong;
  EXPECT_EQ(unfit_reason(imported), "a row of it is wrong");
  Document empty = launch(1);
  empty.rows.clear();
  EXPECT_EQ(unfit_reason(empty), "it has measured nothing");
}

TEST(Baseline, TheOldestOfEachFingerprintGo) {
  Document other = launch(9);
  other.config.program = "all_gather_perf";
  std::vector<std::string> ids;
  for (const Document& kept : pruned({launch(1), other, launch(2), launch(3)}, 2)) {
    ids.push_back(kept.run.id);
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"9", "2", "3"}));
}

TEST(Baseline, LaunchesStandInTheOrderOfTheirStart) {
  Document first = launch(1), second = launch(2), unknown = launch(3);
  first.run.started = "2026-03-01T12:00:00Z";
  second.run.started = "2026-03-02T09:00:00Z";
  unknown.run.started = "";
  std::vector<std::string> ids;
  for (const Document& launch : by_start({second, unknown, first})) ids.push_back(launch.run.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"3", "1", "2"}));
}

TEST(Baseline, SaysHowFarItMoved) {
  std::vector<Document> launches;
  for (int i = 0; i < 8; ++i) launches.push_back(launch(i, std::exp(0.01 * i)));
  const std::vector<BaselineGroup> groups = summarize_baseline(launches);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].launches.size(), 8u);
  ASSERT_EQ(groups[0].rows.size(), 1u);
  const BaselineRow& row = groups[0].rows[0];
  EXPECT_EQ(row.launches, 8u);
  EXPECT_DOUBLE_EQ(row.first_s, 1);
  EXPECT_NEAR(row.moved, std::exp(0.055) - 1, 1e-4);
  EXPECT_NEAR(*row.noise, 0.01 * std::sqrt(6), 1e-9);  // of 0 to 7
}

TEST(Baseline, NoiseIsNoMovement) {
  EXPECT_TRUE(has_moved({.name = "", .noise = 0.005, .moved = 0.04}));
  EXPECT_TRUE(has_moved({.name = "", .noise = 0.005, .moved = -0.04}));
  EXPECT_FALSE(has_moved({.name = "", .noise = 0.005, .moved = 0.02}));
  EXPECT_FALSE(has_moved({.name = "", .noise = 0.02, .moved = 0.04}));
  EXPECT_FALSE(summarize_baseline(std::vector{launch(1), launch(2)})[0].rows[0].noise.has_value());
}

TEST(Baseline, ProgramsAndMachinesAreApart) {
  Document other = launch(2);
  other.config.program = "all_gather_perf";
  const auto groups = summarize_baseline(std::vector{launch(1), other, launch(3)});
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].launches.size(), 2u);
  EXPECT_EQ(groups[1].program, "all_gather_perf");
  EXPECT_FALSE(groups[0].facts.empty());
}

}  // namespace
}  // namespace collbench
