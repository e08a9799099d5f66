// SPDX-License-Identifier: Apache-2.0
#include "report/comparison_formats.h"

#include <fmt/format.h>

#include "analysis/compare_words.h"
#include "base/counted.h"
#include "report/escape.h"

namespace collbench {
namespace {

std::string cells(char mark, std::string_view verdict, const std::optional<Change>& change,
                  const Threshold& threshold) {
  return fmt::format(
      "{} {:<12} {:>9} {:>19} {:>9}", mark, verdict, change ? format_change(change->ratio) : "",
      change ? format_interval(*change) : "", change ? format_threshold(*change, threshold) : "");
}

char mark_of(ChangeVerdict verdict) {
  return kChangeVerdicts[static_cast<std::size_t>(verdict)].mark;
}

std::string time_text(const std::optional<double>& time_s) {
  return time_s ? format_time(*time_s) : "";
}

std::string row_line(const RowComparison& row) {
  const Finding& finding = row.finding;
  return fmt::format(
      "{} {:>9} {:>9} {:>5}  {} {}\n",
      cells(mark_of(finding.verdict), name_of(finding.verdict), row.change, row.threshold),
      time_text(row.base_s), time_text(row.candidate_s),
      fmt::format("{}/{}", row.base_launches, row.candidate_launches),
      report::readable(subject_of(row.row().key)), report::readable(describe_row(row.row().key)));
}

std::string detectable_text(const std::optional<Change>& change) {
  if (!change || !change->detectable) return "";
  return fmt::format("; {:.1f} % slower would be found in 85 of 100 cases",
                     *change->detectable * 100);
}

std::string row_lines(const Comparison& comparison, bool explain_rows) {
  std::string text;
  if (explain_rows) {
    text = "change: of the geometric means over launches; base, new: the medians of launches\n";
  }
  text += fmt::format("{:<14} {:>9} {:>19} {:>9} {:>9} {:>9} {:>5}  {}\n", "  verdict", "change",
                      "95 % interval", "threshold", "base", "new", "n", "row");
  for (const RowComparison& row : comparison.rows) {
    if (row.finding.verdict == ChangeVerdict::unchanged && !explain_rows) continue;
    text += row_line(row);
    if (explain_rows) {
      text += fmt::format("    {}: {}{}\n", name_of(row.finding.reason),
                          report::readable(explain(row)), detectable_text(row.change));
    }
  }
  const std::size_t unchanged = comparison.count(ChangeVerdict::unchanged);
  if (unchanged > 0 && !explain_rows) {
    text += fmt::format("= {}, which --explain lists\n", counted(unchanged, "unchanged row"));
  }
  return text;
}

std::string family_lines(const Comparison& comparison, bool explain_families) {
  if (comparison.families.empty()) return "";
  std::string text = fmt::format("\nRows together, by the geometric mean of their ratios\n");
  for (const FamilyComparison& family : comparison.families) {
    const Finding& finding = family.finding;
    text += fmt::format(
        "{}  {} {}, {}\n",
        cells(mark_of(finding.verdict), name_of(finding.verdict), family.change, family.threshold),
        report::readable(family.subject),
        family.size_class.empty() ? "all sizes" : report::readable(family.size_class),
        counted(family.rows, "row"));
    if (explain_families) {
      text += fmt::format("    {}: {}{}\n", name_of(finding.reason), explain(family),
                          detectable_text(family.change));
    }
  }
  return text;
}

std::string or_nothing(const std::string& text) { return text.empty() ? "(nothing)" : text; }

std::string environment_lines(const Comparison& comparison) {
  if (comparison.environment.empty()) return "\nThe environments are equal.\n";
  std::string text = "\nWhat differs besides the times\n";
  for (const EnvironmentDifference& difference : comparison.environment) {
    text += fmt::format("  {}{}: {} -> {}\n", report::readable(difference.name),
                        difference.is_hard ? " (another machine)" : "",
                        report::readable(or_nothing(difference.base)),
                        report::readable(or_nothing(difference.candidate)));
  }
  return text;
}

std::string note_lines(const Comparison& comparison) {
  std::string text;
  for (const std::string& note : comparison.notes) {
    text += fmt::format("\nNote: {}.\n", report::readable(note));
  }
  return text;
}

}  // namespace

std::string comparison_text(const Comparison& comparison, bool explain) {
  return fmt::format("{}: {}\n\n", row_of(comparison.verdict).shout, summary_line(comparison)) +
         row_lines(comparison, explain) + family_lines(comparison, explain) +
         environment_lines(comparison) + note_lines(comparison);
}

}  // namespace collbench
