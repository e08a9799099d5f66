// SPDX-License-Identifier: Apache-2.0
// What the axes of a step cost each other, as text.
#pragma once

#include <string>

#include "results/step_record.h"

namespace collbench {

/// A line for each axis: what it takes alone, and how many times as long beside others; below it
/// what was predicted, or that alone. Empty where neither is known.
std::string axis_table(const StepRecord& record);

}  // namespace collbench
