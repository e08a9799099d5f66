// SPDX-License-Identifier: Apache-2.0
// How much each expert of a layer is wanted, as weights.
//
// A token has a score for each expert: the logarithm of the expert's weight plus noise of its own
// (Gumbel's), and takes the k best. That is the same as drawing k experts one after the other, each
// with the probability of its weight among those that are left.
#pragma once

#include <cstdint>
#include <vector>

#include "base/portable_math.h"
#include "routing/shape.h"
#include "routing/spec.h"

namespace collbench::routing {

/// What balancing adds to the score of each expert, for the choice only; empty: nothing.
using Bias = std::vector<double>;

/// A weight for each expert, from 1 to 2^32, alike on every rank and platform. Which experts are
/// popular depends on the seed and the layer, and on nothing else. Not for balanced and file.
std::vector<std::uint64_t> popularity(const RoutingSpec& spec, const Shape& shape,
                                      std::uint64_t layer, const Bias& bias = {});

/// A stream of random numbers of its own for each set of numbers.
PortableRandom stream_of(std::uint64_t seed, std::uint64_t layer, std::uint64_t batch,
                         std::uint64_t rank);

}  // namespace collbench::routing
