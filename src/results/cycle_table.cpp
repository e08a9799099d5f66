// SPDX-License-Identifier: Apache-2.0
#include "results/cycle_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "results/cycle_summary.h"
#include "results/table.h"

namespace collbench {
namespace {

constexpr std::uint64_t kMostLines = 20;
constexpr std::size_t kMostDrifts = 8;

constexpr std::string_view kHeading =
    "# Cycles: medians over those of the first cycle, of the row that is fastest and slowest by "
    "that\n"
    "#       cycle                 began  fastest  slowest  #wrong\n";

std::string ratio(const std::optional<double>& value) {
  return value ? fmt::format("{:.3f}", *value) : "N/A";
}

std::string range_line(const CycleRange& range) {
  const std::string numbers = range.first == range.last
                                  ? std::to_string(range.first)
                                  : fmt::format("{}-{}", range.first, range.last);
  return comment_line(fmt::format("{:>11}  {:>20}  {:>7}  {:>7}  {:>6}", numbers, range.started,
                                  ratio(range.fastest), ratio(range.slowest), range.wrong));
}

/// "row 3 (1024 B, float sum, in place)", counted as in the file.
std::string name_of_row(const Document& document, std::size_t index) {
  const RowKey& key = document.rows.at(index).key;
  return fmt::format("row {} ({} B, {}{}, {}{}{})", index, key.message_bytes, name_of(key.type),
                     key.op ? fmt::format(" {}", name_of(*key.op)) : "",
                     key.root ? fmt::format("root {}, ", *key.root) : "",
                     key.in_place ? "in place" : "out of place",
                     key.group ? fmt::format(", group {}", key.group->index) : "");
}

std::string wrong_line(const Document& document, const CycleSummary& summary,
                       const TableStyle& style) {
  if (!summary.first_wrong) return "";
  const CycleRow& first = *summary.first_wrong;
  const std::string line =
      fmt::format("Wrong data over all cycles: {}, the first in cycle {}, {}: {}", summary.wrong,
                  first.cycle, name_of_row(document, first.row), first.reason);
  return highlighted(comment_line(line), style);
}

std::string drift_lines(const Document& document, const std::vector<CycleDrift>& drifts) {
  if (drifts.empty()) return "";
  std::string text = comment_line(fmt::format(
      "drift between cycles ({} of {} rows): medians rose or fell by over 2 % from the first half "
      "of the cycles to the second: heat, clocks, or something else that runs; look at the hosts, "
      "and at cycles in the file",
      drifts.size(), document.rows.size()));
  const std::size_t shown = std::min(drifts.size(), kMostDrifts);
  for (std::size_t i = 0; i < shown; ++i) {
    text += comment_line(fmt::format("  {}: {:+.1f} %", name_of_row(document, drifts[i].row),
                                     100 * drifts[i].change));
  }
  if (shown < drifts.size()) text += comment_line(fmt::format("  {} more", drifts.size() - shown));
  return text;
}

}  // namespace

std::string cycle_table(std::span<const CycleRow> cycles, const TableStyle& style) {
  if (cycles.empty() || style.nccl_tests) return "";
  std::string text(kHeading);
  for (const CycleRange& range : cycle_ranges(cycles, kMostLines)) text += range_line(range);
  return text + "#\n";
}

std::string cycle_lines(const Document& document, const TableStyle& style) {
  if (document.cycles.empty()) return "";
  const CycleSummary summary = summarize_cycles(document.cycles);
  return comment_line(fmt::format("Cycles begun         : {}", summary.begun)) +
         wrong_line(document, summary, style) + drift_lines(document, summary.drifts);
}

}  // namespace collbench
