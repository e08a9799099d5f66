// SPDX-License-Identifier: Apache-2.0
// The command line of `collbench schemes`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/enum_rows.h"
#include "cli/command_line.h"

namespace collbench {

enum class SchemesFormat : std::uint8_t { text, markdown, json };

struct SchemesFormatRow {
  SchemesFormat format;
  std::string_view name;
};

inline constexpr std::array<SchemesFormatRow, 3> kSchemesFormats = {{
    {SchemesFormat::text, "text"},
    {SchemesFormat::markdown, "markdown"},
    {SchemesFormat::json, "json"},
}};
static_assert(in_enum_order(kSchemesFormats, &SchemesFormatRow::format));

struct SchemesOptions {
  std::vector<std::string> files;
  std::optional<Bytes> memory;  // of a rank; absent: everything fits
  SchemesFormat format = SchemesFormat::text;
  std::string output;  // a file; empty: stdout
};

/// Fills the options, or returns the text of --help. Throws UserError.
std::optional<std::string> parse(CommandLine& line, const std::vector<std::string>& arguments,
                                 SchemesOptions& options);

}  // namespace collbench
