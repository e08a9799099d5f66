// SPDX-License-Identifier: Apache-2.0
// What every subcommand that compares does before and after comparing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/compare.h"
#include "cli/compare_options.h"

namespace collbench {

/// Throws UserError for an output that could not be written, or would replace an input: before
/// files are read, or launches run.
void require_writable(const ComparingOptions& options, const std::vector<std::string>& inputs = {});

/// Of a file, or the rules that are built in. Throws UserError.
CompareRules read_rules(const std::optional<std::string>& file);

struct Sides {
  Launches base, candidate;
};

/// What was collected. Throws UserError for a filter, or the subject of a rule, that is of no row.
Sides take_sides(LaunchCollector& base, LaunchCollector& candidate, const CompareRules& rules);

/// Writes all that was asked for, and returns how the program ends.
ExitStatus finish_comparison(const Comparison& comparison, const ComparingOptions& options);

}  // namespace collbench
