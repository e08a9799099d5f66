// SPDX-License-Identifier: Apache-2.0
#include "statistics/straggler.h"

#include <algorithm>
#include <numeric>

#include "statistics/distributions.h"

namespace collbench::statistics {

std::optional<Straggler> find_straggler(std::span<const std::uint64_t> last_counts) {
  const auto samples = std::accumulate(last_counts.begin(), last_counts.end(), std::uint64_t{0});
  if (last_counts.size() < 2 || samples == 0) return std::nullopt;
  const auto most = std::max_element(last_counts.begin(), last_counts.end());
  const double share = 1 / static_cast<double>(last_counts.size());
  const double of_one = binomial_at_least(*most, samples, share);
  return Straggler{.rank = static_cast<std::size_t>(most - last_counts.begin()),
                   .last_count = *most,
                   .by_chance = static_cast<double>(samples) * share,
                   .probability = std::min(1.0, of_one / share)};
}

}  // namespace collbench::statistics
