// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/counted.h"
#include "statistics/statistics.h"

namespace collbench {
namespace {

using Notes = std::vector<std::string>;

void add_incomplete(Notes& notes, const Launches& side) {
  for (const LaunchFacts& launch : side.launches) {
    if (is_whole(launch)) continue;
    const std::string how =
        launch.incomplete ? "was killed, or still goes on"
        : launch.status != RunStatus::complete
            ? fmt::format("ended as {}", name_of(launch.status))
            : fmt::format("ended with status {}", launch.exit_status.value_or(0));
    notes.push_back(fmt::format(
        "{}: the run {}: what it did not measure is missing, and no comparison with it passes",
        launch.file, how));
  }
}

void add_environment(Notes& notes, const Comparison& comparison) {
  const auto hard =
      std::count_if(comparison.environment.begin(), comparison.environment.end(),
                    [](const EnvironmentDifference& difference) { return difference.is_hard; });
  if (hard > 0) {
    notes.push_back(
        "rows were measured on different machines, whose difference is no change of the code: "
        "compare launches of one machine; --allow-env-diff compares them all the same");
  }
}

void add_uneven(Notes& notes, const Launches& side, std::string_view name) {
  const std::vector<std::string> uneven = uneven_facts(side.environments);
  if (uneven.empty()) return;
  notes.push_back(fmt::format("launches of the {} side differ among themselves in: {}", name,
                              fmt::join(uneven, ", ")));
}

void add_same_runs(Notes& notes, const Comparison& comparison) {
  const std::vector<std::string> same = same_runs(comparison);
  if (same.empty()) return;
  notes.push_back(
      fmt::format("{} on both sides ({}): a run compared with itself says nothing of a change; "
                  "leave it out on one side",
                  counted(same.size(), "run") + (same.size() == 1 ? " is" : " are"), same[0]));
}

/// Whether all launches of one side ran before all of the other.
bool in_blocks(const Launches& base, const Launches& candidate) {
  constexpr std::size_t kFew = 3;
  if (base.launches.size() < kFew || candidate.launches.size() < kFew) return false;
  const auto earlier = [](const LaunchFacts& a, const LaunchFacts& b) {
    return a.started < b.started;
  };
  const auto [base_first, base_last] =
      std::minmax_element(base.launches.begin(), base.launches.end(), earlier);
  const auto [new_first, new_last] =
      std::minmax_element(candidate.launches.begin(), candidate.launches.end(), earlier);
  if (base_first->started.empty() || new_first->started.empty()) return false;
  return base_last->started < new_first->started || new_last->started < base_first->started;
}

void add_launches(Notes& notes, const Comparison& comparison) {
  const std::size_t base = comparison.base->launches.size();
  const std::size_t candidate = comparison.candidate->launches.size();
  if (std::min(base, candidate) == 1 && std::max(base, candidate) < 3) {
    notes.push_back(
        "launches differ by more than the samples within one say: with so few of them a slower row "
        "is a suspicion; measure 5 launches of each side");
  }
  if (in_blocks(*comparison.base, *comparison.candidate)) {
    notes.push_back(
        "all launches of one side ran before those of the other: what changed on the machine in "
        "between looks like a change of the code; interleave them, as collbench ab does");
  }
}

/// Why no row stands on both sides, by an example of each.
void add_unmatched(Notes& notes, const Comparison& comparison) {
  const std::vector<LaunchRow>& base = comparison.base->rows;
  const std::vector<LaunchRow>& candidate = comparison.candidate->rows;
  if (base.empty() || candidate.empty()) {
    notes.push_back(fmt::format("the {} side has no rows, or none that --filter wants",
                                base.empty() ? "base" : "new"));
  } else if (comparison.count(ChangeVerdict::missing) == base.size() ||
             comparison.count(ChangeVerdict::fresh) == candidate.size()) {
    notes.push_back(
        fmt::format("no row is on both sides; the base has, for instance, {}, and the new side {}",
                    base.front().name, candidate.front().name));
  }
}

/// Flags of the rows of one side alone: what disturbed these is no change of the code.
void add_flags(Notes& notes, const Launches& side, const Launches& other, std::string_view name) {
  for (const auto& [flag, times] : side.flags) {
    if (other.flags.count(flag) > 0) continue;
    notes.push_back(
        fmt::format("only rows of the {} side carry the flag {} ({}): see what collbench "
                    "show says of it before trusting a change",
                    name, flag, counted(times, "time")));
  }
}

void add_shift(Notes& notes, const Comparison& comparison) {
  if (!comparison.uniform_shift) return;
  const UniformShift& shift = *comparison.uniform_shift;
  notes.push_back(fmt::format(
      "uniform shift: {:.0f} % of {} moved the same way, by {:+.1f} % in the median: suspect the "
      "machine before the code; nothing was divided out",
      shift.share * 100, counted(shift.rows, "row"), (shift.median_ratio - 1) * 100));
}

}  // namespace

std::optional<UniformShift> find_uniform_shift(const std::vector<RowComparison>& rows) {
  constexpr std::size_t kLeastRows = 5;
  constexpr double kLeastShare = 0.8;
  std::vector<double> logs, in_thresholds;
  for (const RowComparison& row : rows) {
    if (!row.change) continue;
    const double log = std::log(row.change->ratio);
    logs.push_back(log);
    in_thresholds.push_back(log /
                            std::log1p(log > 0 ? row.threshold.slower : row.threshold.faster));
  }
  if (logs.size() < kLeastRows) return std::nullopt;
  const double median = statistics::median(logs);
  const auto alike = std::count_if(logs.begin(), logs.end(),
                                   [&](double log) { return (log > 0) == (median > 0); });
  const double share = static_cast<double>(alike) / static_cast<double>(logs.size());
  if (std::abs(statistics::median(in_thresholds)) <= 0.5 || share <= kLeastShare) {
    return std::nullopt;
  }
  return UniformShift{std::exp(median), share, logs.size()};
}

std::vector<std::string> same_runs(const Comparison& comparison) {
  std::map<std::string_view, std::string_view> base;  // files, by run
  for (const LaunchFacts& launch : comparison.base->launches) {
    base.emplace(launch.run_id, launch.file);
  }
  std::vector<std::string> same;
  for (const LaunchFacts& launch : comparison.candidate->launches) {
    const auto found = base.find(launch.run_id);
    if (found == base.end()) continue;
    same.push_back(found->second == launch.file
                       ? launch.file
                       : fmt::format("{} and {}", found->second, launch.file));
  }
  return same;
}

std::vector<std::string> notes_of(const Comparison& comparison) {
  Notes notes;
  add_same_runs(notes, comparison);
  add_incomplete(notes, *comparison.base);
  add_incomplete(notes, *comparison.candidate);
  add_environment(notes, comparison);
  add_unmatched(notes, comparison);
  add_shift(notes, comparison);
  add_launches(notes, comparison);
  add_flags(notes, *comparison.base, *comparison.candidate, "base");
  add_flags(notes, *comparison.candidate, *comparison.base, "new");
  add_uneven(notes, *comparison.base, "base");
  add_uneven(notes, *comparison.candidate, "new");
  return notes;
}

}  // namespace collbench
