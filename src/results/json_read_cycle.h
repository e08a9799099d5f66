// SPDX-License-Identifier: Apache-2.0
// Reads what a soak keeps of a row in each cycle.
#pragma once

#include <cstddef>

#include "results/cycle.h"
#include "results/json_node.h"

namespace collbench {

/// Throws UserError that names the place of what is missing, of another type, or no row of `rows`.
CycleRow read_cycle(const JsonNode& cycle, std::size_t rows);

}  // namespace collbench
