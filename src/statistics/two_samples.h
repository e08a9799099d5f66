// SPDX-License-Identifier: Apache-2.0
// Two samples: whether their means differ, and which of many such differences are not chance.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "statistics/statistics.h"

namespace collbench::statistics {

struct Sample {
  std::size_t n = 0;
  double mean = 0;
  double variance = 0;  // unbiased: divided by n - 1; 0 for one value
};

/// Requires values.
Sample sample_of(std::span<const double> values);

/// How much the second mean exceeds the first, and how well that is known.
struct MeanDifference {
  double difference;
  double standard_error;       // above 0
  double degrees;              // of freedom of Student's distribution
  bool is_prediction = false;  // of one value beside several

  /// The probability of at least such a difference where there is none.
  double upper_probability() const;
  /// Of at least such a one in the other direction.
  double lower_probability() const;
  /// Two-sided, with 95 % probability.
  Interval interval95() const;
};

/// Welch's test, with the degrees of freedom of Satterthwaite (1946): the samples need not have
/// equal deviations. With one value on a side and three or more on the other: whether that value is
/// one more of them (a prediction interval). Nothing for fewer.
///
/// Deviations below `least_deviation` are taken for that: few values can agree by chance. Requires
/// least_deviation > 0.
///
/// With two on each side it holds, but has 1 to 2 degrees of freedom: differences of less than
/// four to twelve standard errors are not told from chance.
std::optional<MeanDifference> mean_difference(const Sample& first, const Sample& second,
                                              double least_deviation);

/// The largest of the probabilities that are discoveries when the expected share of false ones
/// among these is at most `rate`; nothing where there is none. Where no probability stands for an
/// effect, the chance of any discovery is at most `rate`.
/// Source: Benjamini and Hochberg, Controlling the false discovery rate (1995).
std::optional<double> discovery_bound(std::vector<double> probabilities, double rate);

}  // namespace collbench::statistics
