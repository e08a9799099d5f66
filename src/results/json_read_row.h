// SPDX-License-Identifier: Apache-2.0
// Reads one measured row.
#pragma once

#include "results/json_node.h"
#include "results/record.h"

namespace collbench {

/// Throws UserError, naming the place of whatever is wrong.
Record read_row(const JsonNode& row);

}  // namespace collbench
