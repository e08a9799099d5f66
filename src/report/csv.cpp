// SPDX-License-Identifier: Apache-2.0
#include "report/csv.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "results/step_parts.h"
#include "results/units.h"

namespace collbench {
namespace {

template <class T>
std::string or_empty(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "";
}

std::string GBps(const std::optional<double>& rate_Bps) {
  return rate_Bps ? fmt::format("{}", GBps_from_Bps(*rate_Bps)) : "";
}

std::string us(double seconds) { return fmt::format("{}", us_from_s(seconds)); }

struct Field {
  std::string_view name;
  std::string value;
};

using Fields = std::vector<Field>;

void add_key(Fields& fields, const RowKey& key) {
  fields.insert(fields.end(), {
                                  {"collective", key.collective},
                                  {"type", std::string(name_of(key.type))},
                                  {"op", key.op ? std::string(name_of(*key.op)) : ""},
                                  {"message_bytes", fmt::format("{}", key.message_bytes)},
                                  {"count", fmt::format("{}", key.count)},
                                  {"ranks", fmt::format("{}", key.ranks)},
                                  {"nodes", fmt::format("{}", key.nodes)},
                                  {"root", or_empty(key.root)},
                                  {"in_place", key.in_place ? "true" : "false"},
                                  {"backend", key.backend},
                                  {"mode", key.mode},
                                  {"aggregation", key.aggregation},
                                  {"matrix", key.matrix},
                                  {"split", key.group ? key.group->rule : ""},
                                  {"group", key.group ? fmt::format("{}", key.group->index) : ""},
                              });
}

void add_timing(Fields& fields, const std::optional<Timing>& timing) {
  const auto interval = timing ? timing->interval95_s : std::nullopt;
  fields.insert(
      fields.end(),
      {
          {"time_us", timing ? us(timing->median_s) : ""},
          {"ci95_low_us", interval ? us(interval->low) : ""},
          {"ci95_high_us", interval ? us(interval->high) : ""},
          {"samples",
           timing && !timing->samples_s.empty() ? fmt::format("{}", timing->samples_s.size()) : ""},
          {"operations_per_sample", timing ? fmt::format("{}", timing->operations_per_sample) : ""},
      });
}

Fields fields_of(const RunFacts& run, const Record& row) {
  Fields fields = {{"run", run.id}, {"started", run.started}};
  add_key(fields, row.key);
  fields.push_back({"requested_bytes", fmt::format("{}", row.requested_bytes)});
  fields.push_back({"status", std::string(name_of(row.status))});
  add_timing(fields, row.timing);
  fields.push_back({"algbw_GBps", GBps(row.algorithm_bandwidth_Bps)});
  fields.push_back({"busbw_GBps", GBps(row.bus_bandwidth_Bps)});
  fields.push_back({"nic_GBps", GBps(row.nic_Bps)});
  fields.push_back(
      {"wrong_elements", row.check ? fmt::format("{}", row.check->wrong_elements) : ""});
  fields.push_back({"flags", fmt::format("{}", fmt::join(row.flags, " "))});
  fields.push_back({"reason", row.reason});
  fields.push_back({"cycle", or_empty(row.cycle)});
  return fields;
}

// ---- cycles

/// A row of a later cycle of a soak, of which a file has no samples.
Record record_of(const Record& first, const CycleRow& cycle) {
  Record row;
  row.key = first.key;
  row.requested_bytes = first.requested_bytes;
  row.status = cycle.status;
  row.reason = cycle.reason;
  row.cycle = cycle.cycle;
  if (cycle.median_s) {
    row.timing.emplace().median_s = *cycle.median_s;
    row.timing->operations_per_sample = first.timing ? first.timing->operations_per_sample : 1;
    const auto scaled = [&](const std::optional<double>& rate_Bps) {
      const bool known = rate_Bps && first.timing && *cycle.median_s > 0;
      return known ? std::optional(*rate_Bps * first.timing->median_s / *cycle.median_s)
                   : std::nullopt;
    };
    row.algorithm_bandwidth_Bps = scaled(first.algorithm_bandwidth_Bps);
    row.bus_bandwidth_Bps = scaled(first.bus_bandwidth_Bps);
    row.nic_Bps = scaled(first.nic_Bps);
  }
  if (cycle.wrong_elements) row.check.emplace().wrong_elements = *cycle.wrong_elements;
  return row;
}

// ---- steps

std::string joined(const std::map<std::string, std::string>& choices) {
  std::string text;
  for (const auto& [name, value] : choices) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  }
  return text;
}

std::string yes_or_no(bool value) { return value ? "true" : "false"; }

void add_layout(Fields& fields, const model::Layout& layout) {
  const auto add = [&](std::string_view name, int value) {
    fields.push_back({name, fmt::format("{}", value)});
  };
  add("tp", layout.tp);
  add("cp", layout.cp);
  add("ep", layout.ep);
  fields.push_back({"etp", or_empty(layout.etp)});
  add("dp", layout.dp);
  add("replicas", layout.replicas);
  add("pp", layout.pp);
  add("vpp", layout.vpp);
  fields.push_back({"order", model::format(layout.order)});
  fields.push_back({"stage_layers", fmt::format("{}", fmt::join(layout.stage_layers, " "))});
}

void add_training_step(Fields& fields, const model::Step& step) {
  fields.insert(fields.end(), {
                                  {"micro_batch", fmt::format("{}", step.micro_batch)},
                                  {"micro_batches", fmt::format("{}", step.micro_batches)},
                                  {"sequence_tokens", fmt::format("{}", step.sequence)},
                                  {"sequence_parallel", yes_or_no(step.sequence_parallel)},
                                  {"recompute", std::string(name_of(step.recompute))},
                                  {"activations", std::string(name_of(step.activations))},
                                  {"parameters", std::string(name_of(step.parameters))},
                                  {"gradients", std::string(name_of(step.gradients))},
                              });
}

void add_key(Fields& fields, const StepKey& key) {
  fields.insert(fields.end(), {
                                  {"pattern", key.pattern},
                                  {"model", key.model},
                                  {"scheme", joined(key.scheme)},
                              });
  add_layout(fields, key.layout);
  add_training_step(fields, key.step);
  fields.insert(fields.end(), {
                                  {"ranks", fmt::format("{}", key.ranks)},
                                  {"nodes", fmt::format("{}", key.nodes)},
                                  {"backend", key.backend},
                                  {"compute", key.compute},
                                  {"layers", or_empty(key.layers)},
                                  {"shrink", or_empty(key.shrink)},
                              });
}

std::string us(const std::optional<double>& seconds) { return seconds ? us(*seconds) : ""; }

/// Of times to the picosecond no more digits than these have.
std::string ratio(const std::optional<double>& value) {
  return value ? fmt::format("{}", std::nearbyint(*value * 1e6) / 1e6) : "";
}

std::optional<double> median_s(const std::optional<StepSeries>& series) {
  return series ? std::optional(series->median_s) : std::nullopt;
}

void add_times(Fields& fields, const StepRecord& step) {
  const auto interval = step.step ? step.step->interval95_s : std::nullopt;
  fields.insert(fields.end(),
                {
                    {"step_us", us(median_s(step.step))},
                    {"ci95_low_us", interval ? us(interval->low) : ""},
                    {"ci95_high_us", interval ? us(interval->high) : ""},
                    {"samples", step.step ? fmt::format("{}", step.step->samples_s.size()) : ""},
                    {"computing_us", us(median_s(step.computing))},
                    {"skeleton_us", us(median_s(step.skeleton))},
                    {"communication_us", us(median_s(step.communication))},
                    {"bubble_us", us(bubble_s(step))},
                    {"exposed_us", us(exposed_s(step))},
                    {"exposed_share", ratio(exposed_share(step))},
                    {"overlap_efficiency", ratio(overlap_efficiency(step))},
                    {"tokens_per_s", ratio(tokens_per_s(step))},
                    {"predicted_us", step.prediction ? us(step.prediction->step_s) : ""},
                });
}

Fields fields_of(const RunFacts& run, const StepRecord& step) {
  Fields fields = {{"run", run.id}, {"started", run.started}};
  add_key(fields, step.key);
  fields.push_back({"status", std::string(name_of(step.status))});
  add_times(fields, step);
  fields.insert(fields.end(), {
                                  {"sent_bytes", fmt::format("{}", step.sent_bytes)},
                                  {"closed_form_sent_bytes", or_empty(step.closed_form_sent_bytes)},
                                  {"slot_bytes", fmt::format("{}", step.slot_bytes)},
                                  {"model_bytes", fmt::format("{}", step.model_bytes)},
                                  {"tokens", fmt::format("{}", step.tokens)},
                                  {"flops", fmt::format("{}", step.flops)},
                                  {"wrong_elements",
                                   step.check ? fmt::format("{}", step.check->wrong_elements) : ""},
                                  {"flags", fmt::format("{}", fmt::join(step.flags, " "))},
                                  {"reason", step.reason},
                              });
  return fields;
}

std::string names_line(const Fields& fields) {
  std::string line;
  for (const Field& field : fields) {
    line += fmt::format("{}{}", line.empty() ? "" : ",", field.name);
  }
  return line + "\n";
}

std::string values_line(const Fields& fields) {
  std::string line;
  for (const Field& field : fields) {
    if (&field != &fields.front()) line += ',';
    line += csv_field(field.value);
  }
  return line + '\n';
}

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string field = "\"";
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + '"';
}

std::string csv_header() { return names_line(fields_of({}, Record{})); }

std::string csv_rows(const Document& document) {
  std::string text;
  for (const Record& row : document.rows) text += values_line(fields_of(document.run, row));
  for (const CycleRow& cycle : document.cycles) {
    if (cycle.cycle == 1 || cycle.row >= document.rows.size()) continue;  // the rows are the first
    text += values_line(fields_of(document.run, record_of(document.rows[cycle.row], cycle)));
  }
  return text;
}

std::string csv_step_header() { return names_line(fields_of({}, StepRecord{})); }

std::string csv_steps(const Document& document) {
  std::string text;
  for (const StepRecord& step : document.steps) text += values_line(fields_of(document.run, step));
  return text;
}

}  // namespace collbench
