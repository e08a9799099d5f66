// SPDX-License-Identifier: Apache-2.0
#include "cli/pattern_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "base/counted.h"
#include "base/errors.h"
#include "base/version.h"
#include "cli/cost_flags.h"
#include "cli/numbers.h"
#include "cli/scheme_flags.h"
#include "plan/variants.h"

namespace collbench {
namespace {

struct Typed {
  explicit Typed(const plan::Pattern& pattern) : schemes(pattern.scheme), replay(pattern.mixes) {}

  SchemeFlags schemes;
  CostFlags costs;
  ReplayFlags replay;
  RunningFlags running;
  GpuFlags gpu;
  std::optional<std::string> ranks, trace;
  bool version = false;
};

void declare(CommandLine& line, Typed& typed, PatternOptions& options) {
  options.training.declare(line);
  line.heading("Layout");
  line.value("--ranks", typed.ranks, "all ranks, from which dp follows (those that are started)");
  typed.schemes.declare(line);
  typed.costs.declare(line);
  typed.replay.declare(line);
  line.heading("Running");
  typed.running.declare(line);
  line.flag("--dry-run", options.dry_run, "what each rank sends, and whether the plan is sound");
  line.flag("--operations", options.operations, "with --dry-run: every operation");
  line.flag("--predict", options.predict, "how long the step takes by the links given, unmeasured");
  line.heading("Output");
  typed.running.declare_file(line);
  line.value("--trace", typed.trace,
             "write a step to this file, for Perfetto; with --predict the predicted one");
  line.completed_by_files();
  line.heading(CommandLine::kInformation);
  line.flag("--version", typed.version, "the version and how it was built");
  typed.gpu.declare_ranks(line);
}

void read(const Typed& typed, PatternOptions& options) {
  if (typed.ranks) {
    options.ranks = static_cast<int>(parse_count(*typed.ranks, "--ranks", 1, model::kMostRanks));
  }
  options.model = options.training.model();
  options.training.step(options.model, options.training.layout(options.ranks));
  options.scheme = typed.schemes.read();
  if (typed.schemes.names_experts() && !options.model.experts) {
    throw UserError(fmt::format(
        "--routing, --dispatcher, --dispatch-type and --balance say nothing of {}, which "
        "has no experts; leave them out",
        options.model.name));
  }
  const bool shares = options.model.experts && options.model.experts->shared > 0;
  if (typed.schemes.overlaps_shared_experts() && !shares) {
    throw UserError(fmt::format(
        "--shared-expert-overlap says nothing of {}, which has no shared experts; leave it out",
        options.model.name));
  }
  options.costs = typed.costs.read();
  options.scheme.experts.ranks_per_node = options.costs.links.ranks_per_node;
  options.rate_is_given = typed.costs.names_rate();
  options.links_are_given = typed.costs.names_links();
  options.nodes_are_given = typed.costs.names_nodes();
  options.replay = typed.replay.read();
  if (options.replay.layers) {
    options.model = model::with_layers(options.model, *options.replay.layers);
  }
  if (options.replay.compute == replay::Compute::none) {
    options.costs.compute.flops = std::numeric_limits<double>::infinity();
  }
  options.gpu = typed.gpu.read();
  if (typed.trace) options.trace_path = *typed.trace;
  if (typed.trace && typed.trace->empty()) {
    throw UserError("--trace: the file's name is empty; give a path such as step.json");
  }
}

/// Whether a path is that of a result file, or of its rows while it is written.
bool is_of_result(const std::string& path, const std::string& json_path) {
  if (json_path.empty()) return false;
  const auto plain = [](const std::string& text) {
    return std::filesystem::absolute(text).lexically_normal();
  };
  return plain(path) == plain(json_path) || plain(path) == plain(json_path + ".rows");
}

void refuse_contradictions(const PatternOptions& options) {
  if (options.operations && !options.dry_run) {
    throw UserError("--operations shows more of a dry run; give --dry-run as well");
  }
  if (options.replay.step_only && !options.trace_path.empty()) {
    throw UserError("--trace times every operation, which --step-only does not; leave out one");
  }
  if (options.scheme.experts.balance && options.replay.scale.is_asked_for()) {
    throw UserError(
        "--scale compares layouts by one step, and --balance follows many; leave out one");
  }
  for (const std::string& trace : trace_paths(options)) {
    if (!is_of_result(trace, options.json_path)) continue;
    throw UserError(fmt::format("--trace {}: -J {} is there, or its rows; give another name", trace,
                                options.json_path));
  }
  if (options.measures()) return;
  const char* const flag = options.dry_run ? "--dry-run" : "--predict";
  if (!options.json_path.empty()) {
    throw UserError(
        fmt::format("-J: {} measures nothing to write; leave out one of the two", flag));
  }
  if (options.replay.scale.is_asked_for()) {
    throw UserError(fmt::format("--scale is measured; leave out {}", flag));
  }
}

/// Of a degree that is scaled over.
std::string trace_path(const PatternOptions& options, int degree) {
  std::filesystem::path path = options.trace_path;
  const std::string extension = path.extension();
  path.replace_extension();
  path += fmt::format(".{}{}{}", options.replay.scale.axis->name, degree, extension);
  return path;
}

/// "1 rank is", "2 ranks are"
std::string started(int ranks) { return counted(ranks, "rank") + (ranks == 1 ? " is" : " are"); }

/// How many of the degrees that a rank's number is made of are above 1; of experts, too.
int degrees_of_several(const model::Layout& layout) {
  int several = 0;
  for (const int degree : {layout.tp, layout.cp, layout.pp, layout.dp, layout.ep}) {
    several += degree > 1 ? 1 : 0;
  }
  return several;
}

/// Of what the pattern is named after.
void require_traffic(const model::Layout& layout, const plan::Pattern& pattern) {
  if (pattern.mixes && degrees_of_several(layout) < 2) {
    throw UserError(fmt::format(
        "{} is of two axes or more, and here ranks differ on one at most; give {}, or more ranks",
        pattern.name, pattern.flag));
  }
  if (model::size_of(layout, pattern.axis) > 1) return;
  throw UserError(fmt::format("{} is 1, so that {} has nothing to send; give {}{}", pattern.flag,
                              pattern.name, pattern.flag,
                              pattern.axis == model::Axis::dp_cp ? ", or more ranks" : ""));
}

/// A degree that --scale varies is its to say; and one of another axis than the pattern's leaves
/// the pattern something to send.
void refuse_unscalable(const PatternOptions& options, const plan::Pattern& pattern) {
  const Scale& scale = options.replay.scale;
  model::Layout layout = options.training.layout(std::nullopt);
  if (layout.*scale.axis->of > 1) {
    throw UserError(fmt::format("--{} {}: --scale varies this degree; leave out one of the two",
                                scale.axis->name, layout.*scale.axis->of));
  }
  layout.*scale.axis->of = 2;
  require_traffic(layout, pattern);
}

plan::Plan plan_of(const PatternOptions& options, const plan::Pattern& pattern,
                   const model::Layout& layout, const plan::Scheme& scheme) {
  const model::Step step =
      options.training.step(options.model, layout, plan::usual_gradients(scheme));
  plan::Plan plan =
      plan::training_step(std::string(pattern.name), options.model, layout, step, scheme);
  return options.replay.shrink ? plan::shrunk(plan, *options.replay.shrink) : plan;
}

}  // namespace

PatternCommand parse_pattern_command(const std::vector<std::string>& arguments,
                                     const plan::Pattern& pattern) {
  const std::string program = fmt::format("{}_perf", pattern.name);
  CommandLine line(program, fmt::format("{}: {}.\nStart with mpirun -np N, or alone with --ranks; "
                                        "docs/patterns/ explains.",
                                        program, pattern.summary));
  PatternCommand command;
  Typed typed(pattern);
  declare(line, typed, command.options);
  if (auto help = line.parse(arguments)) return {{}, std::move(help)};
  if (typed.version) return {{}, version_text()};
  static_cast<RunningChoice&>(command.options) = typed.running.read();
  read(typed, command.options);
  refuse_contradictions(command.options);
  command.arguments = line.arguments();
  return command;
}

std::vector<FlagFacts> pattern_flags() {
  std::vector<FlagFacts> all;
  const auto is_known = [&](const FlagFacts& flag) {
    return std::ranges::any_of(all, [&](const FlagFacts& known) {
      return known.letter == flag.letter && known.name == flag.name;
    });
  };
  const plan::Scheme plain = {.parameters = plan::DataParallelOptions{}};
  const plan::Scheme zero = {.parameters = plan::ZeroOptions{}};
  for (const plan::Scheme& scheme : {plain, zero}) {
    plan::Pattern pattern{};
    pattern.scheme = scheme;
    pattern.mixes = true;
    CommandLine line("", "");
    Typed typed(pattern);
    PatternOptions options;
    declare(line, typed, options);
    for (FlagFacts& flag : line.flags()) {
      if (!is_known(flag)) all.push_back(std::move(flag));
    }
  }
  return all;
}

model::Layout layout_of(const PatternOptions& options, const plan::Pattern& pattern, int ranks) {
  const model::Layout layout = options.training.layout(options.ranks.value_or(ranks));
  require_traffic(layout, pattern);
  return layout;
}

std::string trace_path(const PatternOptions& options, const model::Layout& layout) {
  const Scale& scale = options.replay.scale;
  return scale.is_asked_for() ? trace_path(options, layout.*scale.axis->of) : options.trace_path;
}

std::vector<std::string> trace_paths(const PatternOptions& options) {
  if (options.trace_path.empty()) return {};
  if (!options.replay.scale.is_asked_for()) return {options.trace_path};
  std::vector<std::string> paths;
  for (const int degree : options.replay.scale.degrees) {
    paths.push_back(trace_path(options, degree));
  }
  return paths;
}

std::vector<model::Layout> measured_layouts(const PatternOptions& options,
                                            const plan::Pattern& pattern, int ranks) {
  if (options.ranks && *options.ranks != ranks) {
    throw UserError(fmt::format(
        "--ranks {}: {} started; start as many with mpirun -np {}, or give --predict or --dry-run",
        *options.ranks, started(ranks), *options.ranks));
  }
  const Scale& scale = options.replay.scale;
  if (!scale.is_asked_for()) return {layout_of(options, pattern, ranks)};
  refuse_unscalable(options, pattern);
  std::vector<model::Layout> layouts;
  for (const int degree : scale.degrees) {
    model::Layout layout = options.training.layout(std::nullopt);
    layout.*scale.axis->of = degree;
    if (model::ranks(layout) > ranks) {
      throw UserError(
          fmt::format("--scale: {} {} needs {} ranks, and {} started; start more, or "
                      "leave it out",
                      scale.axis->name, degree, model::ranks(layout), started(ranks)));
    }
    layouts.push_back(std::move(layout));
  }
  return layouts;
}

plan::Plan plan_of(const PatternOptions& options, const plan::Pattern& pattern,
                   const model::Layout& layout) {
  return plan_of(options, pattern, layout, options.scheme);
}

plan::BalancedTraining balanced_training(const PatternOptions& options,
                                         const plan::Pattern& pattern,
                                         const model::Layout& layout) {
  return {options.scheme, [&options, pattern, layout](const plan::Scheme& scheme) {
            return plan_of(options, pattern, layout, scheme);
          }};
}

}  // namespace collbench
