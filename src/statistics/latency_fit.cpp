// SPDX-License-Identifier: Apache-2.0
#include "statistics/latency_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "statistics/statistics.h"

namespace collbench::statistics {
namespace {

using Points = std::span<const SizeTime>;

struct Line {
  double latency, slope;
  double at(double size) const { return latency + slope * size; }
};

/// The line with the least weighted squares, among those whose latency is not negative.
Line least_squares(Points points, const std::vector<double>& weights) {
  double w = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    w += weights[i];
    x += weights[i] * points[i].size;
    y += weights[i] * points[i].time;
    xx += weights[i] * points[i].size * points[i].size;
    xy += weights[i] * points[i].size * points[i].time;
  }
  const double determinant = w * xx - x * x;
  Line line{};
  if (determinant > 0) line = {(xx * y - x * xy) / determinant, (w * xy - x * y) / determinant};
  if (determinant <= 0 || line.slope <= 0) return {y / w, 0};
  return line.latency < 0 ? Line{0, xy / xx} : line;
}

double residual(const SizeTime& point, const Line& line) {
  return point.time / line.at(point.size) - 1;
}

std::vector<double> residuals(Points points, const Line& line) {
  std::vector<double> all;
  for (const SizeTime& point : points) all.push_back(residual(point, line));
  return all;
}

double median_size(std::vector<double> values) {
  for (double& value : values) value = std::abs(value);
  return median(values);
}

/// Relative, and less for points that are far off.
std::vector<double> huber_weights(Points points, const Line& line) {
  constexpr double kConstant = 1.345, kNormal = 1.4826;
  const double limit = kConstant * kNormal * median_size(residuals(points, line));
  std::vector<double> weights;
  for (const SizeTime& point : points) {
    const double size = std::abs(residual(point, line));
    const double share = size > limit ? limit / size : 1;
    weights.push_back(std::max(share, 1e-9) / std::pow(line.at(point.size), 2));
  }
  return weights;
}

bool are_near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::abs(b); }

Line robust_line(Points points) {
  constexpr int kMostIterations = 30;
  std::vector<double> weights;
  for (const SizeTime& point : points) weights.push_back(1 / (point.time * point.time));
  Line line = least_squares(points, weights);
  for (int i = 0; i < kMostIterations; ++i) {
    const Line before = line;
    line = least_squares(points, huber_weights(points, line));
    if (are_near(line.latency, before.latency) && are_near(line.slope, before.slope)) break;
  }
  return line;
}

/// Pieces by their ends, and the sum of the logarithms of their errors.
struct Cut {
  std::vector<std::size_t> ends;
  double cost = std::numeric_limits<double>::infinity();
};

/// Absolute relative errors have the likelihood of Laplace's distribution: n ln(mean error).
double cost_of(Points points) {
  double sum = 0;
  for (const double error : residuals(points, robust_line(points))) sum += std::abs(error);
  return sum;
}

constexpr std::size_t kLeastPoints = 4;
constexpr std::size_t kMostPieces = 3;

/// Where pieces may begin and end, with the first point and the end of all: between two sizes; of
/// many sizes, some evenly, since the time that cutting takes grows with the square of their
/// number.
std::vector<std::size_t> places_to_cut(Points points) {
  constexpr std::size_t kMost = 48;
  std::vector<std::size_t> between;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i].size > points[i - 1].size) between.push_back(i);
  }
  const std::size_t chosen = std::min(between.size(), kMost);
  std::vector<std::size_t> places = {0};
  for (std::size_t i = 0; i < chosen; ++i) places.push_back(between[i * between.size() / chosen]);
  places.push_back(points.size());
  return places;
}

/// The cost of each piece, asked for once for each number of pieces, found once.
class PieceCosts {
 public:
  PieceCosts(Points points, const std::vector<std::size_t>& places)
      : points_(points), places_(places), costs_(places.size() * places.size(), -1) {}

  /// Of what is between two places; infinite for too few points.
  double operator()(std::size_t begin, std::size_t end) {
    const std::size_t count = places_[end] - places_[begin];
    if (count < kLeastPoints && count < points_.size()) return Cut{}.cost;
    double& cost = costs_[begin * places_.size() + end];
    if (cost < 0) cost = cost_of(points_.subspan(places_[begin], count));
    return cost;
  }

 private:
  Points points_;
  const std::vector<std::size_t>& places_;
  std::vector<double> costs_;
};

/// The best cuts of all points into 1, 2, ... pieces; of infinite cost where there are none.
std::vector<Cut> best_cuts(Points points) {
  const std::vector<std::size_t> places = places_to_cut(points);
  PieceCosts cost_between(points, places);
  const std::size_t last = places.size() - 1;
  std::vector<Cut> ending(places.size());  // at each place, with the number of pieces so far
  for (std::size_t end = 1; end <= last; ++end) ending[end] = {{places[end]}, cost_between(0, end)};
  std::vector<Cut> best = {ending[last]};
  while (best.size() < kMostPieces) {
    std::vector<Cut> longer(places.size());
    for (std::size_t end = 2; end <= last; ++end) {
      for (std::size_t start = 1; start < end; ++start) {
        const double cost = ending[start].cost + cost_between(start, end);
        if (cost >= longer[end].cost) continue;
        longer[end] = {ending[start].ends, cost};
        longer[end].ends.push_back(places[end]);
      }
    }
    best.push_back(longer[last]);
    ending = std::move(longer);
  }
  return best;
}

/// Schwarz: two parameters for each piece, and where it ends.
double criterion(const Cut& cut, std::size_t n) {
  const double count = static_cast<double>(n);
  const double error = std::max(cut.cost / count, 1e-6);  // exact data need no more pieces
  return 2 * count * std::log(error) +
         (3 * static_cast<double>(cut.ends.size()) - 1) * std::log(count);
}

}  // namespace

LatencyFit fit_latency(Points points) {
  const Line line = robust_line(points);
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  return {points.front().size, line.latency, line.slope > 0 ? 1 / line.slope : kInfinite,
          median_size(residuals(points, line)), points.size()};
}

std::vector<LatencyFit> fit_latency_pieces(Points points) {
  const std::vector<Cut> cuts = best_cuts(points);
  const auto best = std::min_element(cuts.begin(), cuts.end(), [&](const Cut& a, const Cut& b) {
    return criterion(a, points.size()) < criterion(b, points.size());
  });
  std::vector<LatencyFit> pieces;
  std::size_t start = 0;
  for (const std::size_t end : best->ends) {
    pieces.push_back(fit_latency(points.subspan(start, end - start)));
    start = end;
  }
  return pieces;
}

}  // namespace collbench::statistics
