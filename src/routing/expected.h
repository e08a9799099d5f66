// SPDX-License-Identifier: Apache-2.0
// What a routing gives on average, by formulas that draw nothing: what drawn rows are checked
// against.
#pragma once

#include <optional>

#include "routing/shape.h"
#include "routing/spec.h"

namespace collbench::routing {

/// Of the rows that leave a rank, one for each copy: T*k*(e-1)/e, whatever the routing, as a mean
/// over ranks: all ranks send alike, so a part (e-1)/e of what an expert gets comes from elsewhere.
/// Exactly so for balanced routing where a rank's T*k copies are the same number for each expert.
double expected_moved_copies(const Shape& shape);

/// In how many of `groups` equal groups of experts, ranks or nodes, a token has an expert on
/// average. Absent where there is no formula: weights that all differ, and a limit of groups.
std::optional<double> expected_distinct(const RoutingSpec& spec, const Shape& shape, int groups);

/// Max over mean of what the experts get: 1 when balanced or uniform; of a hot expert with this
/// share of the tokens share * E/k. Absent where there is no formula.
std::optional<double> expected_max_over_mean(const RoutingSpec& spec, const Shape& shape);

}  // namespace collbench::routing
