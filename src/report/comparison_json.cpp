// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/compare_words.h"
#include "report/comparison_formats.h"
#include "results/json_value.h"
#include "results/json_write_parts.h"
#include "results/units.h"

namespace collbench {
namespace {

std::string line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Six significant digits: of what is derived, more would be noise.
double digits(double value) { return std::stod(fmt::format("{:.6g}", value)); }

double pct(double share) { return digits(100 * share); }

Json side_json(const Launches& side) {
  Json launches = Json::array();
  for (const LaunchFacts& launch : side.launches) {
    Json json = {{"file", launch.file},
                 {"run", launch.run_id},
                 {"started", launch.started},
                 {"version", launch.version},
                 {"git_commit", launch.git_commit},
                 {"status", name_of(launch.status)},
                 {"incomplete", launch.incomplete}};
    add(json, "exit_status", launch.exit_status);
    launches.push_back(std::move(json));
  }
  return launches;
}

Json rules_json(const CompareRules& rules) {
  Json classes = Json::array();
  for (const SizeClass& size : rules.size_classes) {
    Json json = {{"name", size.name}};
    add(json, "most_bytes", size.most_bytes);
    classes.push_back(std::move(json));
  }
  Json thresholds = Json::array();
  for (const CompareThreshold& threshold : rules.thresholds) {
    Json json = Json::object();
    add(json, "subject", threshold.subject);
    add(json, "size_class", threshold.size_class);
    json["slower_pct"] = pct(threshold.slower);
    json["faster_pct"] = pct(threshold.faster);
    thresholds.push_back(std::move(json));
  }
  return {{"size_classes", std::move(classes)},
          {"thresholds", std::move(thresholds)},
          {"row_false_discovery_pct", pct(rules.row_false_discovery)},
          {"family_false_discovery_pct", pct(rules.family_false_discovery)},
          {"least_launch_noise_pct", pct(rules.least_launch_noise)}};
}

Json environment_json(const Comparison& comparison) {
  Json differences = Json::array();
  for (const EnvironmentDifference& difference : comparison.environment) {
    differences.push_back({{"name", difference.name},
                           {"hard", difference.is_hard},
                           {"base", difference.base},
                           {"new", difference.candidate}});
  }
  return differences;
}

Json counts_json(const Comparison& comparison) {
  Json counts = Json::object();
  for (const ChangeVerdictRow& row : kChangeVerdicts) {
    counts[std::string(row.name)] = comparison.count(row.verdict);
  }
  return counts;
}

void add_finding(Json& json, const Finding& finding, const std::string& explanation) {
  json["verdict"] = name_of(finding.verdict);
  json["reason"] = name_of(finding.reason);
  json["explanation"] = explanation;
}

void add_change(Json& json, const Change& change, const Threshold& threshold) {
  json["ratio"] = digits(change.ratio);
  if (change.interval95) {
    json["ratio_ci95"] = {digits(change.interval95->low), digits(change.interval95->high)};
  }
  if (change.slower_probability) {
    json["slower_probability"] = digits(*change.slower_probability);
    json["faster_probability"] = digits(*change.faster_probability);
  }
  if (change.detectable) json["detectable_pct"] = pct(*change.detectable);
  json["slower_threshold_pct"] = pct(threshold.slower);
  json["faster_threshold_pct"] = pct(threshold.faster);
}

Json family_json(const FamilyComparison& family) {
  Json json = {{"subject", family.subject}};
  add(json, "size_class", family.size_class);
  add_finding(json, family.finding, explain(family));
  json["rows"] = family.rows;
  json["base_launches"] = family.base_launches;
  json["new_launches"] = family.candidate_launches;
  add_change(json, family.change, family.threshold);
  return json;
}

Json times_us(const LaunchRow* row) {
  Json times = Json::array();
  if (row == nullptr) return times;
  for (const LaunchValue& value : row->values) times.push_back(us_from_s(value.time_s));
  return times;
}

Json row_json(const RowComparison& row, const CompareRules& rules) {
  const MeasurementKey& key = row.row().key;
  Json json = {
      {"name", row.row().name}, {"subject", subject_of(key)}, {"size_class", class_of(rules, key)}};
  add(json, "message_bytes", message_bytes_of(key));
  add_finding(json, row.finding, explain(row));
  if (row.base_s) json["base_us"] = us_from_s(*row.base_s);
  if (row.candidate_s) json["new_us"] = us_from_s(*row.candidate_s);
  json["base_launches_us"] = times_us(row.base);
  json["new_launches_us"] = times_us(row.candidate);
  if (row.change) add_change(json, *row.change, row.threshold);
  return json;
}

/// A list, one element per line.
template <class List, class ToJson>
std::string lines(const char* name, const List& list, ToJson to_json) {
  std::string text = fmt::format(",\n  \"{}\": [", name);
  bool first = true;
  for (const auto& element : list) {
    text += first ? "\n    " : ",\n    ";
    text += line(to_json(element));
    first = false;
  }
  return text + (first ? "]" : "\n  ]");
}

}  // namespace

std::string comparison_json(const Comparison& comparison) {
  Json head = {{"schema", "collbench.comparison"},
               {"schema_version", "1.1"},
               {"verdict", row_of(comparison.verdict).name},
               {"summary", summary_line(comparison)},
               {"complete", comparison.complete},
               {"better", "lower"},
               {"counts", counts_json(comparison)},
               {"base", side_json(*comparison.base)},
               {"new", side_json(*comparison.candidate)},
               {"rules", rules_json(comparison.rules)},
               {"environment", environment_json(comparison)},
               {"notes", comparison.notes}};
  if (comparison.uniform_shift) {
    const UniformShift& shift = *comparison.uniform_shift;
    head["uniform_shift"] = {{"median_ratio", digits(shift.median_ratio)},
                             {"share_pct", pct(shift.share)},
                             {"rows", shift.rows}};
  }
  std::string text = "{";
  bool first = true;
  for (const auto& [name, value] : head.items()) {
    text += fmt::format("{}\n  \"{}\": {}", first ? "" : ",", name, line(value));
    first = false;
  }
  text += lines("families", comparison.families, family_json);
  text += lines("rows", comparison.rows,
                [&](const RowComparison& row) { return row_json(row, comparison.rules); });
  return text + "\n}\n";
}

}  // namespace collbench
