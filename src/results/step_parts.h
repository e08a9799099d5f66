// SPDX-License-Identifier: Apache-2.0
// What follows from the times of a measured step; computed where it is shown, never stored in a
// StepRecord.
//
// All are of medians of whole steps and of their variants. A difference that is negative, since
// noise is larger than what is looked for, stays negative: cut to zero it would look like a
// measurement of nothing. Each is absent where what it is made of is absent.
#pragma once

#include <optional>
#include <vector>

#include "results/step_record.h"
#include "traffic/traffic.h"

namespace collbench {

/// Adds a step to what a run has measured. The same step once more (a run keeps it as soon as it is
/// timed, and again with what explains it) takes the place of the last.
void add_step(std::vector<StepRecord>& steps, const StepRecord& step);

/// The operation that sweeps measure the same of: sendrecv of a send or a receive. Absent where
/// none is known by that name.
std::optional<Collective> operation_of(const StepMessage& message);

/// What ranks wait for each other, whatever the network: the skeleton, whose messages are of one
/// element, less computing. Seconds, of pipelines, of imbalance, and of the messages' latencies.
std::optional<double> bubble_s(const StepRecord& record);

/// Communication that computing does not hide: the step less its skeleton, seconds. The step is
/// computing, bubble and exposed communication, one after the other.
std::optional<double> exposed_s(const StepRecord& record);

/// Exposed communication as a share of the step.
std::optional<double> exposed_share(const StepRecord& record);

/// 1 - exposed / (communication alone - the same with messages of one element): 1 where computing
/// hides all moving of data, 0 where it hides none, and less where the two disturb each other.
/// Latencies are left out of both, or a step of small messages would look as if it hid them. Absent
/// where nothing is sent or nothing computes, and where latencies are all that there is.
std::optional<double> overlap_efficiency(const StepRecord& record);

/// Tokens per second of all ranks together.
std::optional<double> tokens_per_s(const StepRecord& record);

/// predicted / measured - 1 of the step's time: above 0 where the step was faster than predicted.
std::optional<double> prediction_error(const StepRecord& record);

}  // namespace collbench
