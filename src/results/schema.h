// SPDX-License-Identifier: Apache-2.0
// The schema of result files: its name, its version and its text.
#pragma once

#include <span>
#include <string_view>

namespace collbench {

inline constexpr std::string_view kResultsSchemaName = "collbench.results";

/// MAJOR.MINOR: a minor version only adds, and readers ignore what they do not know; a major one
/// changes or removes, and readers of an older one refuse it.
inline constexpr std::string_view kResultsSchemaVersion = "1.1";
inline constexpr int kResultsSchemaMajor = 1;

/// Of a file with several runs, which are documents of the schema above.
inline constexpr std::string_view kResultSetSchemaName = "collbench.result_set";
inline constexpr std::string_view kResultSetSchemaVersion = "1.0";
inline constexpr int kResultSetSchemaMajor = 1;

/// A JSON Schema of results/schema/.
struct SchemaRow {
  std::string_view name;  // for a person who asks for it
  std::string_view text;
};

/// Those of these versions, and of what tools write; the first is that of result files.
std::span<const SchemaRow> schemas();

}  // namespace collbench
