// SPDX-License-Identifier: Apache-2.0
#include "routing/expected.h"

#include <algorithm>
#include <stdexcept>

#include "model/routing.h"

namespace collbench::routing {
namespace {

bool is_even(Distribution distribution) {
  return distribution == Distribution::balanced || distribution == Distribution::uniform;
}

/// The probability that `drawn` of n experts, all alike, miss `own` of them.
double missed(int n, int own, int drawn) {
  double probability = 1;
  for (int i = 0; i < drawn; ++i) probability *= std::max(n - own - i, 0) / (1.0 * n - i);
  return probability;
}

/// The hot expert is there for a share of the tokens; the others are drawn among themselves.
double distinct_of_hot(double share, const Shape& shape, int groups) {
  const int others = shape.experts - 1, own = shape.experts / groups, k = shape.per_token;
  const double with_it = missed(others, own - 1, k) * (1 - share);
  const double without_it =
      missed(others, own, k - 1) * share + missed(others, own, k) * (1 - share);
  return (1 - with_it) + (groups - 1) * (1 - without_it);
}

}  // namespace

double expected_moved_copies(const Shape& shape) {
  return static_cast<double>(shape.tokens) * shape.per_token * (shape.ranks - 1) / shape.ranks;
}

std::optional<double> expected_distinct(const RoutingSpec& spec, const Shape& shape, int groups) {
  if (shape.experts % groups != 0) throw std::logic_error("groups do not divide experts");
  if (shape.groups.per_token < shape.groups.groups) return std::nullopt;
  if (is_even(spec.distribution)) {
    return model::expected_groups(shape.experts, shape.per_token, groups);
  }
  if (spec.distribution == Distribution::hot && shape.per_token < shape.experts) {
    return distinct_of_hot(spec.parameter, shape, groups);
  }
  return std::nullopt;
}

std::optional<double> expected_max_over_mean(const RoutingSpec& spec, const Shape& shape) {
  if (is_even(spec.distribution)) return 1;
  const bool is_limited = shape.groups.per_token < shape.groups.groups;
  if (spec.distribution != Distribution::hot || is_limited) return std::nullopt;
  const double mean_share = 1.0 * shape.per_token / shape.experts;
  if (spec.parameter < mean_share) return std::nullopt;  // the busiest is another
  return spec.parameter / mean_share;
}

}  // namespace collbench::routing
