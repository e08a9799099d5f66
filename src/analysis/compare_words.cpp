// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare_words.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "base/bytes.h"
#include "base/counted.h"

namespace collbench {
namespace {

std::string counted_launches(std::size_t n) {
  return fmt::format("{} launch{}", n, n == 1 ? "" : "es");
}

double percent(double ratio) { return (ratio - 1) * 100; }

/// "+5.2"; what is beyond all measure is only said to be that.
std::string signed_percent(double ratio) {
  constexpr double kMost = 999;
  return percent(ratio) > kMost ? fmt::format("over +{:g}", kMost)
                                : fmt::format("{:+.1f}", percent(ratio));
}

std::string change_words(const Change& change) {
  const std::string size = fmt::format("{:.1f} %", std::abs(percent(change.ratio)));
  const std::string way = change.ratio > 1 ? "slower" : "faster";
  if (!change.interval95) return fmt::format("{} {}", size, way);
  return fmt::format("{} {} ({})", size, way, format_interval(change));
}

std::string explain_change(const Change& change, const Threshold& threshold, ChangeReason reason) {
  const std::string words = change_words(change);
  const std::string beyond = format_threshold(change, threshold);
  switch (reason) {
    case ChangeReason::slower:
    case ChangeReason::faster:
      return fmt::format("{}: more than the threshold of {}, and not by chance", words, beyond);
    case ChangeReason::within_threshold:
      return fmt::format("{}: within the threshold of {}, and no more than chance", words, beyond);
    case ChangeReason::below_threshold:
      return fmt::format("{}: a change, but less than the threshold of {}", words, beyond);
    case ChangeReason::too_noisy:
      return fmt::format(
          "{}: launches scatter so much that twice the threshold of {} could "
          "not be seen; measure more of them, or on a quieter machine",
          words, beyond);
    case ChangeReason::near_threshold:
      return fmt::format("{}: the interval reaches beyond the threshold of {}", words, beyond);
    case ChangeReason::not_significant:
      return fmt::format(
          "{}: more than the threshold of {}, but that may be chance; measure "
          "more launches",
          words, beyond);
    case ChangeReason::looks_slower:
      return fmt::format(
          "{}: more than the threshold of {}, on too few launches to tell it "
          "from chance",
          words, beyond);
    default:
      return fmt::format("{}: too few launches to tell a change from chance", words);
  }
}

std::string gap_words(const LaunchRow* row, std::string_view side) {
  if (row == nullptr || row->gaps.empty()) return "";
  const LaunchGap* worst = &row->gaps.front();
  for (const LaunchGap& gap : row->gaps) {
    if (gap.status == RowStatus::wrong && worst->status != RowStatus::wrong) worst = &gap;
  }
  return fmt::format("{} in {} of the {} side: {}", name_of(worst->status),
                     counted_launches(row->gaps.size()), side, worst->reason);
}

std::string explain_absence(const RowComparison& row) {
  switch (row.finding.reason) {
    case ChangeReason::missing_row:
      return "the new side did not measure it";
    case ChangeReason::run_incomplete:
      return "a run of the new side did not come to its end, and has not measured it";
    case ChangeReason::new_row:
      return "the base side did not measure it";
    case ChangeReason::base_unusable:
      return gap_words(row.base, "base");
    case ChangeReason::environment_differs:
      return "its launches are of different machines";
    case ChangeReason::rarely_measured:
      return "most launches of the new side did not measure it, as those of the base did";
    case ChangeReason::same_run:
      return "a run is on both sides";
    default:
      return gap_words(row.candidate, "new");
  }
}

std::string describe_operation(const RowKey& key) {
  std::vector<std::string> parts = {format_bytes(key.message_bytes),
                                    std::string(name_of(key.type))};
  if (key.op) parts.emplace_back(name_of(*key.op));
  if (key.in_place) parts.emplace_back("in place");
  if (key.root) parts.push_back(fmt::format("root {}", *key.root));
  parts.push_back(counted(key.ranks, "rank"));
  if (key.nodes > 1) parts.push_back(counted(key.nodes, "host"));
  parts.push_back(key.backend);
  if (key.mode != "streaming") parts.push_back(key.mode);
  if (key.aggregation != "max") parts.push_back(key.aggregation + " over ranks");
  if (key.ranks_per_process > 1) {
    parts.push_back(fmt::format("{} ranks per process", key.ranks_per_process));
  }
  if (key.grouped_operations > 1) parts.push_back(fmt::format("{} fused", key.grouped_operations));
  if (key.offset_elements > 0) parts.push_back(fmt::format("offset {}", key.offset_elements));
  if (!key.matrix.empty()) parts.push_back(key.matrix);
  if (key.group) parts.push_back(fmt::format("group {} of {}", key.group->index, key.group->rule));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string format_time(double time_s) {
  if (time_s >= 1) return fmt::format("{:.4g} s", time_s);
  if (time_s >= 1e-3) return fmt::format("{:.4g} ms", time_s * 1e3);
  return fmt::format("{:.4g} us", time_s * 1e6);
}

std::string format_change(double ratio) { return signed_percent(ratio) + " %"; }

std::string format_threshold(const Change& change, const Threshold& threshold) {
  return fmt::format("{:.3g} %", 100 * (change.ratio > 1 ? threshold.slower : threshold.faster));
}

std::string format_interval(const Change& change) {
  if (!change.interval95) return "";
  return fmt::format("{} to {} %", signed_percent(change.interval95->low),
                     signed_percent(change.interval95->high));
}

std::string explain(const RowComparison& row) {
  return row.change ? explain_change(*row.change, row.threshold, row.finding.reason)
                    : explain_absence(row);
}

std::string explain(const FamilyComparison& family) {
  return explain_change(family.change, family.threshold, family.finding.reason);
}

std::string summary_line(const Comparison& comparison) {
  std::vector<std::string> parts;
  for (const ChangeVerdictRow& row : kChangeVerdicts) {
    const std::size_t rows = comparison.count(row.verdict);
    if (rows > 0) parts.push_back(fmt::format("{} {}", rows, rows == 1 ? row.name : row.many));
  }
  std::size_t slower = 0;
  for (const FamilyComparison& family : comparison.families) {
    if (family.finding.verdict == ChangeVerdict::regression) ++slower;
  }
  std::string text = fmt::format(
      "{} of {} against {}: {}", counted(comparison.rows.size(), "row"),
      counted_launches(comparison.candidate->launches.size()), comparison.base->launches.size(),
      parts.empty() ? "nothing" : fmt::format("{}", fmt::join(parts, ", ")));
  if (slower > 0) text += fmt::format("; {} of rows slower as a whole", counted(slower, "group"));
  return text;
}

std::string describe_row(const MeasurementKey& key) {
  const auto* row = std::get_if<RowKey>(&key);
  if (row != nullptr) return describe_operation(*row);
  const std::string name = name_of(key);
  return name.substr(name.find('/') + 1);
}

}  // namespace collbench
