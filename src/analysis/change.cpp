// SPDX-License-Identifier: Apache-2.0
#include "analysis/change.h"

#include <algorithm>
#include <cmath>

#include "statistics/distributions.h"

namespace collbench {
namespace {

using statistics::MeanDifference;

constexpr double kPower = 0.85;  // of Change::detectable

/// The most that one launch beside several may have: it stands alone, whatever the others of its
/// file say.
constexpr double kMostOfPrediction = 0.002;

bool is_discovery(double probability, const std::optional<double>& bound,
                  const MeanDifference& test) {
  return bound && probability <= *bound &&
         (!test.is_prediction || probability <= kMostOfPrediction);
}

/// Change::detectable: a difference of logarithms has to pass what chance gives and the threshold,
/// by as much as it may come out too small.
std::optional<double> detectable(const MeanDifference& test, double slower, double alone) {
  const double most = test.is_prediction ? std::min(alone, kMostOfPrediction) : alone;
  const double by_chance =
      statistics::student_upper_quantile(most, test.degrees) * test.standard_error;
  const double margin =
      statistics::student_upper_quantile(1 - kPower, test.degrees) * test.standard_error;
  constexpr double kMost = 10;  // elevenfold: launches that see no less see nothing
  const double least = std::expm1(std::max(by_chance, std::log1p(slower)) + margin);
  return least <= kMost ? std::optional(least) : std::nullopt;
}

/// What is beyond is as good as without a bound, and must be a number in every format.
double bounded_exp(double log) {
  constexpr double kMost = 500;
  return std::exp(std::clamp(log, -kMost, kMost));
}

Finding find(const TestedChange& tested, const Threshold& threshold,
             const Discoveries& discoveries) {
  using enum ChangeVerdict;
  const Change& change = tested.change;
  if (!change.interval95) return {inconclusive, ChangeReason::too_few_launches};
  const double slower = 1 + threshold.slower;
  const double faster = 1 / (1 + threshold.faster);
  if (change.ratio > slower && discoveries.is_slower(tested)) {
    return {regression, ChangeReason::slower};
  }
  if (change.ratio < faster && discoveries.is_faster(tested)) {
    return {improvement, ChangeReason::faster};
  }
  const statistics::Interval& interval = *change.interval95;
  if (interval.high <= slower && interval.low >= faster) {
    const bool is_real = interval.low > 1 || interval.high < 1;
    return {unchanged, is_real ? ChangeReason::below_threshold : ChangeReason::within_threshold};
  }
  if (interval.high / change.ratio > 1 + 2 * threshold.slower) {
    return {inconclusive, ChangeReason::too_noisy};
  }
  const bool is_beyond = change.ratio > slower || change.ratio < faster;
  return {inconclusive, is_beyond ? ChangeReason::not_significant : ChangeReason::near_threshold};
}

}  // namespace

TestedChange test_change(std::span<const double> base_logs, std::span<const double> candidate_logs,
                         double least_launch_noise) {
  const statistics::Sample base = statistics::sample_of(base_logs);
  const statistics::Sample candidate = statistics::sample_of(candidate_logs);
  TestedChange tested;
  tested.change.ratio = bounded_exp(candidate.mean - base.mean);
  tested.test = statistics::mean_difference(base, candidate, least_launch_noise);
  if (!tested.test) return tested;
  const statistics::Interval logs = tested.test->interval95();
  tested.change.interval95 = statistics::Interval{bounded_exp(logs.low), bounded_exp(logs.high)};
  tested.change.slower_probability = tested.test->upper_probability();
  tested.change.faster_probability = tested.test->lower_probability();
  return tested;
}

Discoveries::Discoveries(std::span<const TestedChange> tested, double rate) : alone(rate) {
  std::vector<double> slower, faster;
  for (const TestedChange& one : tested) {
    if (!one.test) continue;
    slower.push_back(*one.change.slower_probability);
    faster.push_back(*one.change.faster_probability);
  }
  if (slower.empty()) return;
  alone = rate / static_cast<double>(slower.size());
  slower_bound = statistics::discovery_bound(std::move(slower), rate);
  faster_bound = statistics::discovery_bound(std::move(faster), rate);
}

bool Discoveries::is_slower(const TestedChange& tested) const {
  return tested.test && is_discovery(*tested.change.slower_probability, slower_bound, *tested.test);
}

bool Discoveries::is_faster(const TestedChange& tested) const {
  return tested.test && is_discovery(*tested.change.faster_probability, faster_bound, *tested.test);
}

void judge(const TestedChange& tested, const Threshold& threshold, const Discoveries& discoveries,
           Change& change, Finding& finding) {
  change = tested.change;
  if (tested.test) {
    change.detectable = detectable(*tested.test, threshold.slower, discoveries.alone);
  }
  finding = find(tested, threshold, discoveries);
}

}  // namespace collbench
