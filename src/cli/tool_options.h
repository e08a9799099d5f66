// SPDX-License-Identifier: Apache-2.0
// The command line of `collbench` as plain values: one struct per subcommand.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/ab_options.h"
#include "cli/baseline_options.h"
#include "cli/compare_options.h"
#include "cli/import_options.h"
#include "cli/merge_options.h"
#include "cli/model_tool_options.h"
#include "cli/report_options.h"
#include "cli/scaling_options.h"
#include "cli/schemes_options.h"

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

struct SchemaOptions {
  std::string of = "results";  // a name of schemas()
};

struct FitOptions {
  std::vector<std::string> files;
};

enum class ConvertFormat : std::uint8_t { nccl_tests, csv };

struct ConvertFormatRow {
  ConvertFormat format;
  std::string_view name;
};

inline constexpr std::array<ConvertFormatRow, 2> kConvertFormats = {{
    {ConvertFormat::nccl_tests, "nccl-tests"},
    {ConvertFormat::csv, "csv"},
}};

struct ConvertOptions {
  ConvertFormat format = ConvertFormat::csv;
  std::vector<std::string> files;
};

using ToolCommand =
    std::variant<PrintText, ValidateOptions, ShowOptions, SchemaOptions, ConvertOptions, FitOptions,
                 MergeOptions, ImportOptions, CompareToolOptions, ModelsOptions, LayoutOptions,
                 TrafficOptions, RoutingOptions, ReportOptions, ScalingOptions, SchemesOptions,
                 BaselineOptions, AbOptions>;

/// Throws UserError, one sentence, for anything that cannot be meant.
ToolCommand parse_tool_command(const std::vector<std::string>& arguments);

}  // namespace collbench
