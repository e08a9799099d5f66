// SPDX-License-Identifier: Apache-2.0
#include "report/facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"
#include "results/step_table.h"

namespace collbench::report {
namespace {

std::string unless(bool usual, std::string text) { return usual ? std::string() : text; }

std::string scheme_text(const StepKey& key) {
  std::string text;
  for (const auto& [name, value] : key.scheme) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  }
  return text;
}

bool differs(std::span<const Facts> things, std::size_t fact) {
  return std::any_of(things.begin(), things.end(),
                     [&](const Facts& facts) { return facts[fact] != things.front()[fact]; });
}

void append(std::string& text, const std::string& fact) {
  if (fact.empty()) return;
  text += (text.empty() ? "" : ", ") + fact;
}

}  // namespace

Facts sweep_facts(const RowKey& key) {
  return {key.collective,
          std::string(name_of(key.type)),
          key.op ? std::string(name_of(*key.op)) : "",
          key.root ? fmt::format("root {}", *key.root) : "",
          unless(key.matrix.empty(), "matrix " + key.matrix),
          key.backend,
          key.mode,
          fmt::format("{} over ranks", key.aggregation),
          unless(key.ranks_per_process == 1,
                 fmt::format("{} per process", counted(key.ranks_per_process, "rank"))),
          unless(key.grouped_operations == 1, fmt::format("{} fused", key.grouped_operations)),
          unless(key.offset_elements == 0,
                 fmt::format("offset by {}", counted(key.offset_elements, "element"))),
          key.group ? "groups by " + key.group->rule : ""};
}

Facts line_facts(const RowKey& key) {
  return {counted(key.ranks, "rank"), counted(key.nodes, "host"),
          key.group ? fmt::format("group {}", key.group->index) : "",
          key.in_place ? "in place" : "out of place"};
}

Facts step_facts(const StepKey& key) {
  return {key.pattern,
          key.model,
          counted(key.ranks, "rank"),
          layout_text(key.layout),
          scheme_text(key),
          counted(key.nodes, "host"),
          key.backend,
          "compute " + key.compute,
          fmt::format("{} x {} x {} tokens", key.step.micro_batches, key.step.micro_batch,
                      key.step.sequence),
          key.layers ? fmt::format("{} of the model", counted(*key.layers, "layer")) : "",
          key.shrink ? fmt::format("divided by {}", *key.shrink) : ""};
}

std::vector<std::string> labels(std::span<const Facts> things, std::size_t always) {
  std::vector<std::string> texts(things.size());
  if (things.empty()) return texts;
  for (std::size_t fact = 0; fact < things.front().size(); ++fact) {
    if (fact >= always && !differs(things, fact)) continue;
    for (std::size_t i = 0; i < things.size(); ++i) append(texts[i], things[i][fact]);
  }
  for (std::size_t i = 0; i < things.size(); ++i) {
    const Facts& facts = things[i];
    const auto last = std::find_if(facts.rbegin(), facts.rend(),
                                   [](const std::string& fact) { return !fact.empty(); });
    if (texts[i].empty() && last != facts.rend()) texts[i] = *last;
  }
  return texts;
}

std::string shared(std::span<const Facts> things, std::size_t always) {
  std::string text;
  if (things.empty()) return text;
  for (std::size_t fact = always; fact < things.front().size(); ++fact) {
    if (!differs(things, fact)) append(text, things.front()[fact]);
  }
  return text;
}

}  // namespace collbench::report
