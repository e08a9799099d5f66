// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "report/sections.h"
#include "results/row_flags.h"

namespace collbench::report {
namespace {

/// A flag in all runs. Advice names what sampling aimed at, so runs of other aims have a line of
/// their own.
struct Flag {
  std::string_view name;
  std::string advice;
  std::string runs;  // "base (2 of 22), new (1 of 22)"
};

void add(std::vector<Flag>& flags, const std::string& run, const FlagUse& use) {
  auto found = std::find_if(flags.begin(), flags.end(), [&](const Flag& flag) {
    return flag.name == use.flag && flag.advice == use.advice;
  });
  if (found == flags.end()) found = flags.insert(found, Flag{use.flag, use.advice, {}});
  found->runs +=
      fmt::format("{}{} ({} of {})", found->runs.empty() ? "" : ", ", run, use.count, use.of);
}

}  // namespace

std::optional<Section> flags_section(std::span<const Run> runs) {
  std::vector<Flag> flags;
  for (const Run& run : runs) {
    const SamplingConfig& sampling = run.document.config.sampling;
    for (const FlagUse& use : flag_uses(run.document.rows, sampling)) add(flags, run.name, use);
    for (const FlagUse& use : flag_uses(run.document.steps, sampling)) add(flags, run.name, use);
  }
  if (flags.empty()) return std::nullopt;
  Section section = {.id = "flags", .title = "What to know before trusting rows"};
  section.sentences = {"Nothing is dropped because of a flag. Counts are of measured rows."};
  Table table = {.columns = {{"flag", true}, {"what it means, and what to do", true}, {"in", true}},
                 .rows = {}};
  for (const Flag& flag : flags) {
    table.rows.push_back({{std::string(flag.name), Tone::caution}, {flag.advice}, {flag.runs}});
  }
  section.figures.push_back({.title = "Flags", .sentences = {}, .charts = {}, .table = table});
  return section;
}

}  // namespace collbench::report
