// SPDX-License-Identifier: Apache-2.0
// The steps of a training that levels the loads of experts, as text.
#pragma once

#include <span>
#include <string>

#include "results/step_record.h"

namespace collbench {

/// A line for each step: loads, bytes, and its time as far as it was measured or predicted. Empty
/// without steps.
std::string balance_table(std::span<const BalancedStep> steps);

}  // namespace collbench
