// SPDX-License-Identifier: Apache-2.0
// What a run must reach, as users give it: --min-busbw and nccl-tests' environment variable.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "measure/sweep.h"
#include "results/verdicts.h"

namespace collbench {

/// "1M=10,1G=200": GB/s that each row of a size must reach. Throws UserError, naming `flag`, for
/// anything else, for a size given twice, and for one that the sweep does not have.
std::vector<SizeThreshold> parse_size_thresholds(std::string_view text, std::string_view flag,
                                                 const Sweep& sweep);

/// The value of NCCL_TESTS_MIN_BW in bytes per second; nothing where it is unset, which is null.
/// Throws UserError unless it is a positive number.
std::optional<double> parse_min_bandwidth(const char* value);

}  // namespace collbench
