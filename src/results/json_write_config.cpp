// SPDX-License-Identifier: Apache-2.0
// Writes what was asked for and what came of it: the blocks config and summary.
#include <algorithm>
#include <cmath>

#include "results/cycle_summary.h"
#include "results/json_value.h"
#include "results/summary.h"
#include "results/units.h"
#include "results/verdicts.h"

namespace collbench {
namespace {

Json sampling_json(const SamplingConfig& sampling) {
  Json json = {{"target_half_width_pct", shift_decimal_point(sampling.target_half_width, 2)},
               {"min_samples", sampling.min_samples},
               {"max_samples", sampling.max_samples},
               {"max_time_s", sampling.max_time_s},
               {"block_us", us_from_s(sampling.block_s)}};
  add(json, "fixed_samples", sampling.fixed_samples);
  return json;
}

void add_thresholds(Json& config, const Thresholds& thresholds) {
  if (thresholds.mean_bus_bandwidth_Bps) {
    config["min_mean_busbw_GBps"] = GBps_from_Bps(*thresholds.mean_bus_bandwidth_Bps);
  }
  for (const SizeThreshold& threshold : thresholds.by_size) {
    config["min_busbw"].push_back({{"requested_bytes", threshold.requested_bytes},
                                   {"busbw_GBps", GBps_from_Bps(threshold.bus_bandwidth_Bps)}});
  }
}

Json verdict_json(const Verdict& verdict) {
  Json json;
  add(json, "requested_bytes", verdict.requested_bytes);
  json["required_busbw_GBps"] = GBps_from_Bps(verdict.required_Bps);
  json["busbw_GBps"] = verdict.found_Bps ? Json(GBps_from_Bps(*verdict.found_Bps)) : Json(nullptr);
  json["judgement"] = row_of(verdict.judgement).name;
  return json;
}

Json counts_json(const Summary& summary) {
  return {{"rows", summary.rows},       {"ok", summary.ok},
          {"wrong", summary.wrong},     {"skipped", summary.skipped},
          {"failed", summary.failed},   {"measured", summary.measured},
          {"checked", summary.checked}, {"wrong_elements", summary.wrong_elements}};
}

Json cycles_json(const std::vector<CycleRow>& cycles) {
  const CycleSummary summary = summarize_cycles(cycles);
  Json json = {{"begun", summary.begun}, {"wrong", summary.wrong}, {"drifting", Json::array()}};
  for (const CycleDrift& drift : summary.drifts) {
    // Medians are written to the picosecond: read again, they give the same change to so many
    // digits and no more.
    json["drifting"].push_back(
        {{"row", drift.row}, {"change_pct", std::round(1e5 * drift.change) / 1e3}});
  }
  return json;
}

void add_mean(Json& json, const Summary& summary) {
  if (summary.mean_bus_bandwidth_Bps) {
    json["mean_busbw_GBps"] = GBps_from_Bps(*summary.mean_bus_bandwidth_Bps);
  } else if (summary.measured > 0) {
    json["mean_busbw_GBps"] = nullptr;
  }
}

void add_ranks_of_a_process(Json& json, const RunConfig& config) {
  if (config.threads_per_process > 1) json["threads_per_process"] = config.threads_per_process;
  if (config.gpus_per_thread > 1) json["gpus_per_thread"] = config.gpus_per_thread;
}

void add_nccl(Json& json, const NcclFacts& facts) {
  Json nccl = Json::object();
  add(nccl, "buffers", facts.buffers);
  add(nccl, "registration", facts.registration);
  add(nccl, "alltoall", facts.exchanges);
  if (!facts.fields.empty()) nccl["config"] = facts.fields;
  if (!nccl.empty()) json["nccl"] = std::move(nccl);
}

/// Of a run that measures steps, without what only a sweep of sizes has.
Json pattern_config_json(const RunConfig& config) {
  Json json = {{"program", config.program},
               {"arguments", config.arguments},
               {"backend", config.backend},
               {"wait_policy", config.wait_policy},
               {"pattern", {{"compute", config.pattern->compute}}},
               {"check_iterations", config.check_iterations}};
  add(json, "warmup_iterations", config.warmup_iterations);
  add_ranks_of_a_process(json, config);
  json["sampling"] = sampling_json(config.sampling);
  return json;
}

/// Of steps as of rows.
Json steps_summary_json(const std::vector<StepRecord>& steps) {
  Json json = {{"steps", steps.size()}};
  for (const RowStatusRow& row : kRowStatuses) {
    json[row.name] = std::count_if(steps.begin(), steps.end(), [&](const StepRecord& step) {
      return step.status == row.status;
    });
  }
  return json;
}

}  // namespace

Json config_json(const RunConfig& config) {
  if (config.pattern) return pattern_config_json(config);
  Json json = {{"program", config.program},         {"arguments", config.arguments},
               {"backend", config.backend},         {"wait_policy", config.wait_policy},
               {"aggregation", config.aggregation}, {"mode", config.mode},
               {"min_bytes", config.min_bytes},     {"max_bytes", config.max_bytes}};
  add(json, "split", config.split);
  add(json, "interfere", config.interfere);
  add(json, "step_bytes", config.step_bytes);
  add(json, "step_factor", config.step_factor);
  json["check_iterations"] = config.check_iterations;
  add(json, "fixed_iterations", config.fixed_iterations);
  add(json, "warmup_iterations", config.warmup_iterations);
  json["grouped_operations"] = config.grouped_operations;
  json["offset_elements"] = config.offset_elements;
  json["enqueue_time"] = config.enqueue_time;
  add(json, "skipped_iterations", config.skipped_iterations);
  add_ranks_of_a_process(json, config);
  add(json, "graph_launches", config.graph_launches);
  add(json, "nics_per_node", config.nics_per_node);
  add_nccl(json, config.nccl);
  json["cycles"] = config.cycles;
  add(json, "duration_s", config.duration_s);
  json["sampling"] = sampling_json(config.sampling);
  add_thresholds(json, config.thresholds);
  return json;
}

Json summary_json(const Document& document) {
  const Summary all = summarize(document.rows, document.cycles);
  Json json = counts_json(all);
  const std::vector<GroupSummary> groups = summarize_groups(document.rows, document.cycles);
  if (groups.empty()) add_mean(json, all);
  for (const GroupSummary& group : groups) {
    Json entry = {{"group", group.group.index}};
    entry.update(counts_json(group.summary));
    add_mean(entry, group.summary);
    json["groups"].push_back(std::move(entry));
  }
  if (!document.steps.empty()) json["steps"] = steps_summary_json(document.steps);
  if (!document.cycles.empty()) json["cycles"] = cycles_json(document.cycles);
  for (const Verdict& verdict : judge(document.config.thresholds, document.rows, document.cycles)) {
    json["verdicts"].push_back(verdict_json(verdict));
  }
  return json;
}

}  // namespace collbench
