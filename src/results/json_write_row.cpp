// SPDX-License-Identifier: Apache-2.0
// Writes rows and what a soak keeps of them.
#include "results/json_write_parts.h"
#include "results/units.h"
#include "statistics/iterations.h"
#include "statistics/statistics.h"
#include "statistics/straggler.h"

namespace collbench {
namespace {

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
  row["time_us"] = time_us(timing.samples_s, timing.median_s, timing.interval95_s);
  row["operations_per_sample"] = timing.operations_per_sample;
  row["warmup_operations"] = timing.warmup_operations;
  row["walked_bytes"] = timing.walked_bytes;
  row["stop_reason"] = timing.stop_reason;
  row["samples_us"] = in_us(timing.samples_s);
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

Json group_json(const GroupKey& group) {
  return {{"rule", group.rule}, {"index", group.index}, {"count", group.count}};
}

void add_slowdown(Json& json, const std::optional<double>& slowdown) {
  if (slowdown) json["slowdown"] = rounded(*slowdown);
}

Json interference_json(const Interference& interference, double alone_s) {
  Json json = {{"operation", interference.operation},
               {"groups", interference.groups},
               {"message_bytes", interference.message_bytes},
               {"beside", series_json(interference.beside)}};
  add_slowdown(json, interference.slowdown(alone_s));
  Json other = {{"alone", series_json(interference.other_alone)},
                {"beside", series_json(interference.other_beside)}};
  add_slowdown(other, interference.other_slowdown());
  json["other"] = std::move(other);
  return json;
}

}  // namespace

Json row_key_json(const RowKey& key) {
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
  return row;
}

Json row_json(const Record& record) {
  Json row = row_key_json(record.key);
  row["requested_bytes"] = record.requested_bytes;
  row["status"] = name_of(record.status);
  add(row, "reason", record.reason);
  add(row, "load_max_over_mean", record.load_max_over_mean);
  if (record.timing) add_timing(row, *record.timing);
  add_bandwidth(row, "algbw_GBps", record.timing.has_value(), record.algorithm_bandwidth_Bps);
  add_bandwidth(row, "busbw_GBps", record.timing.has_value(), record.bus_bandwidth_Bps);
  if (record.nic_Bps) row["nic_GBps"] = GBps_from_Bps(*record.nic_Bps);
  if (record.check) row["check"] = check_json(*record.check);
  if (record.interference) {
    const double alone_s = record.timing ? record.timing->median_s : 0;
    row["interference"] = interference_json(*record.interference, alone_s);
  }
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

}  // namespace collbench
