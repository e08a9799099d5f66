// SPDX-License-Identifier: Apache-2.0
#include "results/plateau.h"

#include <algorithm>
#include <map>
#include <vector>

#include "statistics/statistics.h"

namespace collbench {
namespace {

bool has_bandwidth(const Record& row) {
  return row.status == RowStatus::ok && row.bus_bandwidth_Bps.has_value();
}

}  // namespace

const Record* peak_row(std::span<const Record> rows) {
  const Record* peak = nullptr;
  for (const Record& row : rows) {
    if (!has_bandwidth(row)) continue;
    if (peak == nullptr || *row.bus_bandwidth_Bps > *peak->bus_bandwidth_Bps) peak = &row;
  }
  return peak;
}

std::optional<Plateau> plateau(std::span<const Record> rows) {
  const Record* peak = peak_row(rows);
  if (peak == nullptr) return std::nullopt;
  std::map<Bytes, std::vector<double>> by_size;
  for (const Record& row : rows) {
    if (has_bandwidth(row)) by_size[row.key.message_bytes].push_back(*row.bus_bandwidth_Bps);
  }
  const double least_Bps = kPlateauShare * *peak->bus_bandwidth_Bps;
  std::vector<double> reached;
  std::size_t sizes = 0;
  Bytes from_bytes = 0;
  for (auto size = by_size.rbegin(); size != by_size.rend(); ++size) {
    const std::vector<double>& rates = size->second;
    if (*std::min_element(rates.begin(), rates.end()) < least_Bps) break;
    reached.insert(reached.end(), rates.begin(), rates.end());
    from_bytes = size->first;
    ++sizes;
  }
  if (sizes < 2) return std::nullopt;
  return Plateau{from_bytes, statistics::median(reached)};
}

}  // namespace collbench
