// SPDX-License-Identifier: Apache-2.0
#include "results/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

#include "base/clock.h"
#include "results/column_titles.h"
#include "results/method_lines.h"
#include "results/operation_rows.h"
#include "results/row_pair.h"
#include "results/statistics_columns.h"
#include "results/units.h"
#include "statistics/iterations.h"

namespace collbench {
namespace {

// ---- header

/// " mpi=4.0.2": the version is the last word of a library's name.
std::string libraries(const Environment& environment) {
  std::string text;
  for (const auto& [key, library] : environment.libraries) {
    text += fmt::format(" {}={}", key, library.substr(library.rfind(' ') + 1));
  }
  return text;
}

std::string version_line(const Document& document) {
  const RunFacts& run = document.run;
  const std::string program =
      run.imported_from.empty() ? "collbench " + run.version : "imported from " + run.imported_from;
  return comment_line(
      fmt::format("{} (nccl-tests 2.19.6 layout){}", program, libraries(document.environment)));
}

/// NCCL's version as one number, "2.27.9" as 22709; 0 where there is no NCCL.
int nccl_code(const Environment& environment) {
  const auto found = environment.libraries.find("nccl");
  if (found == environment.libraries.end()) return 0;
  int major = 0, minor = 0, patch = 0;
  const std::string& text = found->second;
  std::sscanf(text.c_str() + text.rfind(' ') + 1, "%d.%d.%d", &major, &minor, &patch);
  return 10000 * major + 100 * minor + patch;
}

/// By which parsers know nccl-tests.
std::string nccl_tests_line(const Document& document) {
  const int code = nccl_code(document.environment);
  return fmt::format("# nccl-tests version 2.19.6 nccl-headers={} nccl-library={}\n", code, code);
}

std::string count_or_auto(const std::optional<std::uint64_t>& count) {
  return count ? fmt::format("{}", *count) : "auto";
}

std::string step(const RunConfig& config) {
  if (config.step_factor) return fmt::format("{}(factor)", *config.step_factor);
  return fmt::format("{}(bytes)", config.step_bytes.value_or(0));
}

std::string settings_line(const RunConfig& config) {
  return fmt::format(
      "# nThread {} nGpus {} minBytes {} maxBytes {} step: {} warmup iters: {} iters: {} agg "
      "iters: "
      "{} validation: {} graph: {} unalign: {}\n",
      config.threads_per_process, config.gpus_per_thread, config.min_bytes, config.max_bytes,
      step(config), count_or_auto(config.warmup_iterations), count_or_auto(config.fixed_iterations),
      config.grouped_operations, config.check_iterations, config.graph_launches.value_or(0),
      config.offset_elements);
}

std::map<int, std::vector<int>> ranks_by_group(const Environment& environment) {
  std::map<int, std::vector<int>> groups;
  for (const RankFacts& rank : environment.ranks) {
    if (rank.group) groups[*rank.group].push_back(rank.rank);
  }
  return groups;
}

std::string device_line(const Environment& environment, const RankFacts& rank) {
  const std::string& host = environment.hosts.at(static_cast<std::size_t>(rank.host)).name;
  return comment_line(fmt::format(" Rank {:2} Group {:2} Pid {:6} on {:>10} device {:2} [{}] {}",
                                  rank.rank, rank.group.value_or(0), rank.pid,
                                  host.substr(0, host.find('.')), rank.device, rank.device_bus_id,
                                  rank.device_model));
}

/// Which ranks measure together, where they are split; empty where they are not.
std::string groups_lines(const Document& document) {
  if (document.config.split.empty()) return "";
  std::string text = comment_line(
      fmt::format("Groups of ranks by {}, all at the same time, each with rows of its own:",
                  document.config.split));
  for (const auto& [group, ranks] : ranks_by_group(document.environment)) {
    text += comment_line(fmt::format(" Group {:2}: ranks {}", group, fmt::join(ranks, ", ")));
  }
  return text + "#\n";
}

// ---- rows: in the digits of the file, so that a table made from that is the same to the last one

/// The number with as many digits as fit: %.2f, %.1f, %.0f, %.1e, %.0e.
std::string fit(double value, std::size_t width) {
  for (const char kind : {'f', 'e'}) {
    for (int digits = kind == 'f' ? 2 : 1; digits >= 0; --digits) {
      const std::string text = kind == 'f' ? fmt::format("{:.{}f}", value, digits)
                                           : fmt::format("{:.{}e}", value, digits);
      if (text.size() <= width) return text;
    }
  }
  return fmt::format("{:.0e}", value);
}

std::string bandwidth(const std::optional<double>& rate_Bps) {
  return rate_Bps ? fit(GBps_from_Bps(*rate_Bps), 6) : "N/A";
}

std::string wrong_count(const std::optional<DataCheck>& check) {
  if (!check) return "N/A";
  const auto wrong = static_cast<double>(check->wrong_elements);
  const std::string text = fmt::format("{:g}", wrong);
  return text.size() <= 6 ? text : fmt::format("{:.0e}", wrong);
}

/// What -C puts into the column of times.
double shown_time_s(const Timing& timing) {
  return timing.enqueue_s.empty() ? timing.median_s : statistics::median(timing.enqueue_s);
}

bool has_iterations(const Record* row) {
  return is_measured(row) && !row->timing->iteration_s.empty();
}

std::string iterations(const Record* row) {
  if (!has_iterations(row)) return fmt::format("  {0:>7}  {0:>7}  {0:>7}  {0:>7}", "N/A");
  const Timing& timing = *row->timing;
  const auto s = statistics::summarize_iterations(
      std::span(timing.iteration_s).subspan(timing.skipped_iterations));
  return fmt::format("  {:>7}  {:>7}  {:>7}  {:>7}", fit(us_from_s(s.min), 7),
                     fit(us_from_s(s.max), 7), fit(us_from_s(s.p99), 7), fit(s.variation * 100, 7));
}

std::string placement(const Record* row, bool with_iterations) {
  const bool measured = is_measured(row);
  return fmt::format("  {:>7}  {:>6}  {:>6}  {:>6}{}",
                     measured ? fit(us_from_s(shown_time_s(*row->timing)), 7) : "N/A",
                     measured ? bandwidth(row->algorithm_bandwidth_Bps) : "N/A",
                     measured ? bandwidth(row->bus_bandwidth_Bps) : "N/A",
                     row != nullptr ? wrong_count(row->check) : "N/A",
                     with_iterations ? iterations(row) : "");
}

/// Whether the numbers alone do not tell what happened.
bool has_reason(const Record* row) {
  return row != nullptr && (!is_measured(row) || row->status == RowStatus::wrong);
}

/// The comment line that says why; `where` says which placement, unless both are alike.
std::string reason_line(const Record& row, Bytes size_bytes, std::string_view where,
                        const TableStyle& style) {
  const std::string line =
      comment_line(fmt::format("{}  {}{}: {}", key_columns(row.key, size_bytes, 10), where,
                               name_of(row.status), row.reason));
  return row.status == RowStatus::skipped ? line : highlighted(line, style);
}

std::string reason_lines(const RowPair& pair, const TableStyle& style) {
  const bool first = has_reason(pair.out_of_place);
  const bool second = has_reason(pair.in_place);
  // The size as the line of numbers has it, if there is one; else what was asked for may be why.
  const auto line = [&](const Record& row, std::string_view where) {
    return reason_line(row,
                       pair.measured() != nullptr ? row.key.message_bytes : row.requested_bytes,
                       where, style);
  };
  if (first && second && pair.out_of_place->status == pair.in_place->status &&
      pair.out_of_place->reason == pair.in_place->reason) {
    return line(*pair.out_of_place, "");
  }
  return (first ? line(*pair.out_of_place, "out-of-place ") : "") +
         (second ? line(*pair.in_place, "in-place ") : "");
}

std::string timestamp(const RowPair& pair) {
  const Record& last = pair.in_place != nullptr ? *pair.in_place : *pair.out_of_place;
  return fmt::format("{:>21}", local_time(last.ended));
}

std::string both(const RowPair& pair, const TableStyle& style) {
  const Record* const first = pair.out_of_place != nullptr ? pair.out_of_place : pair.in_place;
  if (is_of_operation(first->key)) return operation_line(*first, style);
  std::string line = group_line(first->key.group);
  if (const Record* measured = pair.measured()) {
    const bool with_iterations = has_iterations(pair.out_of_place) || has_iterations(pair.in_place);
    const bool beside = has_room_for_statistics(style, with_iterations);
    line += fmt::format("{}{}{}{}{}\n", key_columns(measured->key, measured->key.message_bytes, 12),
                        placement(pair.out_of_place, with_iterations),
                        placement(pair.in_place, with_iterations),
                        style.timestamps ? timestamp(pair) : "",
                        style.statistics && beside ? statistics_columns(pair) : "");
    if (style.statistics && !beside) line += statistics_line(pair);
    if (style.nccl_tests) return line;  // which says all that nccl-tests would
  }
  return line + reason_lines(pair, style);
}

}  // namespace

std::string comment_line(std::string_view text) {
  std::string line = fmt::format("# {}", text);
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  return line + '\n';
}

std::string highlighted(std::string line, const TableStyle& style) {
  if (!style.colour) return line;
  const bool ends = line.ends_with('\n');
  if (ends) line.pop_back();
  return fmt::format("\x1b[31m{}\x1b[0m{}", line, ends ? "\n" : "");
}

std::string table_header(const Document& document, std::span<const std::string> notes,
                         const TableStyle& style) {
  const RunConfig& config = document.config;
  std::string text = style.nccl_tests ? nccl_tests_line(document) : version_line(document);
  text += comment_line("Collective test starting: " + config.program) + settings_line(config);
  if (!style.nccl_tests) {
    for (const std::string& note : notes) text += comment_line(note);
  }
  text += "#\n# Using devices\n";
  for (const RankFacts& rank : document.environment.ranks) {
    text += device_line(document.environment, rank);
  }
  text += "#\n" + groups_lines(document);
  if (!style.nccl_tests && document.run.imported_from.empty()) text += method_lines(config);
  return text + (config.mode == kModeOfEachRow ? operation_titles() : column_titles(config, style));
}

std::string table_row(const Record& out_of_place, const Record& in_place, const TableStyle& style) {
  return both({&out_of_place, &in_place}, style);
}

std::string table_rows(std::span<const Record> rows, const TableStyle& style) {
  std::string text;
  for (const RowPair& pair : pair_rows(rows)) text += both(pair, style);
  return text;
}

}  // namespace collbench
