// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>

#include "analysis/compare_words.h"
#include "base/counted.h"
#include "report/comparison_formats.h"
#include "report/escape.h"

namespace collbench {
namespace {

using report::markdown_text;

constexpr std::size_t kMostImprovements = 10;
constexpr std::size_t kMostText = 200;  // of one value of an environment, or one note

/// Text of at most so many bytes. What does not fit is left out line by line, and counted.
class Limited {
 public:
  explicit Limited(std::size_t most) : most_(most) {}

  /// Whether it fitted.
  bool add(const std::string& text) {
    if (text_.size() + text.size() > most_) return false;
    text_ += text;
    return true;
  }

  void add_line(const std::string& line) {
    if (left_out_ > 0 || !add(line)) ++left_out_;
  }

  void leave_out(std::size_t lines) { left_out_ += lines; }

  std::string finish() && {
    if (left_out_ == 0) return std::move(text_);
    return text_ + fmt::format("\n{} left out here: --format json has them all.\n",
                               counted(left_out_, "line") + (left_out_ == 1 ? " is" : " are"));
  }

 private:
  std::size_t most_;
  std::string text_;
  std::size_t left_out_ = 0;
};

std::string shortened(const std::string& text) {
  return text.size() <= kMostText ? text : fmt::format("{}...", text.substr(0, kMostText));
}

std::string time_text(const std::optional<double>& time_s) {
  return time_s ? format_time(*time_s) : "";
}

std::string change_cells(const std::optional<Change>& change, const Threshold& threshold) {
  if (!change) return " | | ";
  return fmt::format("{} | {} | {}", format_change(change->ratio), format_interval(*change),
                     format_threshold(*change, threshold));
}

std::string row_line(const RowComparison& row, bool explain_row) {
  const MeasurementKey& key = row.row().key;
  const bool has_times = row.change.has_value();
  return fmt::format("| {} | {} {} | {} | {} | {} | {}/{} | {} |\n", name_of(row.finding.verdict),
                     markdown_text(subject_of(key)), markdown_text(shortened(describe_row(key))),
                     change_cells(row.change, row.threshold), time_text(row.base_s),
                     time_text(row.candidate_s), row.base_launches, row.candidate_launches,
                     explain_row || !has_times ? markdown_text(shortened(explain(row)))
                                               : std::string(name_of(row.finding.reason)));
}

constexpr const char* kRowHead =
    "\n| verdict | row | change | 95 % interval | threshold | base | new | n | why |\n"
    "|---|---|--:|--:|--:|--:|--:|--:|---|\n";

using Rows = std::vector<const RowComparison*>;

Rows rows_of(const Comparison& comparison, std::initializer_list<ChangeVerdict> verdicts) {
  Rows rows;
  for (const RowComparison& row : comparison.rows) {
    if (std::find(verdicts.begin(), verdicts.end(), row.finding.verdict) != verdicts.end()) {
      rows.push_back(&row);
    }
  }
  return rows;
}

void add_rows(Limited& text, const std::string& title, const Rows& rows, bool explain_rows) {
  if (rows.empty()) return;
  if (!text.add(title + kRowHead)) return text.leave_out(rows.size());
  for (const RowComparison* row : rows) text.add_line(row_line(*row, explain_rows));
}

void add_folded(Limited& text, const Rows& rows, bool explain_rows) {
  if (rows.empty()) return;
  constexpr const char* kEnd = "\n</details>\n";
  const std::string title =
      fmt::format("\n<details><summary>{}</summary>\n", counted(rows.size(), "other row"));
  if (!text.add(title + kRowHead)) return text.leave_out(rows.size());
  for (const RowComparison* row : rows) text.add_line(row_line(*row, explain_rows));
  text.add(kEnd);
}

void add_families(Limited& text, const Comparison& comparison, bool explain_families) {
  if (comparison.families.empty()) return;
  text.add(
      "\n### Rows together\n\nBy the geometric mean of their ratios.\n\n"
      "| verdict | rows | change | 95 % interval | threshold | why |\n"
      "|---|---|--:|--:|--:|---|\n");
  for (const FamilyComparison& family : comparison.families) {
    text.add_line(fmt::format(
        "| {} | {} {}, {} | {} | {} |\n", name_of(family.finding.verdict),
        markdown_text(family.subject),
        family.size_class.empty() ? "all sizes" : markdown_text(family.size_class),
        counted(family.rows, "row"), change_cells(family.change, family.threshold),
        explain_families ? explain(family) : std::string(name_of(family.finding.reason))));
  }
}

void add_environment(Limited& text, const Comparison& comparison) {
  if (comparison.environment.empty()) {
    text.add("\nThe environments are equal.\n");
    return;
  }
  text.add("\n### What differs besides the times\n\n| what | base | new |\n|---|---|---|\n");
  for (const EnvironmentDifference& difference : comparison.environment) {
    text.add_line(fmt::format("| {}{} | {} | {} |\n", markdown_text(difference.name),
                              difference.is_hard ? " (another machine)" : "",
                              markdown_text(shortened(difference.base)),
                              markdown_text(shortened(difference.candidate))));
  }
}

void add_notes(Limited& text, const Comparison& comparison) {
  for (const std::string& note : comparison.notes) {
    text.add_line(fmt::format("\n> {}.\n", markdown_text(note)));
  }
}

}  // namespace

std::string comparison_markdown(const Comparison& comparison, bool explain,
                                std::size_t most_bytes) {
  using enum ChangeVerdict;
  constexpr std::size_t kLastLine = 100;
  Limited text(most_bytes - kLastLine);
  text.add(fmt::format("{}\n## collbench: {}\n\n{}.\n", kCommentMarker,
                       row_of(comparison.verdict).shout, summary_line(comparison)));
  add_notes(text, comparison);
  add_rows(text, "\n### What to look at\n",
           rows_of(comparison, {error, missing, regression, suspect}), explain);
  add_environment(text, comparison);
  add_families(text, comparison, explain);
  Rows improvements = rows_of(comparison, {improvement});
  Rows others = rows_of(comparison, {inconclusive, incomparable, fresh, unchanged});
  if (improvements.size() > kMostImprovements) {
    others.insert(others.begin(), improvements.begin() + kMostImprovements, improvements.end());
    improvements.resize(kMostImprovements);
  }
  add_rows(text, "\n### Improvements\n", improvements, explain);
  add_folded(text, others, explain);
  return std::move(text).finish();
}

}  // namespace collbench
