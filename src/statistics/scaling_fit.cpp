// SPDX-License-Identifier: Apache-2.0
#include "statistics/scaling_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace collbench::statistics {
namespace {

using Points = std::span<const RanksThroughput>;

// N / X(N) = a + b (N - 1) + c N (N - 1) is linear: a = 1 / single, b = contention / single,
// c = coherency / single.
constexpr std::size_t kTerms = 3;
using Vector = std::array<double, kTerms>;

Vector terms_at(double ranks) { return {1, ranks - 1, ranks * (ranks - 1)}; }

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < kTerms; ++i) sum += a[i] * b[i];
  return sum;
}

// An edge of what is allowed: which combinations of the terms may be there. A contention of 1 is
// the combination of the first two.
using Edge = std::vector<Vector>;
constexpr Vector kSingle = {1, 0, 0}, kContention = {0, 1, 0}, kCoherency = {0, 0, 1},
                 kAllContention = {1, 1, 0};

std::vector<Edge> edges(LawKind kind) {
  std::vector<Edge> all = {{kSingle}, {kSingle, kContention}, {kAllContention}};
  if (kind == LawKind::universal) {
    for (std::size_t i = 0, n = all.size(); i < n; ++i) {
      Edge edge = all[i];
      edge.push_back(kCoherency);
      all.push_back(std::move(edge));
    }
  }
  return all;
}

struct Equation {
  Vector terms;
  double target;
  double weight;
};

/// By elimination; nothing where the equations do not tell the unknowns apart.
std::optional<std::vector<double>> solve(std::vector<std::vector<double>> rows) {
  const std::size_t n = rows.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::abs(rows[i][k]) > std::abs(rows[pivot][k])) pivot = i;
    }
    std::swap(rows[k], rows[pivot]);
    if (!(std::abs(rows[k][k]) > 0)) return std::nullopt;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = rows[i][k] / rows[k][k];
      for (std::size_t j = k; j <= n; ++j) rows[i][j] -= factor * rows[k][j];
    }
  }
  std::vector<double> values(n);
  for (std::size_t k = 0; k < n; ++k) values[k] = rows[k][n] / rows[k][k];
  return values;
}

/// The least squares on an edge; nothing where they lie outside of what is allowed.
std::optional<Vector> least_squares(const Edge& edge, const std::vector<Equation>& equations) {
  const std::size_t n = edge.size();
  std::vector<std::vector<double>> normal(n, std::vector<double>(n + 1));
  for (const Equation& equation : equations) {
    for (std::size_t i = 0; i < n; ++i) {
      const double left = equation.weight * dot(edge[i], equation.terms);
      for (std::size_t j = 0; j < n; ++j) normal[i][j] += left * dot(edge[j], equation.terms);
      normal[i][n] += left * equation.target;
    }
  }
  const auto shares = solve(std::move(normal));
  if (!shares) return std::nullopt;
  Vector found{};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < kTerms; ++k) found[k] += (*shares)[i] * edge[i][k];
  }
  const bool allowed =
      found[0] > 0 && found[1] >= 0 && found[2] >= 0 && found[1] <= found[0] * (1 + 1e-12);
  return allowed ? std::optional(found) : std::nullopt;
}

double squares(const Vector& values, const std::vector<Equation>& equations) {
  double sum = 0;
  for (const Equation& equation : equations) {
    const double error = dot(values, equation.terms) - equation.target;
    sum += equation.weight * error * error;
  }
  return sum;
}

/// The least squares under the bounds lie on one of the edges, so the best of them all is it.
Vector bounded_least_squares(const std::vector<Edge>& edges,
                             const std::vector<Equation>& equations) {
  Vector best{};
  double least = std::numeric_limits<double>::infinity();
  for (const Edge& edge : edges) {
    const auto found = least_squares(edge, equations);
    if (!found) continue;
    const double sum = squares(*found, equations);
    if (sum < least) {
      best = *found;
      least = sum;
    }
  }
  return best;
}

/// Gauss and Newton's steps towards the least squares of logarithms.
Vector fit_terms(Points points, LawKind kind) {
  constexpr int kSteps = 50;
  const std::vector<Edge> all = edges(kind);
  std::vector<Equation> equations;
  for (const auto& [ranks, throughput] : points) {
    const double value = ranks / throughput;
    equations.push_back({terms_at(ranks), value, 1 / (value * value)});
  }
  Vector fitted = bounded_least_squares(all, equations);
  for (int step = 0; step < kSteps; ++step) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double value = points[i].ranks / points[i].throughput;
      const double now = dot(fitted, equations[i].terms);
      equations[i].target = now * (1 + std::log(value / now));
      equations[i].weight = 1 / (now * now);
    }
    fitted = bounded_least_squares(all, equations);
  }
  return fitted;
}

ScalingLaw law_of(Points points, LawKind kind) {
  const Vector terms = fit_terms(points, kind);
  ScalingLaw law;
  law.kind = kind;
  law.single = 1 / terms[0];
  law.contention = std::min(terms[1] / terms[0], 1.0);
  law.coherency = terms[2] / terms[0];
  law.points = points.size();
  std::vector<double> errors;
  for (const auto& [ranks, throughput] : points) {
    errors.push_back(std::abs(throughput / law.throughput(ranks) - 1));
  }
  law.median_error = median(errors);
  return law;
}

void widen(Interval& interval, double value) {
  interval.low = std::min(interval.low, value);
  interval.high = std::max(interval.high, value);
}

std::vector<ScalingLaw> laws_without_one(Points points, LawKind kind) {
  std::vector<ScalingLaw> laws;
  for (std::size_t left_out = 0; left_out < points.size(); ++left_out) {
    std::vector<RanksThroughput> others(points.begin(), points.end());
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
    laws.push_back(law_of(others, kind));
  }
  return laws;
}

}  // namespace

double ScalingLaw::throughput(double ranks) const {
  return single * ranks / (1 + contention * (ranks - 1) + coherency * ranks * (ranks - 1));
}

std::optional<double> ScalingLaw::best_ranks() const {
  if (coherency <= 0) return std::nullopt;
  return std::sqrt((1 - contention) / coherency);
}

std::optional<ScalingLaw> fit_scaling(LawKind kind, Points points) {
  if (points.size() < least_points(kind)) return std::nullopt;
  ScalingLaw law = law_of(points, kind);
  law.contention_without_one = {law.contention, law.contention};
  law.coherency_without_one = {law.coherency, law.coherency};
  for (const ScalingLaw& other : laws_without_one(points, kind)) {
    widen(law.contention_without_one, other.contention);
    widen(law.coherency_without_one, other.coherency);
  }
  return law;
}

Interval throughput_without_one(Points points, const ScalingLaw& law, double ranks) {
  Interval interval{law.throughput(ranks), law.throughput(ranks)};
  for (const ScalingLaw& other : laws_without_one(points, law.kind)) {
    widen(interval, other.throughput(ranks));
  }
  return interval;
}

}  // namespace collbench::statistics
