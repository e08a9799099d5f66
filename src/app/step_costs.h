// SPDX-License-Identifier: Apache-2.0
// What a measured step is predicted by.
#pragma once

#include <optional>

#include "app/step_context.h"
#include "plan/predict.h"
#include "results/step_record.h"

namespace collbench {

/// The links and the rate of computing of the command line. Links that it does not name are as fast
/// as the record's messages were alone, products as its computing was, where the record has these.
/// Nothing where something is not known: a guess would pass for a finding.
std::optional<plan::Costs> costs_of(const StepRecord& record, const StepContext& context,
                                    const plan::Plan& plan);

}  // namespace collbench
