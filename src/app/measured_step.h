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
                  const std::vector<MessageSamples>& messages);
void add_timelines(StepRecord& record, const plan::Plan& plan, const LayoutTimelines& timelines);
void add_check(StepRecord& record, const CheckOutcome& outcome);

/// Prediction by the links of the command line. Where it does not say how fast products are, as
/// fast as the record's computing alone was; the record has its samples by then.
void add_prediction(StepRecord& record, const StepContext& context, const plan::Plan& plan);

}  // namespace collbench
