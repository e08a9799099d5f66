// SPDX-License-Identifier: Apache-2.0
// Changes: whether some times differ from others, beyond chance and beyond a threshold.
#pragma once

#include <span>
#include <vector>

#include "analysis/comparison.h"
#include "statistics/two_samples.h"

namespace collbench {

/// A change before anything is known of the others that are tested beside it.
struct TestedChange {
  Change change;
  std::optional<statistics::MeanDifference> test;  // of logarithms
};

/// Of the logarithms of times, one per launch; both sides have some.
TestedChange test_change(std::span<const double> base_logs, std::span<const double> candidate_logs,
                         double least_launch_noise);

/// Which of many changes are not by chance, in each direction.
struct Discoveries {
  Discoveries(std::span<const TestedChange> tested, double rate);

  bool is_slower(const TestedChange& tested) const;
  bool is_faster(const TestedChange& tested) const;

  double alone = 0;  // the probability that a change must not exceed if it is the only one
  std::optional<double> slower_bound;
  std::optional<double> faster_bound;
};

/// Change::detectable, and what the change is called. Without a test it is inconclusive.
void judge(const TestedChange& tested, const Threshold& threshold, const Discoveries& discoveries,
           Change& change, Finding& finding);

}  // namespace collbench
