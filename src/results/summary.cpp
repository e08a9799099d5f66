// SPDX-License-Identifier: Apache-2.0
#include "results/summary.h"

#include <map>
#include <utility>

namespace collbench {
namespace {

// A summary while rows are added.
class Sums {
 public:
  void add(const Record& row) {
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
    if (row.bus_bandwidth_Bps && row.status == RowStatus::ok) {
      ++rated_;
      total_Bps_ += *row.bus_bandwidth_Bps;
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

Summary summarize(std::span<const Record> rows) {
  Sums sums;
  for (const Record& row : rows) sums.add(row);
  return sums.summary();
}

std::vector<GroupSummary> summarize_groups(std::span<const Record> rows) {
  std::map<int, std::pair<GroupKey, Sums>> by_index;
  for (const Record& row : rows) {
    if (!row.key.group) continue;
    auto& [group, sums] = by_index[row.key.group->index];
    group = *row.key.group;
    sums.add(row);
  }
  std::vector<GroupSummary> groups;
  for (const auto& [index, of_group] : by_index) {
    groups.push_back({of_group.first, of_group.second.summary()});
  }
  return groups;
}

}  // namespace collbench
