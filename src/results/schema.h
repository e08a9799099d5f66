// SPDX-License-Identifier: Apache-2.0
// The schema of result files: its name, its version and its text.
#pragma once

#include <string_view>

namespace collbench {

inline constexpr std::string_view kResultsSchemaName = "collbench.results";

/// MAJOR.MINOR: a minor version only adds, and readers ignore what they do not know; a major one
/// changes or removes, and readers of an older one refuse it.
inline constexpr std::string_view kResultsSchemaVersion = "1.1";
inline constexpr int kResultsSchemaMajor = 1;

/// The JSON Schema of this version, as results/schema/ has it.
std::string_view results_schema();

}  // namespace collbench
