// SPDX-License-Identifier: Apache-2.0
// Reads what was asked for: the block config of a document.
#pragma once

#include "results/document.h"
#include "results/json_node.h"

namespace collbench {

/// Throws UserError that names the place of what is missing or of another type.
RunConfig read_config(const JsonNode& config);

}  // namespace collbench
