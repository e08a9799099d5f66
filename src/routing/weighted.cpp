// SPDX-License-Identifier: Apache-2.0
#include "routing/weighted.h"

#include <limits>
#include <numeric>

namespace collbench::routing {
namespace {

__extension__ using Wide = unsigned __int128;  // a product of two 64-bit numbers

}  // namespace

Weighted::Weighted(std::span<const std::uint64_t> weights)
    : weights_(weights.begin(), weights.end()),
      columns_(weights.size()),
      total_(std::accumulate(weights.begin(), weights.end(), std::uint64_t{0})) {
  // What each has and a column holds, times the number of columns, so that both are whole.
  std::vector<std::uint64_t> rest;
  std::vector<std::size_t> small, large;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    rest.push_back(weights[i] * weights.size());
    (rest[i] < total_ ? small : large).push_back(i);
  }
  while (!small.empty()) {
    const std::size_t i = small.back();
    small.pop_back();
    columns_[i] = {static_cast<std::uint64_t>((Wide{rest[i]} << 64U) / total_), large.back()};
    std::uint64_t& giver = rest[large.back()];
    giver -= total_ - rest[i];
    if (giver < total_) {
      small.push_back(large.back());
      large.pop_back();
    }
  }
  for (const std::size_t i : large) columns_[i] = {std::numeric_limits<std::uint64_t>::max(), i};
}

std::size_t Weighted::draw(PortableRandom& random) const {
  const Wide place = Wide{random.next()} * columns_.size();
  const auto i = static_cast<std::size_t>(place >> 64U);
  const Column& column = columns_[i];
  return static_cast<std::uint64_t>(place) < column.own ? i : column.other;
}

}  // namespace collbench::routing
