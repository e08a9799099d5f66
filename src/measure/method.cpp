// SPDX-License-Identifier: Apache-2.0
#include "measure/method.h"

#include <algorithm>

#include "statistics/statistics.h"

namespace collbench {

double aggregate(Aggregation aggregation, std::span<const double> by_rank) {
  switch (aggregation) {
    case Aggregation::rank0:
      return by_rank.front();
    case Aggregation::mean:
      return statistics::mean(by_rank);
    case Aggregation::min:
      return *std::min_element(by_rank.begin(), by_rank.end());
    case Aggregation::max:
      break;
  }
  return *std::max_element(by_rank.begin(), by_rank.end());
}

}  // namespace collbench
