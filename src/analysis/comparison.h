// SPDX-License-Identifier: Apache-2.0
// Comparison: how one set of launches differs from another, row by row and as a whole. A plain
// value that every output format reads.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare_rules.h"
#include "analysis/environment_facts.h"
#include "analysis/launches.h"
#include "base/enum_rows.h"

namespace collbench {

enum class ChangeVerdict : std::uint8_t {
  error,         // measured on the base side, and failed or of wrong data on the new one
  missing,       // not on the new side at all
  regression,    // slower by more than the threshold, and not by chance
  suspect,       // looks slower, on too few launches to be called more
  inconclusive,  // a change beyond the threshold can be neither shown nor ruled out
  incomparable,  // of other machines, or without a base that may be trusted
  fresh,         // "new": not on the base side
  improvement,
  unchanged,
};

struct ChangeVerdictRow {
  ChangeVerdict verdict;
  std::string_view name;  // in files and flags
  std::string_view many;  // of several rows, in sentences
  char mark;              // in text, since colour must not be the only carrier
};

/// In the order in which rows are shown: what somebody has to act on first.
inline constexpr std::array<ChangeVerdictRow, 9> kChangeVerdicts = {{
    {ChangeVerdict::error, "error", "errors", 'E'},
    {ChangeVerdict::missing, "missing", "missing", 'M'},
    {ChangeVerdict::regression, "regression", "regressions", '-'},
    {ChangeVerdict::suspect, "suspect", "suspect", '?'},
    {ChangeVerdict::inconclusive, "inconclusive", "inconclusive", '~'},
    {ChangeVerdict::incomparable, "incomparable", "incomparable", 'x'},
    {ChangeVerdict::fresh, "new", "new", 'n'},
    {ChangeVerdict::improvement, "improvement", "improvements", '+'},
    {ChangeVerdict::unchanged, "unchanged", "unchanged", '='},
}};
static_assert(in_enum_order(kChangeVerdicts, &ChangeVerdictRow::verdict));

constexpr std::string_view name_of(ChangeVerdict verdict) {
  return kChangeVerdicts[static_cast<std::size_t>(verdict)].name;
}

/// Why a verdict is what it is; docs/comparing.md has a line for each.
enum class ChangeReason : std::uint8_t {
  slower,               // regression
  faster,               // improvement
  within_threshold,     // unchanged: the interval holds no change beyond the thresholds
  below_threshold,      // unchanged: likewise, though there is a change
  too_noisy,            // inconclusive: nor could twice the threshold be seen
  near_threshold,       // inconclusive: the interval reaches beyond the threshold
  not_significant,      // inconclusive: beyond the threshold, but that may be chance
  too_few_launches,     // inconclusive: one against one or two, and no sign of slowing down
  looks_slower,         // suspect
  wrong_data,           // error
  failed,               // error
  skipped,              // error: measured on the base side, refused on the new one
  missing_row,          // missing
  run_incomplete,       // missing or error: the run did not come to its end
  new_row,              // new
  base_unusable,        // incomparable: failed, skipped or of wrong data on the base side
  environment_differs,  // incomparable
  same_run,             // incomparable: a launch is on both sides
  rarely_measured       // missing: most launches of the new side have not measured it
};

struct ChangeReasonRow {
  ChangeReason reason;
  std::string_view name;
};

inline constexpr std::array<ChangeReasonRow, 19> kChangeReasons = {{
    {ChangeReason::slower, "slower"},
    {ChangeReason::faster, "faster"},
    {ChangeReason::within_threshold, "within_threshold"},
    {ChangeReason::below_threshold, "below_threshold"},
    {ChangeReason::too_noisy, "too_noisy"},
    {ChangeReason::near_threshold, "near_threshold"},
    {ChangeReason::not_significant, "not_significant"},
    {ChangeReason::too_few_launches, "too_few_launches"},
    {ChangeReason::looks_slower, "looks_slower"},
    {ChangeReason::wrong_data, "wrong_data"},
    {ChangeReason::failed, "failed"},
    {ChangeReason::skipped, "skipped"},
    {ChangeReason::missing_row, "missing_row"},
    {ChangeReason::run_incomplete, "run_incomplete"},
    {ChangeReason::new_row, "new_row"},
    {ChangeReason::base_unusable, "base_unusable"},
    {ChangeReason::environment_differs, "environment_differs"},
    {ChangeReason::same_run, "same_run"},
    {ChangeReason::rarely_measured, "rarely_measured"},
}};
static_assert(in_enum_order(kChangeReasons, &ChangeReasonRow::reason));

constexpr std::string_view name_of(ChangeReason reason) {
  return kChangeReasons[static_cast<std::size_t>(reason)].name;
}

/// What a test of two sets of launches says; all ratios are new time over base time.
struct Change {
  double ratio = 1;                                     // of the geometric means of the launches
  std::optional<statistics::Interval> interval95 = {};  // of the ratio; absent: no test is possible
  std::optional<double> slower_probability = {};        // of looking so slow without being slower
  std::optional<double> faster_probability = {};
  /// The least slowdown, as a share, that would be called one with a probability of 85 %, even if
  /// nothing else changed; absent without a test, and where only more than an elevenfold would be.
  std::optional<double> detectable = {};

  bool operator==(const Change&) const = default;
};

/// By how much a change has to exceed chance and be worth a word, as shares.
struct Threshold {
  double slower = 0;
  double faster = 0;

  bool operator==(const Threshold&) const = default;
};

/// What a change is called and why.
struct Finding {
  ChangeVerdict verdict = ChangeVerdict::inconclusive;
  ChangeReason reason = ChangeReason::too_few_launches;

  bool operator==(const Finding&) const = default;
};

/// A row of either side, or of both.
struct RowComparison {
  const LaunchRow* base = nullptr;  // within Comparison::base, as the next
  const LaunchRow* candidate = nullptr;
  std::optional<double> base_s = {};  // the median of its launches
  std::optional<double> candidate_s = {};
  std::size_t base_launches = 0;  // with a time
  std::size_t candidate_launches = 0;
  std::optional<Change> change = {};  // absent without times on both sides
  Threshold threshold = {};
  Finding finding = {};
  std::vector<std::size_t> families = {};  // indices into Comparison::families

  /// Of the side that has it.
  const LaunchRow& row() const { return candidate != nullptr ? *candidate : *base; }
};

/// Two or more rows of one subject, or of one size class of it, that the same launches measured,
/// together. Each launch counts once, by the mean of the logarithms of its rows, so that rows that
/// move together are not taken for independent ones.
struct FamilyComparison {
  std::string subject;
  std::string size_class;  // empty: of all
  std::size_t rows = 0;    // that have a time in every launch of both sides
  std::size_t base_launches = 0;
  std::size_t candidate_launches = 0;
  Change change = {};        // its ratio is the geometric mean of those of the rows
  Threshold threshold = {};  // the means of those of the rows
  Finding finding = {};
};

/// Of all rows that moved together: the environment rather than the code.
struct UniformShift {
  double median_ratio = 1;
  double share = 0;  // of the rows that moved in its direction
  std::size_t rows = 0;

  bool operator==(const UniformShift&) const = default;
};

enum class OverallVerdict : std::uint8_t {
  pass,
  regression,
  mixed,         // regressions, and improvements beside them
  error,         // none, but rows that failed, have wrong data or are missing
  inconclusive,  // no regression, but most rows could not have shown one, or a run is incomplete
  nothing_comparable,
};

struct OverallVerdictRow {
  OverallVerdict verdict;
  std::string_view name;
  std::string_view shout;
};

inline constexpr std::array<OverallVerdictRow, 6> kOverallVerdicts = {{
    {OverallVerdict::pass, "pass", "PASS"},
    {OverallVerdict::regression, "regression", "REGRESSION"},
    {OverallVerdict::mixed, "mixed", "MIXED"},
    {OverallVerdict::error, "error", "ERROR"},
    {OverallVerdict::inconclusive, "inconclusive", "INCONCLUSIVE"},
    {OverallVerdict::nothing_comparable, "nothing_comparable", "NOTHING COMPARABLE"},
}};
static_assert(in_enum_order(kOverallVerdicts, &OverallVerdictRow::verdict));

constexpr const OverallVerdictRow& row_of(OverallVerdict verdict) {
  return kOverallVerdicts[static_cast<std::size_t>(verdict)];
}

struct CompareOptions {
  bool allow_environment_difference = false;  // compare what other machines measured all the same
  bool allow_missing = false;                 // rows without a counterpart are no error
};

/// Rows point into the sides, which must not change and outlive this value.
struct Comparison {
  const Launches* base = nullptr;
  const Launches* candidate = nullptr;
  CompareRules rules = {};
  CompareOptions options = {};
  OverallVerdict verdict = OverallVerdict::nothing_comparable;
  std::vector<RowComparison> rows = {};  // by verdict, in its order; equal ones as in the files
  std::vector<FamilyComparison> families = {};
  std::array<std::size_t, kChangeVerdicts.size()> counts = {};  // of rows, by ChangeVerdict
  std::optional<UniformShift> uniform_shift = {};
  std::vector<EnvironmentDifference> environment = {};
  bool complete = true;                 // whether every run came to its end
  std::vector<std::string> notes = {};  // whole sentences: what to know before trusting this

  std::size_t count(ChangeVerdict of) const { return counts[static_cast<std::size_t>(of)]; }

  /// Whether any row has values on both sides.
  bool compares() const {
    return std::any_of(rows.begin(), rows.end(),
                       [](const RowComparison& row) { return row.change.has_value(); });
  }
};

}  // namespace collbench
