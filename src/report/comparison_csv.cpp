// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>
#include <vector>

#include "analysis/compare_words.h"
#include "report/comparison_formats.h"
#include "report/csv.h"
#include "results/units.h"

namespace collbench {
namespace {

struct Field {
  std::string_view name;
  std::string value;
};

template <class T>
std::string or_empty(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "";
}

std::string number(const std::optional<double>& value, double factor = 1) {
  return value ? fmt::format("{:.6g}", *value * factor) : "";
}

std::string us(const std::optional<double>& time_s) {
  return time_s ? fmt::format("{}", us_from_s(*time_s)) : "";
}

std::vector<Field> fields_of(const RowComparison& row, const CompareRules& rules) {
  const MeasurementKey& key = row.row().key;
  const Change change = row.change.value_or(Change{});
  const auto& interval = change.interval95;
  return {
      {"verdict", std::string(name_of(row.finding.verdict))},
      {"reason", std::string(name_of(row.finding.reason))},
      {"name", row.row().name},
      {"subject", subject_of(key)},
      {"size_class", std::string(class_of(rules, key))},
      {"message_bytes", or_empty(message_bytes_of(key))},
      {"base_launches", fmt::format("{}", row.base_launches)},
      {"new_launches", fmt::format("{}", row.candidate_launches)},
      {"base_us", us(row.base_s)},
      {"new_us", us(row.candidate_s)},
      {"ratio", row.change ? number(change.ratio) : ""},
      {"ratio_ci95_low", interval ? number(interval->low) : ""},
      {"ratio_ci95_high", interval ? number(interval->high) : ""},
      {"slower_probability", number(change.slower_probability)},
      {"detectable_pct", number(change.detectable, 100)},
      {"slower_threshold_pct", number(row.threshold.slower, 100)},
      {"faster_threshold_pct", number(row.threshold.faster, 100)},
      {"explanation", explain(row)},
  };
}

std::string header() {
  const Launches side = {.launches = {}, .environments = {}, .rows = {{RowKey{}, "", {}, {}, {}}}};
  const CompareRules rules = parse_compare_rules(default_compare_rules_text());
  std::string line;
  for (const Field& field : fields_of({.base = &side.rows[0]}, rules)) {
    line += fmt::format("{}{}", line.empty() ? "" : ",", field.name);
  }
  return line + "\n";
}

}  // namespace

std::string comparison_csv(const Comparison& comparison) {
  std::string text = header();
  for (const RowComparison& row : comparison.rows) {
    bool first = true;
    for (const Field& field : fields_of(row, comparison.rules)) {
      text += fmt::format("{}{}", first ? "" : ",", csv_field(field.value));
      first = false;
    }
    text += '\n';
  }
  return text;
}

}  // namespace collbench
