// SPDX-License-Identifier: Apache-2.0
// The closing lines of the table.
#include <fmt/format.h>

#include "results/copy_rows.h"
#include "results/cycle_table.h"
#include "results/operation_rows.h"
#include "results/plateau.h"
#include "results/row_flags.h"
#include "results/row_pair.h"
#include "results/summary.h"
#include "results/table.h"
#include "results/verdicts.h"

namespace collbench {
namespace {

/// What a soak found beyond the rows, which are those of its first cycle.
std::uint64_t wrong_in_later_cycles(const Document& document,
                                    const std::optional<GroupKey>& group) {
  std::uint64_t wrong = 0;
  for (const CycleRow& row : document.cycles) {
    wrong += row.cycle > 1 && row.status == RowStatus::wrong &&
             document.rows.at(row.row).key.group == group;
  }
  return wrong;
}

std::string out_of_bounds(const Summary& summary, std::uint64_t wrong, const TableStyle& style) {
  if (summary.checked == 0 && !style.nccl_tests) return "N/A (nothing checked)";
  return fmt::format("{} {}", wrong, wrong == 0 ? "OK" : "FAILED");
}

std::string average(const Summary& summary) {
  if (summary.mean_bus_bandwidth_Bps) {
    return fmt::format("{:g}", *summary.mean_bus_bandwidth_Bps / 1e9);
  }
  if (summary.measured == 0) return "N/A (nothing measured)";
  return summary.measured == summary.wrong ? "N/A (all data wrong)" : "N/A (1 rank)";
}

std::string left_out(std::uint64_t wrong) {
  if (wrong == 0) return "";
  return comment_line("The average leaves out placements with wrong data");
}

/// The verdict of the average stands on its line, as in nccl-tests.
std::string rows_in_short(const Summary& summary, std::uint64_t wrong_later,
                          const Thresholds& thresholds, const TableStyle& style) {
  const std::optional<Verdict> verdict = judge_average(thresholds, summary);
  const std::uint64_t wrong = summary.wrong + wrong_later;
  const std::string bounds =
      comment_line("Out of bounds values : " + out_of_bounds(summary, wrong, style));
  const std::string mean =
      comment_line(fmt::format("Avg bus bandwidth    : {} {}", average(summary),
                               verdict ? row_of(verdict->judgement).shout : ""));
  const bool slow = verdict && verdict->judgement != Judgement::met;
  return (wrong > 0 ? highlighted(bounds, style) : bounds) +
         (slow ? highlighted(mean, style) : mean) + (style.nccl_tests ? "" : left_out(wrong));
}

/// Of each group for itself, where ranks are split.
std::string rows_in_short(const Document& document, const TableStyle& style) {
  const std::vector<GroupSummary> groups = summarize_groups(document.rows, document.cycles);
  const Thresholds& thresholds = document.config.thresholds;
  const auto in_short = [&](const Summary& summary, const std::optional<GroupKey>& group) {
    return rows_in_short(summary, wrong_in_later_cycles(document, group), thresholds, style);
  };
  if (groups.empty()) return in_short(summarize(document.rows, document.cycles), std::nullopt);
  std::string text;
  for (const GroupSummary& group : groups) {
    text += group_line(group.group) + in_short(group.summary, group.group);
  }
  return text;
}

std::string verdict_line(const Verdict& verdict, const Thresholds& thresholds) {
  const double required_GBps = verdict.required_Bps / 1e9;
  if (!verdict.requested_bytes) {
    return comment_line(fmt::format(
        "{} is {:g} GB/s, less {} %: the average has to reach {:g} GB/s", kMinBandwidthVariable,
        *thresholds.mean_bus_bandwidth_Bps / 1e9, kToleratedPercent, required_GBps));
  }
  const std::string found =
      verdict.found_Bps ? fmt::format("{:g}", *verdict.found_Bps / 1e9) : "N/A";
  return comment_line(fmt::format("Min bus bandwidth    : {} of at least {:g} at {} B {}", found,
                                  required_GBps, *verdict.requested_bytes,
                                  row_of(verdict.judgement).shout));
}

std::string verdict_lines(const Document& document, const TableStyle& style) {
  std::string text;
  const Thresholds& thresholds = document.config.thresholds;
  for (const Verdict& verdict : judge(thresholds, document.rows, document.cycles)) {
    if (!verdict.requested_bytes && style.nccl_tests) continue;  // said on the average's line
    const bool bad = verdict.requested_bytes && verdict.judgement != Judgement::met;
    const std::string line = verdict_line(verdict, thresholds);
    text += bad ? highlighted(line, style) : line;
  }
  return text;
}

/// Of the row with the highest, where the NICs of a node are known.
std::string nic_line(const Document& document, std::string_view when) {
  const Record* fastest = nullptr;
  for (const Record& row : document.rows) {
    if (!row.nic_Bps || row.status != RowStatus::ok) continue;
    if (fastest == nullptr || *row.nic_Bps > *fastest->nic_Bps) fastest = &row;
  }
  if (fastest == nullptr) return "";
  return comment_line(fmt::format(
      "Peak NIC rate        : {:g} at {} B {}{} (each of {} of a node, one direction, at least)",
      *fastest->nic_Bps / 1e9, fastest->key.message_bytes,
      fastest->key.in_place ? "in place" : "out of place", when,
      document.config.nics_per_node.value_or(1)));
}

/// What an average over all sizes does not tell.
std::string peak_lines(const Document& document) {
  const std::vector<Record>& rows = document.rows;
  const std::string_view when = document.cycles.empty() ? "" : ", in the first cycle";
  const Record* peak = peak_row(rows);
  if (peak == nullptr) return "";
  std::string text = comment_line(
      fmt::format("Peak bus bandwidth   : {:g} at {} B {}{}", *peak->bus_bandwidth_Bps / 1e9,
                  peak->key.message_bytes, peak->key.in_place ? "in place" : "out of place", when));
  if (const auto level = plateau(rows)) {
    text += comment_line(fmt::format(
        "Plateau              : {:g} from {} B on (median; each row within 10 % of the peak){}",
        level->bus_bandwidth_Bps / 1e9, level->from_bytes, when));
  }
  return text + nic_line(document, when);
}

std::string flag_lines(const Document& document) {
  std::string text;
  for (const std::string& line : explain_flags(document.rows, document.config.sampling)) {
    text += comment_line(line);
  }
  return text;
}

/// As nccl-tests has it.
std::string memory_line(const Document& document) {
  if (!document.gpu_memory) return "";
  const GpuMemoryUse& use = *document.gpu_memory;
  return comment_line(fmt::format(
      "GPU memory usage     : Initialization {} | User-Allocated {} | Collective {} | Total {}",
      format_bytes(use.communicators_bytes), format_bytes(use.buffers_bytes),
      format_bytes(use.operations_bytes), format_bytes(use.total_bytes())));
}

std::string conclusion(const Document& document) {
  const RunFacts& run = document.run;
  const std::string& program = document.config.program;
  if (document.incomplete) {
    return fmt::format("incomplete: {}: the run was killed, or is still going", program);
  }
  if (run.status == RunStatus::running || run.status == RunStatus::complete) {
    return "concluded: " + program;
  }
  return fmt::format("ended early: {}: {}{}{}", program, name_of(run.status),
                     run.message.empty() ? "" : ": ", run.message);
}

/// Rows of different operations have no average.
std::string operations_footer(const Document& document) {
  return slowest_copies(document) + explain_modes(document.rows) + flag_lines(document) + "#\n" +
         comment_line("Test " + conclusion(document)) + "#\n\n";
}

}  // namespace

std::string table_footer(const Document& document, const TableStyle& style) {
  if (document.config.mode == kModeOfEachRow) return operations_footer(document);
  std::string text = rows_in_short(document, style);
  text += verdict_lines(document, style);
  if (!style.nccl_tests) {
    text += peak_lines(document) + flag_lines(document) + cycle_lines(document, style);
  }
  text += memory_line(document);
  return text + "#\n" + comment_line("Collective test " + conclusion(document)) + "#\n\n";
}

}  // namespace collbench
