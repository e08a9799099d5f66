// SPDX-License-Identifier: Apache-2.0
#include "results/cycle_summary.h"

#include <algorithm>
#include <map>

#include "statistics/series.h"
#include "statistics/statistics.h"

namespace collbench {
namespace {

constexpr std::size_t kMostStretches = 64;

// How fast wrong data came tells nothing, and no share of zero is defined.
bool is_timed(const CycleRow& row) {
  return row.status == RowStatus::ok && row.median_s.value_or(0) > 0;
}

std::vector<CycleDrift> find_drifts(std::span<const CycleRow> cycles) {
  std::map<std::size_t, std::vector<double>> medians_s;  // by row
  for (const CycleRow& row : cycles) {
    if (is_timed(row)) medians_s[row.row].push_back(*row.median_s);
  }
  std::vector<CycleDrift> drifts;
  for (const auto& [row, of_row] : medians_s) {
    const std::vector<double> series = stretch_medians(of_row);
    if (!statistics::drifts(series)) continue;
    drifts.push_back({row, statistics::half_to_half_change(series)});
  }
  return drifts;
}

void widen(CycleRange& range, double ratio) {
  range.fastest = std::min(range.fastest.value_or(ratio), ratio);
  range.slowest = std::max(range.slowest.value_or(ratio), ratio);
}

}  // namespace

CycleSummary summarize_cycles(std::span<const CycleRow> cycles) {
  CycleSummary summary;
  for (const CycleRow& row : cycles) {
    summary.begun = std::max(summary.begun, row.cycle);
    if (row.status != RowStatus::wrong) continue;
    if (!summary.first_wrong) summary.first_wrong = row;
    ++summary.wrong;
  }
  summary.drifts = find_drifts(cycles);
  return summary;
}

std::vector<double> stretch_medians(std::span<const double> by_cycle) {
  const std::size_t each = (by_cycle.size() + kMostStretches - 1) / kMostStretches;
  std::vector<double> medians;
  for (std::size_t i = 0; i < by_cycle.size(); i += each) {
    medians.push_back(statistics::median(by_cycle.subspan(i, std::min(each, by_cycle.size() - i))));
  }
  return medians;
}

std::vector<std::vector<double>> bus_bandwidths_Bps(std::span<const Record> rows,
                                                    std::span<const CycleRow> cycles) {
  std::vector<std::vector<double>> of_rows(rows.size());
  for (std::size_t i = 0; i < rows.size() && cycles.empty(); ++i) {
    if (rows[i].status == RowStatus::ok && rows[i].bus_bandwidth_Bps) {
      of_rows[i].push_back(*rows[i].bus_bandwidth_Bps);
    }
  }
  for (const CycleRow& cycle : cycles) {
    const Record& row = rows[cycle.row];
    if (!is_timed(cycle) || !row.timing || !row.bus_bandwidth_Bps) continue;
    of_rows[cycle.row].push_back(*row.bus_bandwidth_Bps * row.timing->median_s / *cycle.median_s);
  }
  return of_rows;
}

std::vector<CycleRange> cycle_ranges(std::span<const CycleRow> cycles, std::uint64_t most) {
  std::uint64_t begun = 0;
  for (const CycleRow& row : cycles) begun = std::max(begun, row.cycle);
  const std::uint64_t each = begun / most + (begun % most > 0);
  std::map<std::size_t, double> first_s;  // by row
  std::vector<CycleRange> ranges;
  for (const CycleRow& row : cycles) {
    if (ranges.empty() || row.cycle >= ranges.back().first + each) {
      ranges.push_back({.first = row.cycle, .started = row.started, .fastest = {}, .slowest = {}});
    }
    CycleRange& range = ranges.back();
    range.last = row.cycle;
    range.wrong += row.status == RowStatus::wrong;
    if (!is_timed(row)) continue;
    if (row.cycle == 1) first_s[row.row] = *row.median_s;
    const auto first = first_s.find(row.row);
    if (first != first_s.end()) widen(range, *row.median_s / first->second);
  }
  return ranges;
}

}  // namespace collbench
