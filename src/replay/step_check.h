// SPDX-License-Identifier: Apache-2.0
// The data check of a step: known values in, one step, and every value where it belongs.
#pragma once

#include "measure/data_check.h"
#include "replay/step_sampler.h"

namespace collbench::replay {

/// What a rank that the plan has a part for checks.
struct CheckedRank {
  const Stage& stage;
  const plan::Plan& plan;
};

/// Runs one step in which operations, instead of computing, check on their streams what they read
/// and write values that only this rank and this operation make; then checks what all slots hold.
/// Nothing waits more than in any other step, so that an order which is missing shows as wrong
/// data. `mine` is nullptr on a rank that the plan has no part for. Returns the outcome of all
/// ranks, the same on every rank; collective over the run. `seed` differs between checks.
CheckOutcome check_step(const StepBench& bench, const CheckedRank* mine, std::uint64_t seed,
                        double limit_s);

}  // namespace collbench::replay
