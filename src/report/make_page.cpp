// SPDX-License-Identifier: Apache-2.0
#include "report/make_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"
#include "report/sections.h"

namespace collbench::report {
namespace {

void add(std::vector<Section>& sections, std::optional<Section> section) {
  if (section) sections.push_back(std::move(*section));
}

std::string subtitle(const Input& input) {
  std::string first, last;
  for (const Run& run : input.runs) {
    const std::string& started = run.document.run.started;
    if (first.empty() || started < first) first = started;
    last = std::max(last, started);
  }
  std::string text = input.runs.empty() ? "" : counted(input.runs.size(), "run");
  if (!input.timelines.empty()) {
    text += (text.empty() ? "" : ", ") + counted(input.timelines.size(), "timeline");
  }
  if (first.empty()) return text;
  return text + (first == last ? fmt::format(", started {}", first)
                               : fmt::format(", started from {} to {}", first, last));
}

/// Rows that cannot be measured are no fault of a run.
std::string title_of(const std::vector<Note>& problems) {
  const bool bad = std::any_of(problems.begin(), problems.end(),
                               [](const Note& note) { return note.tone == Tone::bad; });
  return bad ? "Problems" : "Not measured";
}

}  // namespace

Page make_page(const Input& input, std::string title) {
  const std::vector<Sweep> sweeps = sweeps_of(input.runs);
  Page page;
  page.title = std::move(title);
  page.subtitle = subtitle(input);
  page.problems = problems_of(input.runs);
  page.problems_title = title_of(page.problems);
  if (!input.runs.empty()) page.sections.push_back(summary_section(input.runs));
  const std::span<const Run> runs = input.runs;
  add(page.sections, changes_section(runs.first(input.base_runs), runs.subspan(input.base_runs)));
  add(page.sections, sweeps_section(sweeps));
  if (input.base_runs == 0) add(page.sections, ratios_section(runs));
  add(page.sections, matrix_section(input.runs));
  add(page.sections, ranks_section(input.runs));
  add(page.sections, scaling_section(input.runs));
  add(page.sections, steps_section(input.runs));
  add(page.sections, timeline_section(input.timelines));
  add(page.sections, samples_section(input.runs));
  add(page.sections, flags_section(input.runs));
  if (!input.runs.empty()) page.sections.push_back(runs_section(input.runs));
  return page;
}

}  // namespace collbench::report
