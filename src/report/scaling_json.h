// SPDX-License-Identifier: Apache-2.0
// A study of scaling as JSON; results/schema/scaling-1.schema.json describes it.
#pragma once

#include <string>
#include <string_view>

#include "analysis/scaling_study.h"

namespace collbench {

inline constexpr std::string_view kScalingSchemaName = "collbench.scaling";
inline constexpr std::string_view kScalingSchemaVersion = "1.0";

/// Ends in a newline.
std::string scaling_json_text(const ScalingStudy& study);

}  // namespace collbench
