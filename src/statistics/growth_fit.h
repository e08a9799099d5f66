// SPDX-License-Identifier: Apache-2.0
// How a latency grows with the number of ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace collbench::statistics {

struct RanksTime {
  double ranks;
  double time;
};

enum class Growth : std::uint8_t {
  logarithmic,  // time = start + slope log2 N, as of trees
  linear,       // time = start + slope N, as of rings
};

struct GrowthFit {
  Growth growth = Growth::logarithmic;
  double start = 0;
  double slope = 0;
  double median_error = 0;  // of |time / fitted - 1|
  std::size_t points = 0;
  // By how much Akaike's criterion, corrected for few points, is worse for the other form: below 2
  // both are as good. Absent for fewer than five points, of which it is not defined.
  std::optional<double> criterion_lead;

  double time(double ranks) const;

  bool operator==(const GrowthFit&) const = default;
};

inline constexpr std::size_t kLeastGrowthPoints = 3;

/// The form with the smaller criterion, which for equally many unknowns is the one with the smaller
/// squares of relative errors. Nothing for fewer points, which must be of different counts and
/// times above 0. Source: Hurvich and Tsai, Biometrika 76 (1989).
std::optional<GrowthFit> fit_growth(std::span<const RanksTime> points);

}  // namespace collbench::statistics
