// SPDX-License-Identifier: Apache-2.0
// Of a LayoutRun: what the axes of its step cost each other.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/layout_run.h"
#include "plan/axis_times.h"
#include "plan/only_axes.h"
#include "replay/timelines.h"
#include "statistics/statistics.h"

namespace collbench {
namespace {

// Long enough for intervals of medians where steps are short, and little beside the rest of a run.
constexpr double kMost_s = 10;
constexpr double kLeastRounds = 6;
constexpr double kMostRounds = 30;

/// How often everything is timed: as often as steps are where their number is given.
int rounds_of(const PatternOptions& options, double round_s) {
  if (options.replay.steps) {
    return static_cast<int>(std::min(static_cast<double>(*options.replay.steps), kMostRounds));
  }
  const double rounds = std::floor(kMost_s / std::max(round_s, 1e-9));
  return static_cast<int>(std::clamp(rounds, kLeastRounds, kMostRounds));
}

std::string names(const std::vector<model::Axis>& axes) {
  std::string text;
  for (const model::Axis axis : axes) {
    text += fmt::format("{}{}", text.empty() ? "" : " and ", model::name_of(axis));
  }
  return text;
}

}  // namespace

LayoutRun::LoadedAxes LayoutRun::load_axes(const std::vector<model::Axis>& axes) const {
  LoadedAxes loaded{{axes, {}, {}}, plan::only_axes(plan_, axes), {}, nullptr};
  loaded.matching = plan::match(loaded.plan);
  loaded.part = part(loaded.plan, replay::Timing::each_operation);
  return loaded;
}

// One step, timed operation by operation: that costs every load the same.
void LayoutRun::time_load(LoadedAxes& loaded) {
  const std::vector<model::Axis>& axes = loaded.times.axes;
  const auto step = replay(fmt::format("step, messages on {} alone", names(axes)), *loaded.part,
                           computation_.get());
  const double limit_s = step_limit_s(bench_.options.timeout_s, slowest_step_s_);
  const replay::TimedStep timed = replay::time_step(bench_.steps, step, limit_s);
  const auto mine = loaded.part->executor ? loaded.part->executor->times(timed.start_s)
                                          : std::vector<plan::OpTime>();
  ControlPlane& control = bench_.steps.control;
  loaded.times.step_s.push_back(control.max(timed.end_s - timed.start_s));
  loaded.times.busy_s.push_back(
      replay::longest_axis_times(control, loaded.plan, loaded.matching, axes, mine));
}

std::vector<AxisLoadTimes> LayoutRun::time_axes() {
  const std::vector<model::Axis> axes = plan::axes_of(plan_);
  if (axes.size() < 2) return {};
  std::vector<LoadedAxes> loads;
  for (const auto& together : plan::axes_together(axes)) loads.push_back(load_axes(together));
  double round_s = 0;  // of a warm-up
  for (LoadedAxes& loaded : loads) {
    time_load(loaded);
    round_s += loaded.times.step_s.back();
    loaded.times.step_s.clear();
    loaded.times.busy_s.clear();
  }
  const int rounds = rounds_of(bench_.options, round_s);
  for (int round = 0; round < rounds; ++round) {
    for (LoadedAxes& loaded : loads) time_load(loaded);
  }
  std::vector<AxisLoadTimes> times;
  for (LoadedAxes& loaded : loads) times.push_back(std::move(loaded.times));
  return times;
}

}  // namespace collbench
