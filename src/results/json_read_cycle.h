// SPDX-License-Identifier: Apache-2.0
// Reads what a soak keeps of a row in each cycle.
#pragma once

#include "results/cycle.h"
#include "results/json_node.h"

namespace collbench {

/// Throws UserError that names the place of what is missing or of another type. Whether the
/// document has such a row is for the caller to see.
CycleRow read_cycle(const JsonNode& cycle);

}  // namespace collbench
