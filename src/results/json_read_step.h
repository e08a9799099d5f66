// SPDX-License-Identifier: Apache-2.0
// Reads a measured step of a scheme of parallelism.
#pragma once

#include "results/json_node.h"
#include "results/scaling.h"
#include "results/step_record.h"

namespace collbench {

/// Throws UserError that names the place of what is missing or of another type.
StepRecord read_step(const JsonNode& step);
ScalingReport read_scaling(const JsonNode& scaling);

}  // namespace collbench
