// SPDX-License-Identifier: Apache-2.0
// Scaling efficiency of steps that were measured with different numbers of ranks.
#pragma once

#include <span>

#include "results/scaling.h"
#include "results/step_record.h"

namespace collbench {

/// Efficiency is X(N) / (N / N0 * X(N0)), with X the tokens per second of all N ranks, and N0 the
/// base; marginal efficiency is the same of neighbours. Weak scaling is where tokens grow as ranks
/// do, strong where they stay.
///
/// Steps are of one measurement but for their layouts' degrees, and ascend in ranks; those that
/// were not measured are left out. Throws std::logic_error for other steps, and for none.
ScalingReport scaling(std::span<const StepRecord> steps);

}  // namespace collbench
