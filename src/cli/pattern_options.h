// SPDX-License-Identifier: Apache-2.0
// The command line of the binaries of parallel_patterns/ as a plain value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/gpu_flags.h"
#include "cli/replay_flags.h"
#include "cli/running_flags.h"
#include "cli/training_flags.h"
#include "plan/balanced_training.h"
#include "plan/pattern.h"
#include "plan/predict.h"

namespace collbench {

struct PatternOptions : RunningChoice {
  TrainingFlags training;    // layout and step depend on the number of ranks
  std::optional<int> ranks;  // --ranks; absent: as many as are started
  model::Model model;
  plan::Scheme scheme;
  plan::Costs costs;
  // What of `costs` is given; the rest is found by measuring where something is measured.
  bool rate_is_given = false;    // of computing
  bool links_are_given = false;  // for all operations, and not only for those in costs
  bool nodes_are_given = false;  // ranks per node
  ReplayChoice replay;
  GpuChoice gpu;
  bool dry_run = false;
  bool operations = false;  // all of them, one per line
  bool predict = false;
  std::string trace_path;  // --trace; empty: none; see trace_paths

  bool measures() const { return !dry_run && !predict; }
};

/// Either options to run with, or text to print instead of running.
struct PatternCommand {
  PatternOptions options;
  std::optional<std::string> print;  // of --help and --version
  std::vector<std::string> arguments{};
};

/// Throws UserError, one sentence, for anything that cannot be meant.
PatternCommand parse_pattern_command(const std::vector<std::string>& arguments,
                                     const plan::Pattern& pattern);

/// All flags that --help of some pattern shows.
std::vector<FlagFacts> pattern_flags();

/// The layout of so many ranks. Throws UserError where it is impossible, or leaves nothing to send
/// on the pattern's axis.
model::Layout layout_of(const PatternOptions& options, const plan::Pattern& pattern, int ranks);

/// Of a run on `ranks` ranks: that layout, or those that --scale names, which may leave ranks idle
/// and may have nothing to send. Throws UserError, also where a layout needs more ranks.
std::vector<model::Layout> measured_layouts(const PatternOptions& options,
                                            const plan::Pattern& pattern, int ranks);

/// The file of --trace; of --scale one for each degree, as "step.dp2.json" of "step.json".
std::string trace_path(const PatternOptions& options, const model::Layout& layout);
/// All of them; none without --trace.
std::vector<std::string> trace_paths(const PatternOptions& options);

/// The plan that the flags describe; with --balance that of the first step. Throws UserError where
/// the layout cannot train the model.
plan::Plan plan_of(const PatternOptions& options, const plan::Pattern& pattern,
                   const model::Layout& layout);

/// The plans of all steps of --balance, which must be given. The options must outlive it.
plan::BalancedTraining balanced_training(const PatternOptions& options,
                                         const plan::Pattern& pattern, const model::Layout& layout);

}  // namespace collbench
