// SPDX-License-Identifier: Apache-2.0
// What `collbench routing` says, as JSON.
#pragma once

#include <string>
#include <vector>

#include "cli/model_tool_options.h"
#include "routing/imbalance.h"
#include "routing/ways.h"

namespace collbench {

/// `steps`: of balancing, from step 0 on; empty: none was asked for.
std::string routing_json(const RoutingOptions& options, const routing::Rows& rows,
                         const std::vector<routing::Way>& ways,
                         const std::vector<routing::Imbalance>& steps);

}  // namespace collbench
