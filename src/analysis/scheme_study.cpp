// SPDX-License-Identifier: Apache-2.0
#include "analysis/scheme_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "model/memory.h"
#include "model/presets.h"
#include "results/step_parts.h"
#include "results/step_table.h"
#include "statistics/statistics.h"

namespace collbench {
namespace {

// What must be equal of all steps of a table: everything but scheme and layout. A step of the same
// tokens has as many micro-batches as its layout leaves to a pipeline.
StepKey shared_part(StepKey key) {
  key.pattern.clear();
  key.scheme.clear();
  key.layout = {};
  key.step.micro_batches = 1;
  key.step.gradients = DataType::float32;  // which follows from the scheme
  return key;
}

bool is_same_step(const SchemeTable& table, const StepRecord& step) {
  return table.tokens == step.tokens && shared_part(table.key) == shared_part(step.key);
}

std::optional<Bytes> activation_bytes(const StepKey& key) {
  const std::vector<std::string> known = model::preset_names();
  if (std::ranges::find(known, key.model) == known.end()) return std::nullopt;
  model::Model model = model::preset(key.model);
  if (key.layers) model = model::with_layers(model, *key.layers);
  const auto formula = model::ActivationFormula::megatron;
  return static_cast<Bytes>(
      model::first_stage_activation_bytes(formula, model, key.layout, key.step) +
      model::edge_activation_bytes(model, key.layout, key.step));
}

std::optional<Bytes> crossing_bytes(const StepRecord& step) {
  if (step.placement.empty()) return std::nullopt;
  Bytes sum = 0;
  for (const model::AxisPlacement& axis : step.placement) sum += axis.crossing_bytes;
  return sum;
}

std::optional<double> share(const std::optional<double>& part_s, double step_s) {
  return part_s ? std::optional(*part_s / step_s) : std::nullopt;
}

SchemeRow row_of(const StepRecord& step) {
  SchemeRow row;
  row.key = step.key;
  row.step_s = step.step->median_s;
  row.interval95_s = step.step->interval95_s;
  row.tokens_per_s = tokens_per_s(step).value_or(0);
  if (step.computing && step.key.compute != "none") {
    row.computing_share = step.computing->median_s / row.step_s;
  }
  row.bubble_share = share(bubble_s(step), row.step_s);
  row.exposed_share = exposed_share(step);
  row.sent_bytes = step.sent_bytes;
  row.crossing_bytes = crossing_bytes(step);
  row.state_bytes = step.model_bytes;
  row.activation_bytes = activation_bytes(step.key);
  row.flags = step.flags;
  return row;
}

/// Launches of one scheme as one row: that of the middle one, with the flags of all.
SchemeRow middle(std::vector<SchemeRow> launches) {
  std::ranges::stable_sort(launches, {}, &SchemeRow::step_s);
  SchemeRow row = launches[(launches.size() - 1) / 2];
  row.launches = launches.size();
  std::set<std::string> flags;
  for (const SchemeRow& launch : launches) flags.insert(launch.flags.begin(), launch.flags.end());
  row.flags.assign(flags.begin(), flags.end());
  return row;
}

/// The choices that some rows make otherwise than others.
std::set<std::string> varied_choices(const std::vector<SchemeRow>& rows) {
  std::map<std::string, std::set<std::string>> values;
  for (const SchemeRow& row : rows) {
    for (const auto& [name, value] : row.key.scheme) values[name].insert(value);
  }
  std::set<std::string> varied;
  for (const auto& [name, all] : values) {
    if (all.size() > 1) varied.insert(name);
  }
  return varied;
}

/// Kinds first, then what is done or not: "zero fsdp2 no reshard".
std::string name_of(const StepKey& key, const std::set<std::string>& varied) {
  std::string kinds, switches;
  for (const auto& [choice, value] : key.scheme) {
    if (!varied.contains(choice)) continue;
    if (value == "yes" || value == "no") {
      switches += fmt::format(" {}{}", value == "no" ? "no " : "", choice);
    } else {
      kinds += " " + value;
    }
  }
  return key.pattern + kinds + switches;
}

bool overlap(const SchemeRow& one, const SchemeRow& other) {
  if (!one.interval95_s || !other.interval95_s) return one.step_s == other.step_s;
  return one.interval95_s->low <= other.interval95_s->high &&
         other.interval95_s->low <= one.interval95_s->high;
}

/// The first of those that fit with the least of something, where it is known of any.
template <class Of>
std::optional<std::size_t> least(const SchemeTable& table, Of of) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < table.fitting; ++i) {
    const std::optional<Bytes> value = of(table.rows[i]);
    if (value && (!best || *value < *of(table.rows[*best]))) best = i;
  }
  return best;
}

void judge(SchemeTable& table, const std::optional<Bytes>& memory) {
  for (SchemeRow& row : table.rows) row.fits = !memory || row.memory_bytes() <= *memory;
  const std::set<std::string> varied = varied_choices(table.rows);
  for (SchemeRow& row : table.rows) row.name = name_of(row.key, varied);
  std::ranges::stable_sort(table.rows, [](const SchemeRow& a, const SchemeRow& b) {
    return a.fits != b.fits ? a.fits : a.step_s < b.step_s;
  });
  table.fitting = static_cast<std::size_t>(std::ranges::count(table.rows, true, &SchemeRow::fits));
  while (table.as_fast < table.fitting && overlap(table.rows[0], table.rows[table.as_fast])) {
    ++table.as_fast;
  }
  table.least_memory =
      least(table, [](const SchemeRow& row) { return std::optional(row.memory_bytes()); });
  if (table.key.nodes == 1) return;
  table.least_crossing = least(table, [](const SchemeRow& row) { return row.crossing_bytes; });
}

/// One table, with the launches of each scheme.
struct Gathered {
  SchemeTable table;
  std::vector<std::vector<SchemeRow>> launches{};

  void add(SchemeRow row) {
    for (std::vector<SchemeRow>& same : launches) {
      if (same.front().key == row.key) return same.push_back(std::move(row));
    }
    launches.push_back({std::move(row)});
  }
};

std::string what(const StepRecord& step) {
  return fmt::format("{} of {}, {}", step.key.pattern, step.key.model,
                     layout_text(step.key.layout));
}

void add(std::vector<Gathered>& all, const StepRecord& step) {
  auto found = std::ranges::find_if(
      all, [&](const Gathered& gathered) { return is_same_step(gathered.table, step); });
  if (found == all.end()) {
    found = all.insert(all.end(), Gathered{{.key = step.key, .tokens = step.tokens}});
  }
  found->add(row_of(step));
}

}  // namespace

SchemeStudy study_schemes(std::span<const Document> documents, std::optional<Bytes> memory) {
  SchemeStudy study{.memory = memory};
  std::vector<Gathered> all;
  for (const Document& document : documents) {
    for (const StepRecord& step : document.steps) {
      if (step.status == RowStatus::ok && step.step && step.step->median_s > 0) {
        add(all, step);
      } else {
        study.left_out.push_back({what(step), step.reason.empty() ? "not timed" : step.reason});
      }
    }
    if (!document.steps.empty()) continue;
    study.left_out.push_back({document.config.program.empty() ? "a run" : document.config.program,
                              "no step was measured"});
  }
  for (Gathered& gathered : all) {
    for (auto& launches : gathered.launches) {
      gathered.table.rows.push_back(middle(std::move(launches)));
    }
    judge(gathered.table, memory);
    study.tables.push_back(std::move(gathered.table));
  }
  return study;
}

}  // namespace collbench
