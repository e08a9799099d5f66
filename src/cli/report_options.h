// SPDX-License-Identifier: Apache-2.0
// The command line of `collbench report`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.h"

namespace collbench {

enum class ReportFormat : std::uint8_t { html, text, markdown, csv, prom };

struct ReportFormatRow {
  ReportFormat format;
  std::string_view name;
  std::string_view suffix;  // of files that are written in it unless --format says otherwise
};

inline constexpr std::array<ReportFormatRow, 5> kReportFormats = {{
    {ReportFormat::html, "html", ".html"},
    {ReportFormat::text, "text", ".txt"},
    {ReportFormat::markdown, "markdown", ".md"},
    {ReportFormat::csv, "csv", ".csv"},
    {ReportFormat::prom, "prom", ".prom"},
}};

struct ReportOptions {
  std::vector<std::string> files;  // results, folders of them, and timelines
  std::size_t base_files = 0;      // how many of them, the first, stand before "--"
  ReportFormat format = ReportFormat::text;
  std::optional<std::string> output;  // absent: stdout
  std::string title = "collbench report";
  std::size_t most_series = 200;  // of prom
};

/// Fills the options, or returns the text of --help. Throws UserError.
std::optional<std::string> parse(CommandLine& line, const std::vector<std::string>& arguments,
                                 ReportOptions& options);

}  // namespace collbench
