// SPDX-License-Identifier: Apache-2.0
// The command line of `collbench baseline`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_rows.h"
#include "cli/command_line.h"

namespace collbench {

enum class BaselineAction : std::uint8_t { add, show, prune };

struct BaselineActionRow {
  BaselineAction action;
  std::string_view name;
};

inline constexpr std::array<BaselineActionRow, 3> kBaselineActions = {{
    {BaselineAction::add, "add"},
    {BaselineAction::show, "show"},
    {BaselineAction::prune, "prune"},
}};
static_assert(in_enum_order(kBaselineActions, &BaselineActionRow::action));

struct BaselineOptions {
  BaselineAction action = BaselineAction::show;
  std::string baseline;
  std::vector<std::string> files;  // of add
  std::size_t most = 20;           // launches of each fingerprint that are kept
  bool with_regressions = false;   // add them all the same
};

/// Fills the options, or returns the text of --help. Throws UserError.
std::optional<std::string> parse(CommandLine& line, const std::vector<std::string>& arguments,
                                 BaselineOptions& options);

}  // namespace collbench
