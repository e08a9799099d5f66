// SPDX-License-Identifier: Apache-2.0
// The part of a plan that is on some of its axes, to measure what axes cost each other.
#pragma once

#include <span>
#include <vector>

#include "plan/plan.h"

namespace collbench::plan {

/// The axes that some rank sends or receives on, in the order of their enumerators.
std::vector<model::Axis> axes_of(const Plan& plan);

/// The same step, in which nobody sends anything on other axes than these. Like plan/variants.h it
/// keeps classes, streams, slots, and every operation at its index with its `after`; computing goes
/// on as before.
Plan only_axes(const Plan& plan, std::span<const model::Axis> axes);

}  // namespace collbench::plan
