// SPDX-License-Identifier: Apache-2.0
// Timelines that were measured, and what they say of computing and communicating side by side.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "comm/control_plane.h"
#include "plan/axis_times.h"
#include "plan/matching.h"
#include "plan/predict.h"

namespace collbench::replay {

/// The times of the first rank of each class; `mine` are those of this rank, by operation, and
/// empty on a rank that the plan has no part for. The same on every rank; collective over the run.
plan::Timeline gather_times(ControlPlane& control, const plan::Plan& plan,
                            const std::vector<plan::OpTime>& mine);

/// What a step's operations took together.
struct BusyTimes {
  double computing_s = 0;      // of the class that computes longest
  double communication_s = 0;  // of all exchanges, each from when its last member has begun it
};

BusyTimes busy_times(const plan::Plan& plan, const plan::Matching& matching,
                     const plan::Timeline& timeline);

/// Of a step in which this rank's operations took `mine`, empty where the plan has no part for it:
/// plan/axis_times.h of the rank that each axis takes longest of. The same on every rank;
/// collective over the run.
std::vector<double> longest_axis_times(ControlPlane& control, const plan::Plan& plan,
                                       const plan::Matching& matching,
                                       std::span<const model::Axis> axes,
                                       const std::vector<plan::OpTime>& mine);

/// How much longer something takes in company than alone: 1.08 for 8 %. Nothing where it takes no
/// time alone.
std::optional<double> stretch(double together_s, double alone_s);

}  // namespace collbench::replay
