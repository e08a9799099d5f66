// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/compare.h"
#include "analysis/compare_words.h"
#include "report/figures.h"
#include "report/sections.h"

namespace collbench::report {
namespace {

constexpr std::size_t kMostRows = 2'000;
constexpr std::size_t kMostBars = 40;  // that one still reads
constexpr double kMostPercent = 100;   // of a change, as drawn

Tone tone_of(ChangeVerdict verdict) {
  switch (verdict) {
    case ChangeVerdict::error:
    case ChangeVerdict::missing:
    case ChangeVerdict::regression:
      return Tone::bad;
    case ChangeVerdict::suspect:
    case ChangeVerdict::inconclusive:
    case ChangeVerdict::incomparable:
      return Tone::caution;
    case ChangeVerdict::improvement:
      return Tone::good;
    case ChangeVerdict::fresh:
    case ChangeVerdict::unchanged:
      break;
  }
  return Tone::plain;
}

Tone tone_of(OverallVerdict verdict) {
  switch (verdict) {
    case OverallVerdict::pass:
      return Tone::good;
    case OverallVerdict::regression:
    case OverallVerdict::mixed:
    case OverallVerdict::error:
      return Tone::bad;
    case OverallVerdict::inconclusive:
    case OverallVerdict::nothing_comparable:
      break;
  }
  return Tone::caution;
}

std::string name_of_row(const RowComparison& row) {
  const MeasurementKey& key = row.row().key;
  return fmt::format("{}, {}", subject_of(key), describe_row(key));
}

std::string time_text(const std::optional<double>& seconds) {
  return seconds ? duration(*seconds) : "";
}

// ---- rows

Table rows_table(const Comparison& comparison) {
  Table table = {.columns = {{"row", true},
                             {"verdict", true},
                             {"base"},
                             {"new"},
                             {"change"},
                             {"95 % interval"},
                             {"why", true}},
                 .rows = {}};
  const std::size_t shown = std::min(comparison.rows.size(), kMostRows);
  for (const RowComparison& row : std::span(comparison.rows).first(shown)) {
    const ChangeVerdict verdict = row.finding.verdict;
    table.rows.push_back({{name_of_row(row)},
                          {std::string(name_of(verdict)), tone_of(verdict)},
                          {time_text(row.base_s)},
                          {time_text(row.candidate_s)},
                          {row.change ? format_change(row.change->ratio) : ""},
                          {row.change ? format_interval(*row.change) : ""},
                          {explain(row)}});
  }
  table.left_out = comparison.rows.size() - shown;
  return table;
}

/// As drawn: what is beyond would leave nothing to see of all others.
double percent_of(double ratio) {
  return std::clamp(100 * (ratio - 1), -kMostPercent, kMostPercent);
}

/// The first rows, which are those that somebody has to act on: intervals and, within them, the
/// changes.
std::optional<Chart> changes_chart(const Comparison& comparison) {
  Chart chart = {.kind = ChartKind::spans,
                 .title = "Change in time, above 0 is slower",
                 .description = "Changes of rows with their 95 % intervals, in percent.",
                 .x = {"%"},
                 .y = {"", Scale::category}};
  Series intervals = {.label = "95 % interval", .dashed = true}, changes = {.label = "change"};
  for (const RowComparison& row : comparison.rows) {
    if (!row.change || chart.categories.size() >= kMostBars) continue;
    const std::size_t line = chart.categories.size();
    const std::string label = fmt::format("{}: {}", name_of(row.finding.verdict), name_of_row(row));
    chart.categories.push_back(label);
    const double change = percent_of(row.change->ratio);
    changes.spans.push_back({change, change, line, label});
    if (const auto& interval = row.change->interval95) {
      intervals.spans.push_back(
          {percent_of(interval->low), percent_of(interval->high), line, label});
    }
  }
  if (changes.spans.empty()) return std::nullopt;
  // The first is drawn on top.
  chart.series = {std::move(changes), std::move(intervals)};
  return chart;
}

Figure rows_figure(const Comparison& comparison) {
  Figure figure = {.title = "Rows, first those to act on"};
  figure.sentences = {
      fmt::format("The chart has the first {} rows that both sides have, and ends at {:g} %.",
                  kMostBars, kMostPercent)};
  if (auto chart = changes_chart(comparison)) figure.charts.push_back(std::move(*chart));
  figure.table = rows_table(comparison);
  return figure;
}

// ---- families

std::optional<Figure> families_figure(const Comparison& comparison) {
  if (comparison.families.empty()) return std::nullopt;
  Figure figure = {.title = "Rows together"};
  figure.sentences = {
      "Rows of one collective, or of one size class of it: a change that all of them share shows "
      "here before it shows in any single row."};
  Table table = {.columns = {{"of", true},
                             {"sizes", true},
                             {"rows"},
                             {"verdict", true},
                             {"change"},
                             {"95 % interval"},
                             {"why", true}},
                 .rows = {}};
  for (const FamilyComparison& family : comparison.families) {
    const ChangeVerdict verdict = family.finding.verdict;
    table.rows.push_back({{family.subject},
                          {family.size_class.empty() ? "all" : family.size_class},
                          {fmt::format("{}", family.rows)},
                          {std::string(name_of(verdict)), tone_of(verdict)},
                          {format_change(family.change.ratio)},
                          {format_interval(family.change)},
                          {explain(family)}});
  }
  figure.table = std::move(table);
  return figure;
}

std::optional<Figure> environment_figure(const Comparison& comparison) {
  if (comparison.environment.empty()) return std::nullopt;
  Figure figure = {.title = "In what the sides' environments differ"};
  Table table = {.columns = {{"what", true}, {"base", true}, {"new", true}, {"notes", true}},
                 .rows = {}};
  for (const EnvironmentDifference& difference : comparison.environment) {
    table.rows.push_back({{difference.name},
                          {difference.base},
                          {difference.candidate},
                          {difference.is_hard ? "other machines: times are not comparable" : "",
                           difference.is_hard ? Tone::caution : Tone::plain}});
  }
  figure.table = std::move(table);
  return figure;
}

Launches launches_of(std::span<const Run> runs) {
  LaunchCollector collector;
  for (const Run& run : runs) collector.add(run.name, run.document);
  return collector.take();
}

}  // namespace

std::optional<Section> changes_section(std::span<const Run> base, std::span<const Run> candidate) {
  if (base.empty() || candidate.empty()) return std::nullopt;
  const Launches before = launches_of(base), after = launches_of(candidate);
  const CompareRules rules = parse_compare_rules(default_compare_rules_text());
  const Comparison comparison = compare(before, after, rules);
  const OverallVerdictRow& verdict = row_of(comparison.verdict);
  Section section = {.id = "changes", .title = "What has changed"};
  section.notes.push_back({fmt::format("{}: {}", verdict.shout, summary_line(comparison)),
                           tone_of(comparison.verdict)});
  for (const std::string& note : comparison.notes) {
    section.notes.push_back({note, Tone::caution});
  }
  section.sentences = {
      "By the rules of collbench compare, whose defaults these are; collbench compare takes others "
      "and ends with a status of its own."};
  if (auto figure = families_figure(comparison)) section.figures.push_back(std::move(*figure));
  section.figures.push_back(rows_figure(comparison));
  if (auto figure = environment_figure(comparison)) section.figures.push_back(std::move(*figure));
  return section;
}

}  // namespace collbench::report
