// SPDX-License-Identifier: Apache-2.0
#include "cli/pattern_options.h"

#include <fmt/format.h>

#include "base/errors.h"
#include "base/version.h"
#include "cli/cost_flags.h"
#include "cli/numbers.h"
#include "cli/scheme_flags.h"

namespace collbench {
namespace {

struct Typed {
  explicit Typed(const plan::Scheme& scheme) : schemes(scheme) {}

  SchemeFlags schemes;
  CostFlags costs;
  std::optional<std::string> ranks, trace, start_timeout;
  bool version = false;
};

void declare(CommandLine& line, Typed& typed, PatternOptions& options) {
  options.training.declare(line);
  line.heading("Layout");
  line.value("--ranks", typed.ranks, "all ranks, from which dp follows (those that are started)");
  typed.schemes.declare(line);
  typed.costs.declare(line);
  line.heading("Running");
  line.flag("--dry-run", options.dry_run, "what each rank sends, and whether the plan is sound");
  line.flag("--operations", options.operations, "with --dry-run: every operation");
  line.flag("--predict", options.predict, "how long the step takes, by the links given");
  line.value("--trace", typed.trace, "write the predicted step to this file, for Perfetto");
  line.flag("--force", options.force, "replace an existing file");
  line.value("--start-timeout", typed.start_timeout,
             "seconds for all ranks to start (default 300)");
  line.heading(CommandLine::kInformation);
  line.flag("--version", typed.version, "the version and how it was built");
}

void read(const Typed& typed, PatternOptions& options) {
  if (typed.ranks) {
    options.ranks = static_cast<int>(parse_count(*typed.ranks, "--ranks", 1, model::kMostRanks));
  }
  options.model = options.training.model();
  options.training.step(options.model, options.training.layout(options.ranks));
  options.scheme = typed.schemes.read();
  options.costs = typed.costs.read();
  if (typed.trace) options.trace_path = *typed.trace;
  if (typed.trace && typed.trace->empty()) {
    throw UserError("--trace: the file's name is empty; give a path such as step.json");
  }
  if (typed.start_timeout) {
    options.start_timeout_s = parse_seconds(*typed.start_timeout, "--start-timeout");
  }
}

void require_something_to_do(const PatternOptions& options) {
  if (options.operations && !options.dry_run) {
    throw UserError("--operations shows more of a dry run; give --dry-run as well");
  }
  if (options.dry_run || options.predict || !options.trace_path.empty()) return;
  throw UserError(
      "patterns cannot be measured yet, only shown and predicted; give --dry-run, --predict or "
      "--trace FILE");
}

}  // namespace

PatternCommand parse_pattern_command(const std::vector<std::string>& arguments,
                                     const plan::Pattern& pattern) {
  const std::string program = fmt::format("{}_perf", pattern.name);
  CommandLine line(program, fmt::format("{}: {}.\nStart with mpirun -np N, or alone with --ranks; "
                                        "docs/patterns/ explains.",
                                        program, pattern.summary));
  PatternCommand command;
  Typed typed(pattern.scheme);
  declare(line, typed, command.options);
  if (auto help = line.parse(arguments)) return {{}, std::move(help)};
  if (typed.version) return {{}, version_text()};
  read(typed, command.options);
  require_something_to_do(command.options);
  return command;
}

plan::Plan plan_of(const PatternOptions& options, const plan::Pattern& pattern, int ranks) {
  const model::Layout layout = options.training.layout(options.ranks.value_or(ranks));
  if (model::size_of(layout, pattern.axis) == 1) {
    throw UserError(fmt::format("{} is 1, so that {} has nothing to send; give {}{}", pattern.flag,
                                pattern.name, pattern.flag,
                                pattern.axis == model::Axis::dp_cp ? ", or more ranks" : ""));
  }
  const model::Step step =
      options.training.step(options.model, layout, plan::usual_gradients(options.scheme));
  return plan::training_step(std::string(pattern.name), options.model, layout, step,
                             options.scheme);
}

}  // namespace collbench
