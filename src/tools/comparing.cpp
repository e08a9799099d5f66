// SPDX-License-Identifier: Apache-2.0
#include "tools/comparing.h"

#include <fmt/format.h>

#include <set>

#include "base/errors.h"
#include "report/comparison_formats.h"
#include "results/open_file.h"
#include "tools/other_file.h"
#include "traffic/traffic.h"

namespace collbench {
namespace {

constexpr std::string_view kPasses =
    "\nNote: the status is 0, since no regression was found; --fail-on inconclusive makes it 6.\n";

std::string formatted(const Comparison& comparison, ComparisonFormat format, bool explain) {
  switch (format) {
    case ComparisonFormat::text:
      return comparison_text(comparison, explain);
    case ComparisonFormat::markdown:
      return comparison_markdown(comparison, explain);
    case ComparisonFormat::json:
      return comparison_json(comparison);
    case ComparisonFormat::csv:
      return comparison_csv(comparison);
    case ComparisonFormat::junit:
      return comparison_junit(comparison);
    case ComparisonFormat::gha:
      return comparison_gha(comparison);
    case ComparisonFormat::gbench:
      return comparison_gbench(comparison);
    case ComparisonFormat::bmf:
      break;
  }
  return comparison_bmf(comparison);
}

/// Those that rows have, and all that this suite measures: rules may be meant for several files.
std::set<std::string> subjects_of(const Sides& sides) {
  std::set<std::string> subjects = {
#include "patterns.inc"
  };
  for (const traffic::Traffic& row : traffic::kAll) subjects.emplace(row.name);
  for (const Launches* side : {&sides.base, &sides.candidate}) {
    for (const LaunchRow& row : side->rows) subjects.insert(subject_of(row.key));
  }
  return subjects;
}

}  // namespace

void require_writable(const ComparingOptions& options, const std::vector<std::string>& inputs) {
  for (const ComparisonOutput& output : options.outputs) {
    if (output.file.empty()) continue;
    require_replaceable(output.file);
    require_other_file("--format", output.file, inputs);
    if (options.rules_file) require_other_file("--format", output.file, {*options.rules_file});
  }
}

CompareRules read_rules(const std::optional<std::string>& file) {
  if (!file) return parse_compare_rules(default_compare_rules_text());
  const std::string text = read_file(*file);
  try {
    return parse_compare_rules(text);
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: {}", *file, error.what()));
  }
}

Sides take_sides(LaunchCollector& base, LaunchCollector& candidate, const CompareRules& rules) {
  require_matches(base, candidate);
  Sides sides = {base.take(), candidate.take()};
  require_subjects(rules, subjects_of(sides));
  return sides;
}

ExitStatus finish_comparison(const Comparison& comparison, const ComparingOptions& options) {
  const ExitStatus status = status_of(comparison, options.fail_on);
  const bool passes_unknown =
      status == ExitStatus::ok && comparison.verdict == OverallVerdict::inconclusive;
  for (const ComparisonOutput& output : options.outputs) {
    const std::string text = formatted(comparison, output.format, options.explain);
    if (output.file.empty()) {
      fmt::print("{}", text);
      if (passes_unknown && output.format == ComparisonFormat::text) fmt::print("{}", kPasses);
    } else {
      replace_file(output.file, text);
    }
  }
  return status;
}

}  // namespace collbench
