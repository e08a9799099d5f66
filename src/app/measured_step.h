// SPDX-License-Identifier: Apache-2.0
// From the samples of a layout to its record.
#pragma once

#include <string>
#include <vector>

#include "app/layout_run.h"
#include "results/step_record.h"

namespace collbench {

/// What all records of a run share.
struct StepContext {
  const PatternOptions& options;
  std::string backend;
  std::vector<int> host_of_rank;
  int ranks_per_process = 1;
  std::vector<std::string> flags;
};

/// A record with what is known before anything is measured: key, sizes, memory, arithmetic.
StepRecord blank_step(const StepContext& context, const plan::Plan& plan);

void add_samples(StepRecord& record, const LayoutSamples& samples);
void add_messages(StepRecord& record, const plan::Plan& plan,
                  const std::vector<MessageTime>& messages);
void add_timelines(StepRecord& record, const plan::Plan& plan, const LayoutTimelines& timelines);
void add_axes(StepRecord& record, const std::vector<AxisLoadTimes>& loads);
/// Of these loads of a plan, what plan/predict.h says that each axis takes.
void predict_axes(std::vector<AxisLoad>& loads, const plan::Plan& plan, const plan::Costs& costs);
void add_check(StepRecord& record, const CheckOutcome& outcome);

/// Prediction, of the step and of its axes, by the links and the rate of computing of the command
/// line. Links that it does not name are as fast as the record's messages were alone, products as
/// its computing was: the record has both by then. Where it has not, nothing is predicted: a guess
/// would pass for a finding.
void add_prediction(StepRecord& record, const StepContext& context, const plan::Plan& plan);

}  // namespace collbench
