// SPDX-License-Identifier: Apache-2.0
#include "app/run_pattern.h"

#include <fmt/format.h>

#include "app/agreement.h"
#include "app/backend_of_run.h"
#include "app/balanced_steps.h"
#include "app/measured_step.h"
#include "app/pattern_run.h"
#include "app/rank_threads.h"
#include "app/run_main.h"
#include "cli/pattern_options.h"
#include "plan/axis_times.h"
#include "plan/only_axes.h"
#include "plan/placement.h"
#include "plan/print.h"
#include "plan/trace.h"
#include "results/axis_table.h"
#include "results/balance_table.h"
#include "results/open_file.h"
#include "results/step_table.h"

namespace collbench {
namespace {

/// Before anything is planned, which takes longer.
void require_trace_file(const PatternOptions& options) {
  for (const std::string& path : trace_paths(options)) {
    require_replaceable(path);
    if (exists(path) && !options.force) {
      throw UserError(fmt::format("--trace {}: the file exists; give --force to replace it", path));
    }
  }
}

void write_trace(const PatternOptions& options, const plan::Plan& plan) {
  const plan::Matching matching = plan::match(plan);
  const plan::Timeline timeline = plan::predict(plan, matching, options.costs);
  replace_file(options.trace_path, plan::to_trace(plan, matching, timeline));
}

// What axes cost each other by the links given.
std::string predicted_axes(const PatternOptions& options, const plan::Plan& plan) {
  StepRecord step;
  for (auto& axes : plan::axes_together(plan::axes_of(plan))) {
    step.axis_loads.push_back({.axes = std::move(axes)});
  }
  predict_axes(step.axis_loads, plan, options.costs);
  return axis_table(step);
}

std::string describe(const PatternOptions& options, const plan::Plan& plan,
                     const std::vector<BalancedStep>& balancing) {
  std::string text = part_line(options.replay.layers, options.replay.shrink);
  if (options.dry_run) {
    text += plan::describe_totals(plan) +
            plan::describe_groups(plan, options.costs.links.ranks_per_node) +
            "# sound: no deadlock, no race, every message matched\n";
  }
  if (options.operations) text += plan::describe_ops(plan);
  if (options.predict) {
    text += plan::describe(plan, plan::predict_step(plan, options.costs)) +
            plan::describe_unmeasured(plan, options.costs.links);
    if (options.replay.interference) text += predicted_axes(options, plan);
  }
  text += balance_table(balancing);
  const int ranks_per_node = options.costs.links.ranks_per_node;
  text += model::describe(
      plan::placement(plan, plan::nodes_in_order(model::ranks(plan.layout), ranks_per_node)));
  text += plan::describe_left_out(plan);
  if (!options.trace_path.empty()) text += fmt::format("# trace in {}\n", options.trace_path);
  return text;
}

void show(RunContext& run, const PatternOptions& options, const plan::Plan& plan,
          const std::vector<BalancedStep>& balancing) {
  require_sound(plan);
  if (!options.trace_path.empty()) write_trace(options, plan);
  run.print(describe(options, plan, balancing));
}

// Without measuring anything; with --balance the last step, and what led to it.
ExitStatus show_plan(RunContext& run, const PatternOptions& options, const plan::Pattern& pattern) {
  const model::Layout layout = layout_of(options, pattern, run.control().size());
  const plan::Plan plan = plan_of(options, pattern, layout);
  if (run.control().rank() != 0) return ExitStatus::ok;
  if (options.scheme.experts.balance) {
    const BalancedSteps balanced = follow(balanced_training(options, pattern, layout),
                                          [&](const plan::Plan& each, BalancedStep& step) {
                                            if (options.predict)
                                              step.predicted_s =
                                                  plan::predict_step(each, options.costs).step_s;
                                          });
    show(run, options, balanced.last, balanced.steps);
  } else {
    show(run, options, plan, {});
  }
  return ExitStatus::ok;
}

}  // namespace

int run_pattern(int argc, char** argv, const plan::Pattern& pattern) {
  PatternOptions options;
  std::vector<std::string> asked;
  Program program;
  program.name = fmt::format("{}_perf", pattern.name);
  program.parse = [&](const std::vector<std::string>& arguments, const ReadEnvironment&) {
    PatternCommand command = parse_pattern_command(arguments, pattern);
    options = command.options;
    asked = command.arguments;
    return Command{command.print, options.start_timeout_s, asked};
  };
  program.run = [&](RunContext& process) {
    together(process.control(), [&] {
      if (process.control().rank() == 0) require_trace_file(options);
    });
    const int threads = options.gpu.ranks_per_process();
    if (!options.measures()) {
      return run_rank_threads(process, threads,
                              [&](RunContext& run) { return show_plan(run, options, pattern); });
    }
    const BackendOfRun backend(process, options, options.gpu);
    return run_rank_threads(process, threads, [&](RunContext& run) {
      return measure_pattern(run, backend, asked, options, pattern);
    });
  };
  return run_main(argc, argv, program);
}

}  // namespace collbench
