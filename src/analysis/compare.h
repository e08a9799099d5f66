// SPDX-License-Identifier: Apache-2.0
// Comparing two sets of launches. docs/comparing.md explains the method to users.
#pragma once

#include <array>

#include "analysis/comparison.h"
#include "base/errors.h"

namespace collbench {

/// Rows of equal keys against each other. O(n log n) in rows. The sides must outlive the result.
///
/// The test is Welch's t on the logarithms of one value per launch; of one launch against three or
/// more the same with the deviation of these (a prediction interval). A row is a regression where
/// its ratio passes the threshold and it stays when the probabilities of all rows are corrected by
/// Benjamini and Hochberg's method; families likewise among families.
Comparison compare(const Launches& base, const Launches& candidate, const CompareRules& rules,
                   const CompareOptions& options = {});

/// Which verdicts fail a comparison.
struct FailOn {
  std::array<bool, kChangeVerdicts.size()> verdicts = {};

  bool has(ChangeVerdict verdict) const { return verdicts[static_cast<std::size_t>(verdict)]; }
};

/// Regressions, errors and missing rows. An improvement never fails anything.
FailOn default_fail_on();

/// verdict_failed where a verdict of `fail_on` occurs, of a row or of a family; but for
/// inconclusive, suspect and incomparable, which give inconclusive. So do, whatever `fail_on` says,
/// nothing that is comparable and a run that is incomplete.
ExitStatus status_of(const Comparison& comparison, const FailOn& fail_on);

}  // namespace collbench
