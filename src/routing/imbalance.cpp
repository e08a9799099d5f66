// SPDX-License-Identifier: Apache-2.0
#include "routing/imbalance.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace collbench::routing {

double max_over_mean(std::span<const std::uint64_t> loads) {
  const std::uint64_t sum = std::accumulate(loads.begin(), loads.end(), std::uint64_t{0});
  if (sum == 0) return 1;
  return static_cast<double>(*std::max_element(loads.begin(), loads.end())) *
         static_cast<double>(loads.size()) / static_cast<double>(sum);
}

Imbalance imbalance_of(const Rows& rows) {
  const Matrix matrix = copies(rows.kept);
  std::vector<std::uint64_t> received;
  for (int rank = 0; rank < matrix.ranks(); ++rank) received.push_back(matrix.received_by(rank));
  Imbalance imbalance;
  imbalance.rank_max_over_mean = max_over_mean(received);
  imbalance.max_violation = max_over_mean(rows.chosen.loads()) - 1;
  if (!rows.capacity || rows.chosen.total() == 0) return imbalance;
  const auto kept = static_cast<double>(rows.kept.total());
  const double room = static_cast<double>(*rows.capacity) * rows.kept.ranks() * rows.kept.experts();
  imbalance.dropped_share = 1 - kept / static_cast<double>(rows.chosen.total());
  imbalance.padded_share = 1 - kept / room;
  return imbalance;
}

}  // namespace collbench::routing
