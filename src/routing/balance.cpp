// SPDX-License-Identifier: Apache-2.0
#include "routing/balance.h"

#include <numeric>

namespace collbench::routing {

Bias balanced(const Bias& bias, std::span<const std::uint64_t> loads, double u) {
  Bias next = bias;
  next.resize(loads.size(), 0);
  const std::uint64_t sum = std::accumulate(loads.begin(), loads.end(), std::uint64_t{0});
  for (std::size_t expert = 0; expert < next.size(); ++expert) {
    const std::uint64_t load = loads[expert] * loads.size();  // so that the mean is whole
    if (load < sum) next[expert] += u;
    if (load > sum) next[expert] -= u;
  }
  return next;
}

}  // namespace collbench::routing
