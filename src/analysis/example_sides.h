// SPDX-License-Identifier: Apache-2.0
// Two sides of five launches each, for tests of comparisons.
#pragma once

#include <stdexcept>
#include <vector>

#include "analysis/compare.h"
#include "analysis/example_launches.h"

namespace collbench::example {

inline constexpr Bytes kLarge = 16 << 20;  // of size class "large"

/// Five launches around 100 us that scatter by about 0.4 %, times a factor.
inline std::vector<double> five(double factor = 1) {
  std::vector<double> times;
  for (const double us : {100.0, 100.5, 99.6, 100.3, 99.8}) times.push_back(us * 1e-6 * factor);
  return times;
}

struct Sides {
  CompareRules rules = parse_compare_rules(default_compare_rules_text());
  Launches base = launches(5, "base");
  Launches candidate = launches(5, "new");

  void add(const MeasurementKey& key, double factor = 1) {
    base.rows.push_back(timed(key, five()));
    candidate.rows.push_back(timed(key, five(factor)));
  }

  Comparison compared(const CompareOptions& options = {}) const {
    return compare(base, candidate, rules, options);
  }

  ExitStatus status(const CompareOptions& options = {}) const {
    return status_of(compared(options), default_fail_on());
  }
};

/// The one row of a comparison.
inline RowComparison only(const Comparison& comparison) {
  if (comparison.rows.size() != 1) throw std::logic_error("not one row");
  return comparison.rows[0];
}

inline FailOn on(ChangeVerdict verdict) {
  FailOn fail_on;
  fail_on.verdicts[static_cast<std::size_t>(verdict)] = true;
  return fail_on;
}

}  // namespace collbench::example
