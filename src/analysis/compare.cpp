// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "analysis/change.h"
#include "analysis/compare_notes.h"
#include "analysis/families.h"
#include "statistics/statistics.h"

namespace collbench {
namespace {

std::optional<double> median_s(const LaunchRow* row) {
  if (row == nullptr || row->values.empty()) return std::nullopt;
  std::vector<double> times;
  for (const LaunchValue& value : row->values) times.push_back(value.time_s);
  return statistics::median(times);
}

std::vector<double> logs_of(const LaunchRow& row) {
  std::vector<double> logs;
  for (const LaunchValue& value : row.values) logs.push_back(std::log(value.time_s));
  return logs;
}

RowComparison paired(const LaunchRow* base, const LaunchRow* candidate, const CompareRules& rules) {
  RowComparison row = {.base = base, .candidate = candidate};
  row.base_s = median_s(base);
  row.candidate_s = median_s(candidate);
  row.base_launches = base == nullptr ? 0 : base->values.size();
  row.candidate_launches = candidate == nullptr ? 0 : candidate->values.size();
  const CompareThreshold& threshold = threshold_of(rules, row.row().key);
  row.threshold = {threshold.slower, threshold.faster};
  return row;
}

/// The rows of both sides, in the order of the base, then those that only the other side has.
std::vector<RowComparison> match(const Launches& base, const Launches& candidate,
                                 const CompareRules& rules) {
  std::unordered_map<std::string_view, const LaunchRow*> by_name;
  by_name.reserve(candidate.rows.size());
  for (const LaunchRow& row : candidate.rows) by_name.emplace(row.name, &row);
  std::vector<RowComparison> rows;
  rows.reserve(base.rows.size());
  for (const LaunchRow& row : base.rows) {
    const auto found = by_name.find(row.name);
    rows.push_back(paired(&row, found == by_name.end() ? nullptr : found->second, rules));
    if (found != by_name.end()) by_name.erase(found);
  }
  for (const LaunchRow& row : candidate.rows) {
    if (by_name.count(row.name) > 0) rows.push_back(paired(nullptr, &row, rules));
  }
  return rows;
}

const LaunchGap* find_gap(const LaunchRow* row, RowStatus status) {
  if (row == nullptr) return nullptr;
  const auto found = std::find_if(row->gaps.begin(), row->gaps.end(),
                                  [&](const LaunchGap& gap) { return gap.status == status; });
  return found == row->gaps.end() ? nullptr : &*found;
}

/// Of the launches of a side that are of the row's program: how many have the row, with or without
/// a time.
double share_with(const Launches& side, const LaunchRow& row) {
  std::set<std::string_view> programs;
  const auto add = [&](const auto& of_launch) {
    programs.insert(side.launches[of_launch.launch].program);
  };
  std::for_each(row.values.begin(), row.values.end(), add);
  std::for_each(row.gaps.begin(), row.gaps.end(), add);
  const auto all =
      std::count_if(side.launches.begin(), side.launches.end(),
                    [&](const LaunchFacts& launch) { return programs.count(launch.program) > 0; });
  return static_cast<double>(row.values.size() + row.gaps.size()) / static_cast<double>(all);
}

/// Whether less than half as many launches of the new side as of the base have the row: the few
/// that have it may not speak for all.
bool is_rare(const Comparison& comparison, const RowComparison& row) {
  if (comparison.options.allow_missing) return false;
  return share_with(*comparison.candidate, *row.candidate) <
         0.5 * share_with(*comparison.base, *row.base);
}

/// What is known of a row without looking at its times; nothing where these decide.
std::optional<Finding> finding_without_times(const Comparison& comparison, const RowComparison& row,
                                             bool candidate_is_whole) {
  using enum ChangeVerdict;
  if (find_gap(row.candidate, RowStatus::wrong)) return Finding{error, ChangeReason::wrong_data};
  if (find_gap(row.candidate, RowStatus::failed)) return Finding{error, ChangeReason::failed};
  if (row.base == nullptr) return Finding{fresh, ChangeReason::new_row};
  const bool base_is_sound = row.base_launches > 0 && row.base->gaps.empty();
  if (row.candidate == nullptr) {
    if (row.base_launches == 0) return Finding{incomparable, ChangeReason::base_unusable};
    return Finding{missing,
                   candidate_is_whole ? ChangeReason::missing_row : ChangeReason::run_incomplete};
  }
  if (!base_is_sound) return Finding{incomparable, ChangeReason::base_unusable};
  if (!row.candidate->gaps.empty()) return Finding{error, ChangeReason::skipped};
  if (is_rare(comparison, row)) {
    return Finding{
        missing, candidate_is_whole ? ChangeReason::rarely_measured : ChangeReason::run_incomplete};
  }
  return std::nullopt;
}

bool all_whole(const Launches& side) {
  return std::all_of(side.launches.begin(), side.launches.end(), is_whole);
}

/// Of rows that a single launch, or two against one, say something of: whether they look slower, by
/// more than the threshold and by more than their samples scatter.
bool looks_slower(const RowComparison& row) {
  if (row.change->ratio <= 1 + row.threshold.slower) return false;
  const std::vector<LaunchValue>& before = row.base->values;
  const std::vector<LaunchValue>& after = row.candidate->values;
  return std::all_of(before.begin(), before.end(), [&](const LaunchValue& early) {
    return std::all_of(after.begin(), after.end(), [&](const LaunchValue& late) {
      const double most = early.interval95_s ? early.interval95_s->high : early.time_s;
      const double least = late.interval95_s ? late.interval95_s->low : late.time_s;
      return least > most;
    });
  });
}

/// Tests all rows that have times, and calls them what they are.
void judge_rows(std::vector<RowComparison*>& rows, const CompareRules& rules) {
  std::vector<TestedChange> tested;
  tested.reserve(rows.size());
  for (const RowComparison* row : rows) {
    tested.push_back(
        test_change(logs_of(*row->base), logs_of(*row->candidate), rules.least_launch_noise));
  }
  const Discoveries discoveries(tested, rules.row_false_discovery);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    RowComparison& row = *rows[i];
    judge(tested[i], row.threshold, discoveries, row.change.emplace(), row.finding);
    if (!row.change->interval95 && looks_slower(row)) {
      row.finding = {ChangeVerdict::suspect, ChangeReason::looks_slower};
    }
  }
}

/// Hard facts in which launches that have a time of the row differ, on one side or between both.
std::set<std::string> mixed_machines(const Comparison& comparison, const RowComparison& row) {
  std::vector<const EnvironmentFacts*> launches;
  const auto add = [&](const Launches& side, const LaunchRow* of_side) {
    if (of_side == nullptr) return;
    for (const LaunchValue& value : of_side->values) {
      launches.push_back(&side.environments[value.launch]);
    }
  };
  add(*comparison.base, row.base);
  add(*comparison.candidate, row.candidate);
  return mixed_machines(launches);
}

std::set<std::string> mixed_machines(const Comparison& comparison) {
  std::set<std::string> mixed;
  for (const RowComparison& row : comparison.rows) {
    if (row.base != nullptr && row.candidate != nullptr) {
      mixed.merge(mixed_machines(comparison, row));
    }
  }
  return mixed;
}

/// Why times may not be held against each other.
class Obstacles {
 public:
  explicit Obstacles(const Comparison& comparison)
      : comparison_(comparison), same_run_(!same_runs(comparison).empty()) {}

  /// Nothing where those of the row may be.
  std::optional<ChangeReason> of(const RowComparison& row) const {
    if (same_run_) return ChangeReason::same_run;
    if (comparison_.options.allow_environment_difference) return std::nullopt;
    if (mixed_machines(comparison_, row).empty()) return std::nullopt;
    return ChangeReason::environment_differs;
  }

 private:
  const Comparison& comparison_;
  const bool same_run_;
};

void judge_all(Comparison& comparison) {
  const bool whole = all_whole(*comparison.candidate);
  const Obstacles obstacles(comparison);
  std::vector<RowComparison*> with_times;
  for (RowComparison& row : comparison.rows) {
    if (const auto finding = finding_without_times(comparison, row, whole)) {
      row.finding = *finding;
    } else if (const auto reason = obstacles.of(row)) {
      row.finding = {ChangeVerdict::incomparable, *reason};
    } else {
      with_times.push_back(&row);
    }
  }
  judge_rows(with_times, comparison.rules);
}

/// Whether a change of twice the threshold would have shown.
bool could_tell(const Finding& finding) {
  return finding.reason != ChangeReason::too_noisy &&
         finding.reason != ChangeReason::too_few_launches &&
         finding.reason != ChangeReason::looks_slower;
}

/// Whether fewer than half of the rows that were to be compared could have told a change, alone or
/// together.
bool is_mostly_blind(const Comparison& comparison) {
  std::size_t compared = 0, telling = 0;
  for (const RowComparison& row : comparison.rows) {
    const bool incomparable = row.finding.verdict == ChangeVerdict::incomparable;
    if (!row.change && !incomparable) continue;
    ++compared;
    if (!row.change) continue;
    const bool together = std::any_of(
        row.families.begin(), row.families.end(),
        [&](std::size_t family) { return could_tell(comparison.families[family].finding); });
    if (together || could_tell(row.finding)) ++telling;
  }
  return 2 * telling < compared;
}

bool any_family(const Comparison& comparison, ChangeVerdict verdict) {
  return std::any_of(
      comparison.families.begin(), comparison.families.end(),
      [&](const FamilyComparison& family) { return family.finding.verdict == verdict; });
}

OverallVerdict overall(const Comparison& comparison) {
  using enum ChangeVerdict;
  const auto any = [&](ChangeVerdict verdict) {
    return comparison.count(verdict) > 0 || any_family(comparison, verdict);
  };
  if (any(regression)) return any(improvement) ? OverallVerdict::mixed : OverallVerdict::regression;
  if (any(error) || (comparison.compares() && any(missing) && !comparison.options.allow_missing)) {
    return OverallVerdict::error;
  }
  if (!comparison.compares()) return OverallVerdict::nothing_comparable;
  if (!comparison.complete || is_mostly_blind(comparison)) return OverallVerdict::inconclusive;
  return OverallVerdict::pass;
}

}  // namespace

Comparison compare(const Launches& base, const Launches& candidate, const CompareRules& rules,
                   const CompareOptions& options) {
  Comparison comparison = {
      .base = &base, .candidate = &candidate, .rules = rules, .options = options};
  comparison.complete = all_whole(base) && all_whole(candidate);
  comparison.rows = match(base, candidate, comparison.rules);
  comparison.environment = environment_differences(base.environments, candidate.environments,
                                                   mixed_machines(comparison));
  judge_all(comparison);
  std::stable_sort(comparison.rows.begin(), comparison.rows.end(),
                   [](const RowComparison& a, const RowComparison& b) {
                     return a.finding.verdict < b.finding.verdict;
                   });
  comparison.families = compare_families(comparison.rows, comparison.rules);
  for (const RowComparison& row : comparison.rows) {
    ++comparison.counts[static_cast<std::size_t>(row.finding.verdict)];
  }
  comparison.uniform_shift = find_uniform_shift(comparison.rows);
  comparison.verdict = overall(comparison);
  comparison.notes = notes_of(comparison);
  return comparison;
}

}  // namespace collbench
