// SPDX-License-Identifier: Apache-2.0
// The new side of a comparison in formats that other programs keep histories of.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/compare_words.h"
#include "report/comparison_formats.h"
#include "results/json_value.h"
#include "results/units.h"

namespace collbench {
namespace {

std::string text_of(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// The least and the largest of the launches; of one, the interval of its samples.
statistics::Interval spread(const LaunchRow& row) {
  if (row.values.size() == 1) {
    const LaunchValue& only = row.values.front();
    return only.interval95_s.value_or(statistics::Interval{only.time_s, only.time_s});
  }
  const auto [least, most] = std::minmax_element(
      row.values.begin(), row.values.end(),
      [](const LaunchValue& a, const LaunchValue& b) { return a.time_s < b.time_s; });
  return {least->time_s, most->time_s};
}

/// Whether a row's times may go into a history: not of a launch with wrong data beside them.
bool is_sound(const RowComparison& row) { return row.candidate_s && row.candidate->gaps.empty(); }

Json gha_entry(const RowComparison& row) {
  const statistics::Interval range = spread(*row.candidate);
  return {
      {"name", row.candidate->name},
      {"unit", "us"},
      {"value", us_from_s(*row.candidate_s)},
      {"range", fmt::format("± {:.1f} %", (range.high - range.low) / 2 / *row.candidate_s * 100)},
      {"extra", fmt::format("{}: {}", name_of(row.finding.verdict), explain(row))}};
}

Json gbench_context(const Comparison& comparison) {
  const std::vector<LaunchFacts>& launches = comparison.candidate->launches;
  return {{"date", launches.empty() ? "" : launches.front().started},
          {"host_name", "unknown"},
          {"executable", "collbench"},
          {"num_cpus", 1},
          {"mhz_per_cpu", 0},
          {"cpu_scaling_enabled", false},
          {"caches", Json::array()},
          {"load_avg", Json::array()},
          {"library_version", launches.empty() ? "" : launches.front().version},
          {"library_build_type", "release"},
          {"json_schema_version", 1}};
}

Json gbench_run(const LaunchRow& row, std::size_t family, std::size_t repetition) {
  return {{"name", row.name},
          {"family_index", family},
          {"per_family_instance_index", 0},
          {"run_name", row.name},
          {"run_type", "iteration"},
          {"repetitions", row.values.size() + row.gaps.size()},
          {"repetition_index", repetition},
          {"threads", 1},
          {"iterations", 1}};
}

void add_gbench_runs(Json& runs, const LaunchRow& row, std::size_t family) {
  std::size_t repetition = 0;
  for (const LaunchValue& value : row.values) {
    Json run = gbench_run(row, family, repetition++);
    run["real_time"] = run["cpu_time"] = us_from_s(value.time_s);
    run["time_unit"] = "us";
    if (row.bus_bytes) run["busbw_GBps"] = GBps_from_Bps(*row.bus_bytes / value.time_s);
    runs.push_back(std::move(run));
  }
  for (const LaunchGap& gap : row.gaps) {
    Json run = gbench_run(row, family, repetition++);
    run["error_occurred"] = true;
    run["error_message"] = fmt::format("{}: {}", name_of(gap.status), gap.reason);
    run["real_time"] = run["cpu_time"] = 0;
    run["time_unit"] = "us";
    runs.push_back(std::move(run));
  }
}

Json bmf_measure(double value, double low, double high) {
  return {{"value", value}, {"lower_value", low}, {"upper_value", high}};
}

}  // namespace

std::string comparison_gha(const Comparison& comparison) {
  Json entries = Json::array();
  for (const RowComparison& row : comparison.rows) {
    if (is_sound(row)) entries.push_back(gha_entry(row));
  }
  return text_of(entries);
}

std::string comparison_gbench(const Comparison& comparison) {
  Json runs = Json::array();
  const std::vector<LaunchRow>& rows = comparison.candidate->rows;
  for (std::size_t i = 0; i < rows.size(); ++i) add_gbench_runs(runs, rows[i], i);
  return text_of({{"context", gbench_context(comparison)}, {"benchmarks", std::move(runs)}});
}

std::string comparison_bmf(const Comparison& comparison) {
  constexpr double kNanoseconds = 1e9;
  Json json = Json::object();
  for (const RowComparison& row : comparison.rows) {
    if (!is_sound(row)) continue;
    const double time_s = *row.candidate_s;
    const statistics::Interval range = spread(*row.candidate);
    Json& measures = json[row.candidate->name];
    measures["latency"] =
        bmf_measure(time_s * kNanoseconds, range.low * kNanoseconds, range.high * kNanoseconds);
    if (!row.candidate->bus_bytes) continue;
    const double bytes = *row.candidate->bus_bytes;
    measures["bus-bandwidth"] = bmf_measure(bytes / time_s, bytes / range.high, bytes / range.low);
  }
  return text_of(json);
}

}  // namespace collbench
