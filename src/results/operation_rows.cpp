// SPDX-License-Identifier: Apache-2.0
#include "results/operation_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "results/table.h"
#include "results/units.h"
#include "statistics/statistics.h"

namespace collbench {
namespace {

constexpr std::string_view kNone = "N/A";

std::string microseconds(double seconds) { return fmt::format("{:.2f}", us_from_s(seconds)); }

std::string half_width(const Timing& timing) {
  if (!timing.interval95_s || timing.median_s <= 0) return std::string(kNone);
  return fmt::format("{:.2f}",
                     100 * statistics::relative_half_width(*timing.interval95_s, timing.median_s));
}

std::string times(const Timing& timing) {
  std::string fastest(kNone), slowest(kNone);
  if (!timing.rank_median_s.empty()) {
    const auto [least, most] = std::ranges::minmax(timing.rank_median_s);
    fastest = microseconds(least);
    slowest = microseconds(most);
  }
  return fmt::format("  {:>11}  {:>6}  {:>5}  {:>11}  {:>11}", microseconds(timing.median_s),
                     half_width(timing), timing.samples_s.size(), fastest, slowest);
}

std::string bandwidth(const std::optional<double>& rate_Bps) {
  return rate_Bps ? fmt::format("{:.2f}", GBps_from_Bps(*rate_Bps)) : std::string(kNone);
}

std::string wrong(const std::optional<DataCheck>& check) {
  return check ? fmt::format("{}", check->wrong_elements) : std::string(kNone);
}

std::string name(const RowKey& key) {
  return fmt::format("{:<24}  {:<8}  {:>12}", key.collective, key.mode, key.message_bytes);
}

}  // namespace

bool is_of_operation(const RowKey& key) {
  return std::ranges::any_of(operation_modes::all,
                             [&](const OperationMode& mode) { return mode.name == key.mode; });
}

std::string operation_titles() {
  return fmt::format(
      "# {:<22}  {:<8}  {:>12}  {:>11}  {:>6}  {:>5}  {:>11}  {:>11}  {:>7}  {:>7}  {:>6}\n"
      "# {:<22}  {:<8}  {:>12}  {:>11}  {:>6}  {:>5}  {:>11}  {:>11}  {:>7}  {:>7}\n",
      "operation", "mode", "size", "time", "+-", "n", "fastest", "slowest", "algbw", "busbw",
      "#wrong", "", "", "(B)", "(us)", "(%)", "", "(us)", "(us)", "(GB/s)", "(GB/s)");
}

std::string operation_line(const Record& row, const TableStyle& style) {
  std::string text;
  if (row.timing) {
    text = fmt::format("{}{}  {:>7}  {:>7}  {:>6}\n", name(row.key), times(*row.timing),
                       bandwidth(row.algorithm_bandwidth_Bps), bandwidth(row.bus_bandwidth_Bps),
                       wrong(row.check));
  }
  if (row.status == RowStatus::ok) return text;
  const std::string why =
      comment_line(fmt::format("{} {} {} B: {}: {}", row.key.collective, row.key.mode,
                               row.key.message_bytes, name_of(row.status), row.reason));
  return text + (row.status == RowStatus::skipped ? why : highlighted(why, style));
}

std::string explain_modes(std::span<const Record> rows) {
  std::string text;
  for (const OperationMode& mode : operation_modes::all) {
    const bool used = std::ranges::any_of(
        rows, [&](const Record& row) { return row.timing && row.key.mode == mode.name; });
    if (used) text += comment_line(fmt::format("mode {}: {}", mode.name, mode.meaning));
  }
  return text;
}

}  // namespace collbench
