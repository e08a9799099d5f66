// SPDX-License-Identifier: Apache-2.0
// From the samples of a layout to its record.
#pragma once

#include <vector>

#include "app/layout_run.h"
#include "app/step_context.h"
#include "results/step_record.h"

namespace collbench {

/// A record with what is known before anything is measured: key, sizes, memory, arithmetic.
StepRecord blank_step(const StepContext& context, const plan::Plan& plan);

/// With the interval of the median.
StepSeries series_of(const replay::StepSamples& samples);

void add_samples(StepRecord& record, const LayoutSamples& samples);
void add_messages(StepRecord& record, const plan::Plan& plan,
                  const std::vector<MessageTime>& messages);
void add_timelines(StepRecord& record, const plan::Plan& plan, const LayoutTimelines& timelines);
void add_axes(StepRecord& record, const std::vector<AxisLoadTimes>& loads);
/// Of these loads of a plan, what plan/predict.h says that each axis takes.
void predict_axes(std::vector<AxisLoad>& loads, const plan::Plan& plan, const plan::Costs& costs);
void add_check(StepRecord& record, const CheckOutcome& outcome);

/// Prediction, of the step and of its axes, by what app/step_costs.h knows; none where it does not.
void add_prediction(StepRecord& record, const StepContext& context, const plan::Plan& plan);

}  // namespace collbench
