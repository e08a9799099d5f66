// SPDX-License-Identifier: Apache-2.0
#include "statistics/two_samples.h"

#include <algorithm>
#include <cmath>

#include "statistics/distributions.h"

namespace collbench::statistics {
namespace {

MeanDifference of_one_against_many(const Sample& many, double difference, double least_variance) {
  const auto n = static_cast<double>(many.n);
  const double variance = std::max(many.variance, least_variance);
  return {difference, std::sqrt(variance * (1 + 1 / n)), n - 1, true};
}

MeanDifference welch(const Sample& first, const Sample& second, double least_variance) {
  const auto n = static_cast<double>(first.n);
  const auto m = static_cast<double>(second.n);
  const double a = std::max(first.variance, least_variance) / n;
  const double b = std::max(second.variance, least_variance) / m;
  return {second.mean - first.mean, std::sqrt(a + b),
          (a + b) * (a + b) / (a * a / (n - 1) + b * b / (m - 1))};
}

}  // namespace

Sample sample_of(std::span<const double> values) {
  Sample sample = {.n = values.size(), .mean = mean(values)};
  if (sample.n < 2) return sample;
  for (const double value : values) {
    sample.variance += (value - sample.mean) * (value - sample.mean);
  }
  sample.variance /= static_cast<double>(sample.n - 1);
  return sample;
}

double MeanDifference::upper_probability() const {
  return student_upper_tail(difference / standard_error, degrees);
}

double MeanDifference::lower_probability() const {
  return student_upper_tail(-difference / standard_error, degrees);
}

Interval MeanDifference::interval95() const {
  const double half = student_upper_quantile(0.025, degrees) * standard_error;
  return {difference - half, difference + half};
}

std::optional<MeanDifference> mean_difference(const Sample& first, const Sample& second,
                                              double least_deviation) {
  const double least_variance = least_deviation * least_deviation;
  if (first.n >= 2 && second.n >= 2) return welch(first, second, least_variance);
  const double difference = second.mean - first.mean;
  if (first.n >= 3 && second.n == 1) return of_one_against_many(first, difference, least_variance);
  if (first.n == 1 && second.n >= 3) return of_one_against_many(second, difference, least_variance);
  return std::nullopt;
}

std::optional<double> discovery_bound(std::vector<double> probabilities, double rate) {
  std::sort(probabilities.begin(), probabilities.end());
  const auto all = static_cast<double>(probabilities.size());
  for (std::size_t i = probabilities.size(); i > 0; --i) {
    if (probabilities[i - 1] <= rate * static_cast<double>(i) / all) return probabilities[i - 1];
  }
  return std::nullopt;
}

}  // namespace collbench::statistics
