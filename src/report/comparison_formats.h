// SPDX-License-Identifier: Apache-2.0
// Comparisons as text for people and for other programs; one file each, comparison_*.cpp.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/comparison.h"

namespace collbench {

/// For a terminal: the verdict; rows by what somebody has to act on first; rows together; what
/// differs between the environments; what to know before trusting it. Unchanged rows are counted
/// only, unless `explain`, which also has a sentence below each row.
std::string comparison_text(const Comparison& comparison, bool explain);

/// What a comment on a pull request may hold is 65,536 characters.
inline constexpr std::size_t kMostCommentBytes = 60'000;

/// In a comment, by which the next one finds and replaces it.
inline constexpr const char* kCommentMarker = "<!-- collbench:compare -->";

/// For a pull request or a summary of a job: the verdict first, then what to act on; at most ten
/// improvements; the rest folded. Ends with how many rows were left out of at most `most_bytes`.
std::string comparison_markdown(const Comparison& comparison, bool explain,
                                std::size_t most_bytes = kMostCommentBytes);

/// All of it, as results/schema/comparison-1.schema.json says; one row per line.
std::string comparison_json(const Comparison& comparison);

/// One line per row, under names with units.
std::string comparison_csv(const Comparison& comparison);

/// JUnit's XML: a test case per row and per family, in a suite per collective. Regressions are
/// failures; wrong, failed and missing rows are errors; what nothing can be said of is skipped.
std::string comparison_junit(const Comparison& comparison);

/// The times of the new side, for github-action-benchmark's tool customSmallerIsBetter. Rows
/// without a time are left out: that program takes null for 0.
std::string comparison_gha(const Comparison& comparison);

/// The launches of the new side as repetitions of Google Benchmark, whose compare.py reads them.
std::string comparison_gbench(const Comparison& comparison);

/// The times and bus bandwidths of the new side in Bencher Metric Format.
std::string comparison_bmf(const Comparison& comparison);

}  // namespace collbench
