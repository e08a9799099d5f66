// SPDX-License-Identifier: Apache-2.0
#include "statistics/growth_fit.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "statistics/statistics.h"

namespace collbench::statistics {
namespace {

using Points = std::span<const RanksTime>;

double grown(Growth growth, double ranks) {
  return growth == Growth::linear ? ranks : std::log2(ranks);
}

double relative_error(const GrowthFit& fit, const RanksTime& point) {
  return fit.time(point.ranks) / point.time - 1;
}

/// Least squares of errors relative to what was measured.
GrowthFit fit_form(Growth growth, Points points) {
  double w = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [ranks, time] : points) {
    const double weight = 1 / (time * time), at = grown(growth, ranks);
    w += weight;
    x += weight * at;
    y += weight * time;
    xx += weight * at * at;
    xy += weight * at * time;
  }
  GrowthFit fit;
  fit.growth = growth;
  fit.points = points.size();
  fit.slope = (w * xy - x * y) / (w * xx - x * x);
  fit.start = (y - fit.slope * x) / w;
  std::vector<double> errors;
  for (const RanksTime& point : points) errors.push_back(std::abs(relative_error(fit, point)));
  fit.median_error = median(errors);
  return fit;
}

double squares(const GrowthFit& fit, Points points) {
  double sum = 0;
  for (const RanksTime& point : points) sum += std::pow(relative_error(fit, point), 2);
  return sum;
}

/// Unknowns are start, slope and the spread of errors: equally many for both forms, so that the
/// correction is the same and only squares differ.
std::optional<double> criterion_lead(double better, double worse, std::size_t points) {
  constexpr std::size_t kUnknowns = 3;
  constexpr double kExact = 1e-18;  // of relative errors, squared: no form is better than exact
  if (points < kUnknowns + 2) return std::nullopt;
  return static_cast<double>(points) * std::log(std::max(worse, kExact) / std::max(better, kExact));
}

}  // namespace

double GrowthFit::time(double ranks) const { return start + slope * grown(growth, ranks); }

std::optional<GrowthFit> fit_growth(Points points) {
  if (points.size() < kLeastGrowthPoints) return std::nullopt;
  GrowthFit better = fit_form(Growth::logarithmic, points);
  const GrowthFit linear = fit_form(Growth::linear, points);
  double least = squares(better, points), more = squares(linear, points);
  if (more < least) {
    better = linear;
    std::swap(least, more);
  }
  better.criterion_lead = criterion_lead(least, more, points.size());
  return better;
}

}  // namespace collbench::statistics
