// SPDX-License-Identifier: Apache-2.0
// The command line of the binaries of parallel_patterns/ as a plain value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/training_flags.h"
#include "plan/pattern.h"
#include "plan/predict.h"

namespace collbench {

struct PatternOptions {
  TrainingFlags training;    // layout and step depend on the number of ranks
  std::optional<int> ranks;  // --ranks; absent: as many as are started
  model::Model model;
  plan::Scheme scheme;
  plan::Costs costs;
  bool dry_run = false;
  bool operations = false;  // all of them, one per line
  bool predict = false;
  std::string trace_path;  // --trace; empty: none
  bool force = false;
  double start_timeout_s = 300;
};

/// Either options to run with, or text to print instead of running.
struct PatternCommand {
  PatternOptions options;
  std::optional<std::string> print;  // of --help and --version
};

/// Throws UserError, one sentence, for anything that cannot be meant.
PatternCommand parse_pattern_command(const std::vector<std::string>& arguments,
                                     const plan::Pattern& pattern);

/// The plan that the flags describe. Throws UserError where the layout is impossible, or leaves
/// nothing to send on the pattern's axis.
plan::Plan plan_of(const PatternOptions& options, const plan::Pattern& pattern, int ranks);

}  // namespace collbench
