// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "model/closed_forms.h"
#include "plan/predict.h"

namespace collbench::plan {
namespace {

StepTimes::OfClass of_class(const RankClass& ranks, const std::vector<OpTime>& times) {
  StepTimes::OfClass sums;
  for (std::size_t o = 0; o < ranks.ops.size(); ++o) {
    const double busy = times[o].end_s - times[o].start_s;
    if (ranks.ops[o].kind == OpKind::communicate) {
      sums.communication_s += busy;
    } else {
      sums.compute_s += busy;
    }
  }
  return sums;
}

/// Four digits at most, and never an exponent.
std::string milliseconds(double s) {
  const double ms = s * 1e3;
  return fmt::format("{:.{}f} ms", ms, ms >= 100 || ms == 0 ? 0 : ms >= 1 ? 2 : 4);
}

/// The two ratios that are both called the bubble, predicted and by the papers' formulas.
std::string describe_bubble(const Plan& plan, const StepTimes& times) {
  if (plan.layout.pp == 1 || times.compute_s == 0) return "";
  return fmt::format(
      "# bubble: {:.4f} of the busiest rank's computing, {:.4f} of both together; "
      "1F1B with equal stages: (p-1)/(VM) = {:.4f}, (p-1)/(VM+p-1) = {:.4f}\n",
      times.bubble_s / times.compute_s, times.bubble_s / (times.bubble_s + times.compute_s),
      model::bubble_to_work(plan.layout, plan.step), model::bubble_share(plan.layout, plan.step));
}

}  // namespace

StepTimes predict_step(const Plan& plan, const Costs& costs) {
  const Matching matching = match(plan);
  const Timeline timeline = predict(plan, matching, costs);
  const double skeleton_s = step_s(predict(plan, matching, on_an_infinite_network(costs)));
  StepTimes times;
  times.step_s = step_s(timeline);
  for (std::size_t c = 0; c < plan.classes.size(); ++c) {
    times.classes.push_back(of_class(plan.classes[c], timeline[c]));
    times.classes.back().idle_s = times.step_s - times.classes.back().compute_s;
    times.compute_s = std::max(times.compute_s, times.classes.back().compute_s);
  }
  // Sums in another order differ in their last digits.
  const auto difference = [](double all, double part) {
    return all - part > 1e-12 * all ? all - part : 0;
  };
  times.bubble_s = difference(skeleton_s, times.compute_s);
  times.exposed_s = difference(times.step_s, skeleton_s);
  return times;
}

std::string describe(const Plan& plan, const StepTimes& times) {
  const auto part = [&](double s) {
    return fmt::format("{} ({:.1f} %)", milliseconds(s),
                       times.step_s > 0 ? s / times.step_s * 100 : 0);
  };
  std::string text =
      fmt::format("# predicted step {}: computing {}, bubble {}, exposed communication {}\n",
                  milliseconds(times.step_s), part(times.compute_s), part(times.bubble_s),
                  part(times.exposed_s));
  text += describe_bubble(plan, times);
  text += fmt::format("#   {:<14}{:>14}{:>14}{:>20}\n", "ranks", "compute (ms)", "idle (ms)",
                      "communication (ms)");
  for (std::size_t c = 0; c < plan.classes.size(); ++c) {
    const StepTimes::OfClass& of = times.classes[c];
    text += fmt::format("    {:<14}{:>14.4f}{:>14.4f}{:>20.4f}\n", name_of(plan, plan.classes[c]),
                        of.compute_s * 1e3, of.idle_s * 1e3, of.communication_s * 1e3);
  }
  return text;
}

}  // namespace collbench::plan
