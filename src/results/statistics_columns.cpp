// SPDX-License-Identifier: Apache-2.0
#include "results/statistics_columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "statistics/description.h"
#include "statistics/statistics.h"

namespace collbench {
namespace {

struct Cells {
  std::string half_width = "N/A", quartiles = "N/A", slowest = "N/A";
};

std::string percent(double share) { return fmt::format("{:.2f}", 100 * share); }

std::string slowest_rank(const Timing& timing) {
  const auto& counts = timing.rank_last_count;
  const auto most = std::max_element(counts.begin(), counts.end());
  if (counts.size() < 2 || *most == 0) return "N/A";
  const double share = static_cast<double>(*most) / static_cast<double>(timing.samples_s.size());
  return fmt::format("{}:{:.0f}%", most - counts.begin(), 100 * share);
}

Cells cells_of(const Record* row) {
  Cells cells;
  if (!is_measured(row)) return cells;
  const Timing& timing = *row->timing;
  cells.slowest = slowest_rank(timing);
  if (timing.median_s <= 0) return cells;
  if (timing.interval95_s) {
    cells.half_width =
        percent(statistics::relative_half_width(*timing.interval95_s, timing.median_s));
  }
  const statistics::Description samples = statistics::describe(timing.samples_s);
  if (samples.n > 1) cells.quartiles = percent((samples.q3 - samples.q1) / timing.median_s);
  return cells;
}

std::string narrow(const Cells& cells) {
  return fmt::format("  {:>6}  {:>6}  {:>8}", cells.half_width, cells.quartiles, cells.slowest);
}

std::string wide(const Cells& cells) {
  return fmt::format("  {:>7}  {:>6}  {:>14}", cells.half_width, cells.quartiles, cells.slowest);
}

constexpr int kKeyWidth = 51;  // of key_columns, after the mark of a comment

}  // namespace

ColumnTitles statistics_titles() {
  const std::string names = narrow({"+-", "iqr", "slowest"});
  const std::string units = narrow({"(%)", "(%)", "(rank)"});
  return {fmt::format("{:>26}{:>26}", "out-of-place", "in-place"), names + names, units + units};
}

std::string statistics_columns(const RowPair& pair) {
  return narrow(cells_of(pair.out_of_place)) + narrow(cells_of(pair.in_place));
}

std::string statistics_line(const RowPair& pair) {
  return fmt::format("#{:{}}{}{}\n", "", kKeyWidth, wide(cells_of(pair.out_of_place)),
                     wide(cells_of(pair.in_place)));
}

std::string statistics_line_title() {
  const std::string names = wide({"+- (%)", "iqr(%)", "slowest (rank)"});
  return fmt::format("#{:{}}{}{}\n", "", kKeyWidth, names, names);
}

}  // namespace collbench
