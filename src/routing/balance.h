// SPDX-License-Identifier: Apache-2.0
// Balancing without an auxiliary loss: a bias for each expert that follows its load.
//
// Source: Wang et al., arXiv 2408.15664; DeepSeek-V3, arXiv 2412.19437.
#pragma once

#include <cstdint>
#include <span>

#include "routing/popularity.h"

namespace collbench::routing {

/// The bias after a step: b + u * sign(mean load - load), for each expert. `loads` are those of all
/// ranks that hold the layer, since it happens once per global batch. An empty bias is one of
/// zeros.
///
/// The bias is added to scores for the choice only. Scores here are logarithms of popularity, so a
/// step of u = 0.1 makes an expert 10 % more or less popular; the papers' 0.001 is of a sigmoid.
Bias balanced(const Bias& bias, std::span<const std::uint64_t> loads, double u);

}  // namespace collbench::routing
