// SPDX-License-Identifier: Apache-2.0
#include "results/summary.h"

#include <map>
#include <utility>

#include "results/cycle_summary.h"

namespace collbench {
namespace {

// A summary while rows are added.
class Sums {
 public:
  void add(const Record& row, std::span<const double> bus_bandwidths_Bps) {
    ++summary_.rows;
    summary_.ok += row.status == RowStatus::ok;
    summary_.wrong += row.status == RowStatus::wrong;
    summary_.skipped += row.status == RowStatus::skipped;
    summary_.failed += row.status == RowStatus::failed;
    summary_.measured += row.timing.has_value();
    if (row.check) {
      ++summary_.checked;
      summary_.wrong_elements += row.check->wrong_elements;
    }
    for (const double Bps : bus_bandwidths_Bps) {
      ++rated_;
      total_Bps_ += Bps;
    }
    if (summary_.rows == 1) group_ = row.key.group;
    one_group_ &= row.key.group == group_;
  }

  Summary summary() const {
    Summary summary = summary_;
    if (rated_ > 0 && one_group_) {
      summary.mean_bus_bandwidth_Bps = total_Bps_ / static_cast<double>(rated_);
    }
    return summary;
  }

 private:
  Summary summary_;
  double total_Bps_ = 0;
  std::uint64_t rated_ = 0;
  std::optional<GroupKey> group_;  // of the first row
  bool one_group_ = true;
};

}  // namespace

Summary summarize(std::span<const Record> rows, std::span<const CycleRow> cycles) {
  const auto bus_Bps = bus_bandwidths_Bps(rows, cycles);
  Sums sums;
  for (std::size_t i = 0; i < rows.size(); ++i) sums.add(rows[i], bus_Bps[i]);
  return sums.summary();
}

std::vector<GroupSummary> summarize_groups(std::span<const Record> rows,
                                           std::span<const CycleRow> cycles) {
  const auto bus_Bps = bus_bandwidths_Bps(rows, cycles);
  std::map<int, std::pair<GroupKey, Sums>> by_index;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Record& row = rows[i];
    if (!row.key.group) continue;
    auto& [group, sums] = by_index[row.key.group->index];
    group = *row.key.group;
    sums.add(row, bus_Bps[i]);
  }
  std::vector<GroupSummary> groups;
  for (const auto& [index, of_group] : by_index) {
    groups.push_back({of_group.first, of_group.second.summary()});
  }
  return groups;
}

}  // namespace collbench
