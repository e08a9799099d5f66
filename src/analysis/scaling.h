// SPDX-License-Identifier: Apache-2.0
// Scaling efficiency of steps that were measured with different numbers of ranks.
#pragma once

#include <span>

#include "model/degrees.h"
#include "results/scaling.h"
#include "results/step_record.h"

namespace collbench {

/// Throughput per rank, over that of the base.
template <class Point>
double scaling_efficiency(const Point& point, const Point& base) {
  return point.tokens_per_s / base.tokens_per_s * base.ranks / point.ranks;
}

/// Efficiency is X(N) / (N / N0 * X(N0)), with X the tokens per second of all N ranks, and N0 the
/// base; marginal efficiency is the same of neighbours. Weak scaling is where tokens grow as ranks
/// do, strong where they stay.
///
/// Steps are of one measurement but for their layouts' degrees, and ascend in ranks; those that
/// were not measured are left out, with their reasons. Throws std::logic_error for other steps, and
/// where none was measured.
ScalingReport scaling(const model::Degree& axis, std::span<const StepRecord> steps);

}  // namespace collbench
