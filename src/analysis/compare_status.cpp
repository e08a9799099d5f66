// SPDX-License-Identifier: Apache-2.0
// How a comparison ends a program.
#include <algorithm>

#include "analysis/compare.h"

namespace collbench {
namespace {

bool occurs(const Comparison& comparison, ChangeVerdict verdict) {
  return comparison.count(verdict) > 0 ||
         std::any_of(
             comparison.families.begin(), comparison.families.end(),
             [&](const FamilyComparison& family) { return family.finding.verdict == verdict; });
}

bool is_doubt(ChangeVerdict verdict) {
  using enum ChangeVerdict;
  return verdict == inconclusive || verdict == suspect || verdict == incomparable;
}

}  // namespace

FailOn default_fail_on() {
  FailOn fail_on;
  for (const ChangeVerdict verdict :
       {ChangeVerdict::regression, ChangeVerdict::error, ChangeVerdict::missing}) {
    fail_on.verdicts[static_cast<std::size_t>(verdict)] = true;
  }
  return fail_on;
}

ExitStatus status_of(const Comparison& comparison, const FailOn& fail_on) {
  if (comparison.verdict == OverallVerdict::nothing_comparable) return ExitStatus::inconclusive;
  ExitStatus status =
      comparison.compares() && comparison.complete ? ExitStatus::ok : ExitStatus::inconclusive;
  for (const ChangeVerdictRow& row : kChangeVerdicts) {
    if (!fail_on.has(row.verdict) || !occurs(comparison, row.verdict)) continue;
    if (!is_doubt(row.verdict)) return ExitStatus::verdict_failed;
    status = ExitStatus::inconclusive;
  }
  const bool asked = fail_on.has(ChangeVerdict::inconclusive);
  if (asked && comparison.verdict == OverallVerdict::inconclusive) return ExitStatus::inconclusive;
  return status;
}

}  // namespace collbench
