// SPDX-License-Identifier: Apache-2.0
// Probabilities of the standard distributions: the one place that names Boost.Math.
#pragma once

#include <cstdint>

namespace collbench::statistics {

/// P(X <= successes) for `trials` fair coins.
double fair_coins_at_most(std::uint64_t successes, std::uint64_t trials);

/// P(X >= successes) for `trials` independent trials that succeed with probability `p`.
double binomial_at_least(std::uint64_t successes, std::uint64_t trials, double p);

/// P(Z > z) for a standard normal Z.
double normal_upper_tail(double z);

/// P(T > t) for Student's distribution with `degrees` degrees of freedom, not necessarily whole.
/// Requires degrees > 0.
double student_upper_tail(double t, double degrees);

/// The t with student_upper_tail(t, degrees) = p. Requires 0 < p < 1 and degrees > 0.
double student_upper_quantile(double p, double degrees);

}  // namespace collbench::statistics
