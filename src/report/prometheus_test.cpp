// SPDX-License-Identifier: Apache-2.0
#include "report/prometheus.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "results/example_steps.h"

namespace collbench::report {
namespace {

using Runs = std::vector<Run>;  // in a test, Run is its own

Run run_with(std::vector<Record> rows) {
  Document document = example::ended();
  document.run.exit_status = 0;
  document.rows = std::move(rows);
  return {"base", std::move(document)};
}

std::size_t series_in(const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find("\ncollbench_", at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST(Prometheus, GaugesInBaseUnits) {
  const Runs runs = {run_with({example::measured(false), example::wrong()})};
  const std::string labels =
      "{collective=\"all_reduce\",type=\"float\",op=\"sum\",size_bytes=\"8\",placement=\"out_of_"
      "place\",ranks=\"2\",nodes=\"2\",backend=\"mpi\",mode=\"streaming\",aggregation=\"max\","
      "ranks_per_process=\"1\"}";
  EXPECT_EQ(
      to_prometheus(runs, 200),
      "# HELP collbench_collective_time_seconds Median time of one operation.\n"
      "# TYPE collbench_collective_time_seconds gauge\n"
      "collbench_collective_time_seconds" +
          labels +
          " 0.000285215\n"
          "# HELP collbench_bus_bandwidth_bytes_per_second What each rank's link carries, by the "
          "median time.\n"
          "# TYPE collbench_bus_bandwidth_bytes_per_second gauge\n"
          "collbench_bus_bandwidth_bytes_per_second" +
          labels +
          " 28049.5\n"
          "# HELP collbench_last_run_timestamp_seconds When the last run started.\n"
          "# TYPE collbench_last_run_timestamp_seconds gauge\n"
          "collbench_last_run_timestamp_seconds{program=\"all_reduce_perf\"} 1772366400\n"
          "# HELP collbench_last_run_success 1 where it completed with status 0.\n"
          "# TYPE collbench_last_run_success gauge\n"
          "collbench_last_run_success{program=\"all_reduce_perf\"} 1\n"
          "# HELP collbench_wrong_elements Found by the data check of the last run.\n"
          "# TYPE collbench_wrong_elements gauge\n"
          "collbench_wrong_elements{program=\"all_reduce_perf\"} 3\n");
}

TEST(Prometheus, StepsHaveFamiliesOfTheirOwn) {
  Document document = example::pattern();
  const Runs runs = {{"zero", document}};
  const std::string text = to_prometheus(runs, 200);
  EXPECT_NE(
      text.find("collbench_step_time_seconds{pattern=\"zero\",model=\"llama3-8b\",layout=\"tp "
                "2 cp 1 pp 1 dp 2\",scheme=\"schedule=1f1b zero=fsdp2\",ranks=\"4\","),
      std::string::npos)
      << text;
  // Wrong and skipped steps have none.
  EXPECT_EQ(text.find("divided_by"), std::string::npos);
}

TEST(Prometheus, TheLatestRunCountsWhateverTheOrder) {
  Runs runs = {run_with({example::measured(false)}), run_with({example::measured(false)})};
  runs[0].document.run.started = "2026-03-02T12:00:00Z";
  runs[0].document.rows[0].timing->median_s = 1;
  const std::string text = to_prometheus(runs, 200);
  EXPECT_NE(text.find("} 1\n"), std::string::npos);
  EXPECT_EQ(text.find("0.000285215"), std::string::npos);
}

TEST(Prometheus, WhatTheLatestRunFoundWrongIsNoLongerAsItWas) {
  Runs runs = {run_with({example::measured(false)}), run_with({example::measured(false)})};
  runs[1].document.run.started = "2026-03-02T12:00:00Z";
  EXPECT_NE(to_prometheus(runs, 200).find("collbench_collective_time_seconds{"), std::string::npos);
  runs[1].document.rows[0].status = RowStatus::wrong;
  EXPECT_EQ(to_prometheus(runs, 200).find("collbench_collective_time_seconds{"), std::string::npos);
}

TEST(Prometheus, StepsOfDifferentKeysHaveSeriesOfTheirOwn) {
  Runs runs = {run_with({})};
  std::vector<StepRecord>& steps = runs[0].document.steps;
  steps.assign(6, example::pattern().steps.front());
  steps[1].key.step.sequence *= 2;
  steps[2].key.step.micro_batches *= 2;
  steps[3].key.step.recompute = model::Recompute::full;
  steps[4].key.ranks_per_process = 4;
  steps[5].key.busy_flops = 1e12;
  const std::string text = to_prometheus(runs, 200);
  std::size_t series = 0;
  for (std::size_t at = 0; (at = text.find("\ncollbench_step_time_seconds{", at)) != text.npos;
       ++at) {
    ++series;
  }
  EXPECT_EQ(series, steps.size()) << text;
}

TEST(Prometheus, AnIncompleteRunIsNoSuccess) {
  Runs runs = {run_with({})};
  runs[0].document.incomplete = true;
  EXPECT_NE(
      to_prometheus(runs, 200).find("collbench_last_run_success{program=\"all_reduce_perf\"} 0"),
      std::string::npos);
}

TEST(Prometheus, SizesAreLeftOutUntilTheSeriesFit) {
  std::vector<Record> rows;
  for (int power = 0; power < 10; ++power) {
    rows.push_back(example::measured(false));
    rows.back().key.message_bytes = Bytes{1} << power;
  }
  const Runs runs = {run_with(rows)};
  const std::string text = to_prometheus(runs, 10);
  EXPECT_TRUE(text.starts_with("# 5 of 10 sizes, so that there are at most 10 series\n")) << text;
  EXPECT_EQ(series_in(text), 10u + 3u);
  EXPECT_NE(text.find("size_bytes=\"512\""), std::string::npos);
  EXPECT_EQ(text.find("size_bytes=\"256\""), std::string::npos);
  EXPECT_TRUE(to_prometheus(runs, 1).starts_with("# 2 series even of the largest size alone"));
}

TEST(Prometheus, ALabelCannotBeEndedByItsText) {
  Runs runs = {run_with({example::measured(false)})};
  runs[0].document.rows[0].key.matrix = "a\"} 1\nb\\";
  EXPECT_NE(to_prometheus(runs, 200).find("matrix=\"a\\\"} 1\\\\nb\\\\\""), std::string::npos);
}

}  // namespace
}  // namespace collbench::report
