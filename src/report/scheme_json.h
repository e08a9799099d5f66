// SPDX-License-Identifier: Apache-2.0
// A study of schemes as JSON; results/schema/schemes-1.schema.json describes it.
#pragma once

#include <string>
#include <string_view>

#include "analysis/scheme_study.h"

namespace collbench {

inline constexpr std::string_view kSchemesSchemaName = "collbench.schemes";
inline constexpr std::string_view kSchemesSchemaVersion = "1.0";

/// Ends in a newline.
std::string scheme_json_text(const SchemeStudy& study);

}  // namespace collbench
