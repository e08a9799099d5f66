// SPDX-License-Identifier: Apache-2.0
// The command line of `collbench` as plain values: one struct per subcommand.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cli/model_tool_options.h"

namespace collbench {

/// Text that was asked for: --help, --version.
struct PrintText {
  std::string text;
};

struct ValidateOptions {
  std::vector<std::string> files;
};

struct ShowOptions {
  std::vector<std::string> files;
};

struct SchemaOptions {};

struct FitOptions {
  std::vector<std::string> files;
};

using ToolCommand = std::variant<PrintText, ValidateOptions, ShowOptions, SchemaOptions, FitOptions,
                                 ModelsOptions, LayoutOptions, TrafficOptions>;

/// Throws UserError, one sentence, for anything that cannot be meant.
ToolCommand parse_tool_command(const std::vector<std::string>& arguments);

}  // namespace collbench
