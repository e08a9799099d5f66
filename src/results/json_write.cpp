// SPDX-License-Identifier: Apache-2.0
// Writes documents, rows and host facts as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "results/json.h"
#include "results/json_value.h"
#include "results/schema.h"
#include "results/units.h"
#include "statistics/description.h"
#include "statistics/iterations.h"
#include "statistics/statistics.h"
#include "statistics/straggler.h"

namespace collbench {
namespace {

// ---- rows

std::vector<double> in_us(const std::vector<double>& seconds) {
  std::vector<double> us;
  us.reserve(seconds.size());
  for (const double s : seconds) us.push_back(us_from_s(s));
  return us;
}

/// The bandwidth of a row that was measured: null where it is undefined.
void add_bandwidth(Json& row, const char* key, const Record& record,
                   const std::optional<double>& rate_Bps) {
  if (rate_Bps) {
    row[key] = GBps_from_Bps(*rate_Bps);
  } else if (record.timing) {
    row[key] = nullptr;
  }
}

/// The same time to the picosecond, as every other time of the file.
double rounded(double us) { return us_from_s(s_from_us(us)); }

/// Derived from the microseconds as they are written, so that a file read and written again has the
/// same ones.
Json time_us(const Timing& timing, const std::vector<double>& samples_us) {
  const statistics::Description d = statistics::describe(samples_us);
  Json time = {{"n", d.n}, {"median", us_from_s(timing.median_s)}};
  if (timing.interval95_s) {
    time["ci95"] = {us_from_s(timing.interval95_s->low), us_from_s(timing.interval95_s->high)};
  }
  time["min"] = d.min;
  time["q1"] = rounded(d.q1);
  time["mean"] = rounded(d.mean);
  time["q3"] = rounded(d.q3);
  if (d.p95) time["p95"] = rounded(*d.p95);
  if (d.p99) time["p99"] = rounded(*d.p99);
  time["max"] = d.max;
  return time;
}

/// Samples in another sense than the row's time; none, if it has no such.
void add_series(Json& row, const char* key, const std::vector<double>& samples_s) {
  if (samples_s.empty()) return;
  const std::vector<double> us = in_us(samples_s);
  row[key] = {{"median", rounded(statistics::median(us))}, {"samples", us}};
}

/// Of single operations, without those that are skipped.
void add_iterations(Json& row, const Timing& timing) {
  if (timing.iteration_s.empty()) return;
  const std::vector<double> us = in_us(timing.iteration_s);
  const auto s = statistics::summarize_iterations(std::span(us).subspan(timing.skipped_iterations));
  row["iterations_us"] = {{"skipped", timing.skipped_iterations},
                          {"min", s.min},
                          {"max", s.max},
                          {"mean", rounded(s.mean)},
                          {"p50", s.p50},
                          {"p95", s.p95},
                          {"p99", s.p99},
                          {"stdev", rounded(s.deviation)},
                          {"cv_pct", rounded(100 * s.variation)},
                          {"samples", us}};
}

void add_straggler(Json& per_rank, const Timing& timing) {
  const auto straggler = statistics::find_straggler(timing.rank_last_count);
  if (!straggler) return;
  per_rank["straggler"] = {{"rank", straggler->rank},
                           {"last_count", straggler->last_count},
                           {"last_count_by_chance", straggler->by_chance},
                           {"probability", straggler->probability}};
}

void add_timing(Json& row, const Timing& timing) {
  if (timing.samples_s.empty()) throw std::logic_error("a row has a timing without samples");
  const std::vector<double> samples_us = in_us(timing.samples_s);
  row["time_us"] = time_us(timing, samples_us);
  row["operations_per_sample"] = timing.operations_per_sample;
  row["warmup_operations"] = timing.warmup_operations;
  row["walked_bytes"] = timing.walked_bytes;
  row["stop_reason"] = timing.stop_reason;
  row["samples_us"] = samples_us;
  add_series(row, "mean_over_ranks_us", timing.mean_over_ranks_s);
  add_series(row, "max_over_ranks_us", timing.max_over_ranks_s);
  add_series(row, "enqueue_us", timing.enqueue_s);
  add_series(row, "device_us", timing.device_s);
  if (timing.enqueue_share) row["enqueue_share"] = rounded(*timing.enqueue_share);
  add_iterations(row, timing);
  if (timing.exit_skew) {
    row["alignment_skew_us"] = {{"median", us_from_s(timing.exit_skew->median_s)},
                                {"max", us_from_s(timing.exit_skew->max_s)}};
  }
  if (!timing.rank_median_s.empty() || !timing.rank_last_count.empty()) {
    row["per_rank"] = {{"median_us", in_us(timing.rank_median_s)},
                       {"last_count", timing.rank_last_count}};
    add_straggler(row["per_rank"], timing);
  }
}

Json check_json(const DataCheck& check) {
  Json json = {{"checked_elements", check.checked_elements},
               {"wrong_elements", check.wrong_elements}};
  add(json, "first_wrong", check.first_wrong);
  return json;
}

Json group_json(const GroupKey& group) {
  return {{"rule", group.rule}, {"index", group.index}, {"count", group.count}};
}

Json row_json(const Record& record) {
  const RowKey& key = record.key;
  Json row = {{"collective", key.collective},
              {"type", name_of(key.type)},
              {"op", key.op ? Json(name_of(*key.op)) : Json(nullptr)},
              {"message_bytes", key.message_bytes},
              {"count", key.count},
              {"ranks", key.ranks},
              {"nodes", key.nodes},
              {"root", or_null(key.root)},
              {"in_place", key.in_place},
              {"backend", key.backend},
              {"mode", key.mode},
              {"aggregation", key.aggregation}};
  if (key.ranks_per_process > 1) row["ranks_per_process"] = key.ranks_per_process;
  if (key.grouped_operations > 1) row["grouped_operations"] = key.grouped_operations;
  if (key.offset_elements > 0) row["offset_elements"] = key.offset_elements;
  add(row, "matrix", key.matrix);
  if (key.group) row["group"] = group_json(*key.group);
  row["requested_bytes"] = record.requested_bytes;
  row["status"] = name_of(record.status);
  add(row, "reason", record.reason);
  add(row, "load_max_over_mean", record.load_max_over_mean);
  if (record.timing) add_timing(row, *record.timing);
  add_bandwidth(row, "algbw_GBps", record, record.algorithm_bandwidth_Bps);
  add_bandwidth(row, "busbw_GBps", record, record.bus_bandwidth_Bps);
  if (record.check) row["check"] = check_json(*record.check);
  if (record.device_state) {
    row["device_clock_MHz"] = record.device_state->clock_MHz;
    row["throttled_by"] = record.device_state->throttled_by;
  }
  add(row, "cycle", record.cycle);
  row["flags"] = record.flags;
  add(row, "ended", record.ended);
  return row;
}

Json cycle_json(const CycleRow& cycle) {
  Json json = {{"cycle", cycle.cycle},
               {"started", cycle.started},
               {"row", cycle.row},
               {"status", name_of(cycle.status)}};
  add(json, "reason", cycle.reason);
  if (cycle.median_s) json["median_us"] = us_from_s(*cycle.median_s);
  add(json, "wrong_elements", cycle.wrong_elements);
  return json;
}

// ---- the other blocks

Json run_json(const RunFacts& run) {
  Json json = {{"id", run.id}, {"started", run.started}};
  add(json, "ended", run.ended);
  json["status"] = name_of(run.status);
  add(json, "exit_status", run.exit_status);
  add(json, "message", run.message);
  json["version"] = run.version;
  json["git_commit"] = run.git_commit;
  json["compiler"] = run.compiler;
  json["flags"] = run.flags;
  return json;
}

Json host_json(const HostFacts& host) {
  return {{"name", host.name},     {"cpu_model", host.cpu_model},
          {"cores", host.cores},   {"memory_bytes", host.memory_bytes},
          {"kernel", host.kernel}, {"topology_digest", host.topology_digest}};
}

Json rank_json(const RankFacts& rank) {
  Json json = {{"rank", rank.rank},
               {"host", rank.host},
               {"pid", rank.pid},
               {"device", rank.device},
               {"device_bus_id", rank.device_bus_id},
               {"device_model", rank.device_model}};
  add(json, "group", rank.group);
  return json;
}

Json environment_json(const Environment& environment) {
  Json hosts = Json::array();
  for (const HostFacts& host : environment.hosts) hosts.push_back(host_json(host));
  Json ranks = Json::array();
  for (const RankFacts& rank : environment.ranks) ranks.push_back(rank_json(rank));
  return {{"hosts", hosts},
          {"ranks", ranks},
          {"libraries", environment.libraries},
          {"variables", environment.variables}};
}

// ---- text

void require_finite(const Json& json, const std::string& pointer) {
  if (json.is_number_float() && !std::isfinite(json.get<double>())) {
    throw std::logic_error(pointer + ": JSON cannot hold a number that is not finite");
  }
  if (!json.is_structured()) return;
  for (const auto& [key, value] : json.items()) {
    if (value.is_structured() || value.is_number_float()) {
      require_finite(value, pointer + "/" + key);
    }
  }
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Blocks one field per line, list elements one per line: rows stand as in FILE.rows, so that they
/// can be searched and compared as lines.
std::string layout(const Json& json, int depth) {
  const bool flat = std::none_of(json.begin(), json.end(),
                                 [](const Json& value) { return value.is_structured(); });
  if (!json.is_structured() || json.empty() || (depth > 1 && flat)) return dump(json);
  const std::string indent(static_cast<std::size_t>(2 * depth + 2), ' ');
  std::string text;
  for (const auto& [key, value] : json.items()) {
    text += text.empty() ? "\n" : ",\n";
    text += json.is_array() ? indent + dump(value)
                            : fmt::format("{}\"{}\": {}", indent, key, layout(value, depth + 1));
  }
  const char* brackets = json.is_array() ? "[]" : "{}";
  return fmt::format("{}{}\n{}{}", brackets[0], text, indent.substr(2), brackets[1]);
}

std::string line(const Json& json) {
  require_finite(json, "");
  return dump(json);
}

}  // namespace

std::string to_json_line(const Record& row) { return line(row_json(row)); }
std::string to_json_line(const CycleRow& cycle) { return line(cycle_json(cycle)); }
std::string to_json_line(const HostFacts& host) { return line(host_json(host)); }
std::string to_json_line(const RankFacts& rank) { return line(rank_json(rank)); }

std::string to_json(const Document& document) {
  Json rows = Json::array();
  for (const Record& row : document.rows) rows.push_back(row_json(row));
  Json json = {{"schema", kResultsSchemaName},
               {"schema_version", kResultsSchemaVersion},
               {"run", run_json(document.run)},
               {"environment", environment_json(document.environment)},
               {"config", config_json(document.config)},
               {"rows", std::move(rows)}};
  for (const CycleRow& cycle : document.cycles) json["cycles"].push_back(cycle_json(cycle));
  json["summary"] = summary_json(document);
  require_finite(json, "");
  return layout(json, 0) + "\n";
}

}  // namespace collbench
