// SPDX-License-Identifier: Apache-2.0
#include "analysis/scaling_study.h"

#include <fmt/format.h>

#include <set>

#include "analysis/row_curves.h"
#include "analysis/step_curves.h"

namespace collbench {
namespace {

/// Each run once, however often it is given.
std::vector<const Document*> distinct_runs(std::span<const Document* const> documents,
                                           std::vector<StudyGap>& left_out) {
  std::vector<const Document*> runs;
  std::set<std::string> known;
  for (const Document* document : documents) {
    const RunFacts& run = document->run;
    const auto say = [&](std::string_view what) {
      left_out.push_back(
          {document->config.program, std::nullopt, fmt::format("run {} {}", run.id, what)});
    };
    if (!run.id.empty() && !known.insert(run.id).second) {
      say("is given twice, and counts once");
      continue;
    }
    if (document->incomplete) say("is incomplete: what it had measured by then counts");
    runs.push_back(document);
  }
  return runs;
}

}  // namespace

ScalingStudy study_scaling(std::span<const Document> documents, std::optional<int> base_ranks) {
  std::vector<const Document*> pointers;
  for (const Document& document : documents) pointers.push_back(&document);
  return study_scaling(pointers, base_ranks);
}

ScalingStudy study_scaling(std::span<const Document* const> documents,
                           std::optional<int> base_ranks) {
  ScalingStudy study;
  const std::vector<const Document*> runs = distinct_runs(documents, study.left_out);
  add_step_curves(runs, base_ranks, study);
  add_row_curves(runs, base_ranks, study);
  return study;
}

}  // namespace collbench
