// SPDX-License-Identifier: Apache-2.0
// How long a step communicates on each of its axes, by a timeline that was predicted or measured.
//
// An operation communicates from when the last of those that it communicates with has begun it: who
// comes early waits, for computing or for another axis, and that is no communication. So an axis
// whose operations are only moved by another's takes as long as alone; it takes longer where the
// two share a link, a copy engine or a core.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "plan/matching.h"
#include "plan/predict.h"

namespace collbench::plan {

/// When an operation, of the list of its class, has begun on a rank of the layout.
using StartOf = std::function<double(int rank, OpIndex op)>;

/// Seconds of a step that each of `axes` takes of a rank: its operations on the axis, one after the
/// other, as long as they take; operations of different axes may do so at once. `matching` is the
/// plan's, `own` has the times of the rank's operations.
std::vector<double> axis_times(const Plan& plan, const Matching& matching,
                               std::span<const model::Axis> axes, int rank,
                               const std::vector<OpTime>& own, const StartOf& start_of);

/// The same as predicted, each of the class that takes longest.
std::vector<double> predicted_axis_times(const Plan& plan, std::span<const model::Axis> axes,
                                         const Costs& costs);

/// Which axes are to be measured together to see what they cost each other: each alone, each two,
/// and all where there are more.
std::vector<std::vector<model::Axis>> axes_together(std::span<const model::Axis> axes);

}  // namespace collbench::plan
