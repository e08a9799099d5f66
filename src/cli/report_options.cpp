// SPDX-License-Identifier: Apache-2.0
#include "cli/report_options.h"

#include <fmt/format.h>

#include "base/errors.h"
#include "base/named_rows.h"
#include "cli/numbers.h"
#include "cli/two_sides.h"

namespace collbench {
namespace {

ReportFormat format_of(const std::string& output) {
  std::string suffixes;
  for (const ReportFormatRow& row : kReportFormats) {
    if (output.ends_with(row.suffix)) return row.format;
    suffixes += fmt::format("{}{}", suffixes.empty() ? "" : ", ", row.suffix);
  }
  throw UserError(
      fmt::format("-o {}: its format cannot be told from its name, which ends in none "
                  "of {}; give --format",
                  output, suffixes));
}

/// The files before "--" are those of the base.
void take_sides(ReportOptions& options) {
  const TwoSides sides = split_sides(options.files);
  if (!sides.separated) return;
  options.base_files = sides.base.size();
  options.files = sides.base;
  options.files.insert(options.files.end(), sides.candidate.begin(), sides.candidate.end());
  if (options.base_files == 0 || sides.candidate.empty()) {
    throw UserError(
        "--: the files of the base stand before it and the new ones after it, and there are none");
  }
}

}  // namespace

std::optional<std::string> parse(CommandLine& line, const std::vector<std::string>& arguments,
                                 ReportOptions& options) {
  std::optional<std::string> format, title, series;
  line.value("-o,--output", options.output,
             "the file to write; one that is there is replaced (stdout)");
  line.completed_by_files();
  line.value("--format", format,
             list_names(kReportFormats) + " (by the name of the output; text on stdout)");
  line.value("--title", title, "what stands at the top (collbench report)");
  line.value("--series", series, "prom: the most series of rows, sizes are left out beyond (200)");
  line.operands(
      "FILE", options.files,
      "what a benchmark wrote with -J or --trace, or a folder of such files; those of a base may "
      "stand first, with -- behind them");
  if (auto help = line.parse(with_separator(arguments))) return help;
  take_sides(options);
  if (options.output) options.format = format ? options.format : format_of(*options.output);
  if (format) options.format = find_named(kReportFormats, *format, "--format", "format").format;
  if (title) options.title = *title;
  if (series && options.format != ReportFormat::prom) {
    throw UserError("--series has a meaning for --format prom only");
  }
  if (series) options.most_series = parse_count(*series, "--series", 1, 1'000'000);
  return std::nullopt;
}

}  // namespace collbench
