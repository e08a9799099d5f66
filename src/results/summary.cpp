// SPDX-License-Identifier: Apache-2.0
#include "results/summary.h"

namespace collbench {

Summary summarize(std::span<const Record> rows) {
  Summary summary;
  double total_Bps = 0;
  std::uint64_t rated = 0;
  for (const Record& row : rows) {
    ++summary.rows;
    summary.ok += row.status == RowStatus::ok;
    summary.wrong += row.status == RowStatus::wrong;
    summary.skipped += row.status == RowStatus::skipped;
    summary.failed += row.status == RowStatus::failed;
    summary.measured += row.timing.has_value();
    if (row.check) {
      ++summary.checked;
      summary.wrong_elements += row.check->wrong_elements;
    }
    if (row.bus_bandwidth_Bps && row.status == RowStatus::ok) {
      ++rated;
      total_Bps += *row.bus_bandwidth_Bps;
    }
  }
  if (rated > 0) summary.mean_bus_bandwidth_Bps = total_Bps / static_cast<double>(rated);
  return summary;
}

}  // namespace collbench
