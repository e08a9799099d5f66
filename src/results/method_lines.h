// SPDX-License-Identifier: Apache-2.0
// Lines of the table's header that say what its times are of.
#pragma once

#include <string>

#include "results/document.h"

namespace collbench {

/// Comment lines: where they differ from what nccl-tests times by default, and how samples become
/// the time of a row.
std::string method_lines(const RunConfig& config);

}  // namespace collbench
