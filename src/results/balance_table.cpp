// SPDX-License-Identifier: Apache-2.0
#include "results/balance_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "results/step_table.h"
#include "results/table.h"

namespace collbench {
namespace {

std::string cell(const std::optional<double>& time_s) {
  return time_s ? in_milliseconds(*time_s) : "N/A";
}

}  // namespace

std::string balance_table(std::span<const BalancedStep> steps) {
  if (steps.empty()) return "";
  const bool measured =
      std::ranges::any_of(steps, [](const auto& each) { return each.step.has_value(); });
  const bool predicted =
      std::ranges::any_of(steps, [](const auto& each) { return each.predicted_s.has_value(); });
  std::string text =
      comment_line("loads of experts, which a bias levels: the largest over the mean") +
      fmt::format("#   {:>6}{:>10}{:>10}{:>16}{}{}\n", "step", "experts", "ranks", "sent (B)",
                  measured ? "     step (ms)" : "", predicted ? "  predicted (ms)" : "");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const BalancedStep& each = steps[i];
    text += fmt::format("    {:>6}{:>10.3f}{:>10.3f}{:>16}", i + 1, each.expert_max_over_mean,
                        each.rank_max_over_mean, each.sent_bytes);
    if (measured) {
      const auto measured_s = each.step ? std::optional(each.step->median_s) : std::nullopt;
      text += fmt::format("{:>14}", cell(measured_s));
    }
    if (predicted) text += fmt::format("{:>16}", cell(each.predicted_s));
    text += "\n";
  }
  return text;
}

}  // namespace collbench
