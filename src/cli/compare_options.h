// SPDX-License-Identifier: Apache-2.0
// The command line of `collbench compare`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare.h"
#include "base/enum_rows.h"
#include "cli/command_line.h"

namespace collbench {

enum class ComparisonFormat : std::uint8_t { text, markdown, json, csv, junit, gha, gbench, bmf };

struct ComparisonFormatRow {
  ComparisonFormat format;
  std::string_view name;
};

inline constexpr std::array<ComparisonFormatRow, 8> kComparisonFormats = {{
    {ComparisonFormat::text, "text"},
    {ComparisonFormat::markdown, "markdown"},
    {ComparisonFormat::json, "json"},
    {ComparisonFormat::csv, "csv"},
    {ComparisonFormat::junit, "junit"},
    {ComparisonFormat::gha, "gha"},
    {ComparisonFormat::gbench, "gbench"},
    {ComparisonFormat::bmf, "bmf"},
}};
static_assert(in_enum_order(kComparisonFormats, &ComparisonFormatRow::format));

/// One of the ways in which a comparison is written.
struct ComparisonOutput {
  ComparisonFormat format = ComparisonFormat::text;
  std::string file;  // empty: stdout
};

/// How sides are compared, what fails, and how that is said: what every subcommand that compares
/// takes.
struct ComparingOptions {
  CompareOptions compare;
  FailOn fail_on = default_fail_on();
  std::optional<std::string> rules_file;  // absent: the rules that are built in
  std::vector<std::string> filters;
  std::vector<ComparisonOutput> outputs;  // at least one, at most one of them to stdout
  bool explain = false;
};

struct CompareToolOptions {
  std::vector<std::string> base, candidate;  // files or folders
  std::optional<std::string> baseline;       // of collbench baseline, instead of a base
  bool print_rules = false;                  // and nothing else
  ComparingOptions comparing;
};

/// The flags of ComparingOptions: declare them, parse the command line, then read them.
class ComparingFlags {
 public:
  void declare(CommandLine& line);
  /// Throws UserError.
  ComparingOptions options() const;

 private:
  std::optional<std::string> rules_, fail_on_;
  std::vector<std::string> formats_, filters_;
  bool allow_environment_difference_ = false, allow_missing_ = false, explain_ = false;
};

/// Fills the options, or returns the text of --help. Throws UserError.
std::optional<std::string> parse(CommandLine& line, const std::vector<std::string>& arguments,
                                 CompareToolOptions& options);

}  // namespace collbench
