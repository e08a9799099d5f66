// SPDX-License-Identifier: Apache-2.0
// Writes measured steps of schemes of parallelism.
#include "results/axis_costs.h"
#include "results/json_write_parts.h"
#include "results/step_parts.h"
#include "results/units.h"

namespace collbench {
namespace {

Json layout_json(const model::Layout& layout) {
  Json json = {{"tp", layout.tp}, {"cp", layout.cp}, {"ep", layout.ep}};
  add(json, "etp", layout.etp);
  if (layout.cp_a2a > 1) json["cp_a2a"] = layout.cp_a2a;
  json["dp"] = layout.dp;
  json["replicas"] = layout.replicas;
  json["pp"] = layout.pp;
  json["vpp"] = layout.vpp;
  json["order"] = model::format(layout.order);
  if (!layout.stage_layers.empty()) json["stage_layers"] = layout.stage_layers;
  return json;
}

Json training_step_json(const model::Step& step) {
  return {{"micro_batch", step.micro_batch},        {"micro_batches", step.micro_batches},
          {"sequence_tokens", step.sequence},       {"sequence_parallel", step.sequence_parallel},
          {"recompute", name_of(step.recompute)},   {"activations", name_of(step.activations)},
          {"parameters", name_of(step.parameters)}, {"gradients", name_of(step.gradients)}};
}

void add_series(Json& times, const char* key, const std::optional<StepSeries>& series) {
  if (series) times[key] = series_json(*series);
}

Json times_json(const StepRecord& record) {
  Json times = Json::object();
  add_series(times, "step", record.step);
  add_series(times, "computing", record.computing);
  add_series(times, "skeleton", record.skeleton);
  add_series(times, "communication", record.communication);
  add_series(times, "latency", record.latency);
  return times;
}

void add_us(Json& object, const char* key, const std::optional<double>& time_s) {
  if (time_s) object[key] = us_from_s(*time_s);
}

void add_ratio(Json& object, const char* key, const std::optional<double>& ratio) {
  if (ratio) object[key] = rounded(*ratio);
}

/// For readers that calculate nothing.
Json derived_json(const StepRecord& record) {
  Json json = Json::object();
  add_us(json, "bubble_us", bubble_s(record));
  add_us(json, "exposed_us", exposed_s(record));
  add_ratio(json, "exposed_share", exposed_share(record));
  add_ratio(json, "overlap_efficiency", overlap_efficiency(record));
  add_ratio(json, "tokens_per_s", tokens_per_s(record));
  add_ratio(json, "prediction_error", prediction_error(record));
  return json;
}

Json prediction_json(const StepPrediction& prediction) {
  return {{"step_us", us_from_s(prediction.step_s)},
          {"compute_us", us_from_s(prediction.compute_s)},
          {"bubble_us", us_from_s(prediction.bubble_s)},
          {"exposed_us", us_from_s(prediction.exposed_s)},
          {"links", row_of(prediction.links).name}};
}

Json message_json(const StepMessage& message) {
  Json json = {{"operation", message.operation},
               {"axis", name_of(message.axis)},
               {"group_size", message.group_size},
               {"type", name_of(message.type)},
               {"op", message.op ? Json(name_of(*message.op)) : Json(nullptr)},
               {"message_bytes", message.message_bytes},
               {"per_step", message.per_step}};
  add_us(json, "time_us", message.time_s);
  const bool measured = message.time_s.has_value();
  add_bandwidth(json, "algbw_GBps", measured, message.algorithm_bandwidth_Bps);
  add_bandwidth(json, "busbw_GBps", measured, message.bus_bandwidth_Bps);
  if (message.uneven) {
    json["uneven"] = {{"max_over_mean", message.uneven->max_over_mean}};
    add_us(json["uneven"], "even_time_us", message.uneven->even_time_s);
  }
  return json;
}

Json names_json(const std::vector<model::Axis>& axes) {
  Json names = Json::array();
  for (const model::Axis axis : axes) names.push_back(name_of(axis));
  return names;
}

Json axis_load_json(const AxisLoad& load) {
  Json json = {
      {"axes", names_json(load.axes)}, {"step", series_json(load.step)}, {"busy", Json::array()}};
  for (const StepSeries& busy : load.busy) json["busy"].push_back(series_json(busy));
  for (const double time_s : load.predicted_busy_s) {
    json["predicted_busy_us"].push_back(us_from_s(time_s));
  }
  return json;
}

Json axis_cost_json(const AxisCost& cost) {
  Json json = {{"axis", name_of(cost.axis)},
               {"beside", names_json(cost.beside)},
               {"alone_us", us_from_s(cost.alone_s)},
               {"together_us", us_from_s(cost.together_s)}};
  add_ratio(json, "slowdown", cost.slowdown);
  json["certain"] = cost.certain;
  add_ratio(json, "predicted_slowdown", cost.predicted_slowdown);
  return json;
}

void add_balancing(Json& step, const StepRecord& record) {
  for (std::size_t i = 0; i < record.balancing.size(); ++i) {
    const BalancedStep& each = record.balancing[i];
    Json json = {{"number", i + 1},
                 {"expert_max_over_mean", rounded(each.expert_max_over_mean)},
                 {"rank_max_over_mean", rounded(each.rank_max_over_mean)},
                 {"sent_bytes", each.sent_bytes}};
    add_series(json, "step", each.step);
    add_us(json, "predicted_step_us", each.predicted_s);
    step["balancing"].push_back(std::move(json));
  }
}

void add_placement(Json& step, const StepRecord& record) {
  for (const model::AxisPlacement& axis : record.placement) {
    step["placement"].push_back({{"axis", name_of(axis.axis)},
                                 {"group_size", axis.group_size},
                                 {"groups", axis.groups},
                                 {"crossing_groups", axis.crossing},
                                 {"sent_bytes", axis.sent_bytes},
                                 {"crossing_bytes", axis.crossing_bytes}});
  }
}

void add_axes(Json& step, const StepRecord& record) {
  if (record.axis_loads.empty()) return;
  for (const AxisLoad& load : record.axis_loads) {
    step["axis_loads"].push_back(axis_load_json(load));
  }
  step["axis_costs"] = Json::array();
  for (const AxisCost& cost : axis_costs(record)) {
    step["axis_costs"].push_back(axis_cost_json(cost));
  }
}

}  // namespace

Json step_key_json(const StepKey& key) {
  Json json = {{"pattern", key.pattern},
               {"model", key.model},
               {"scheme", key.scheme},
               {"layout", layout_json(key.layout)},
               {"training_step", training_step_json(key.step)},
               {"ranks", key.ranks},
               {"nodes", key.nodes}};
  if (key.ranks_per_process > 1) json["ranks_per_process"] = key.ranks_per_process;
  json["backend"] = key.backend;
  json["compute"] = key.compute;
  if (key.busy_flops) json["busy_tflops"] = rounded(*key.busy_flops / 1e12);
  add(json, "layers", key.layers);
  add(json, "shrink", key.shrink);
  return json;
}

Json step_json(const StepRecord& record) {
  Json step = step_key_json(record.key);
  step["status"] = name_of(record.status);
  add(step, "reason", record.reason);
  step["times"] = times_json(record);
  if (record.step) step["derived"] = derived_json(record);
  if (!record.rank_median_s.empty()) {
    step["per_rank"] = {{"median_us", in_us(record.rank_median_s)}};
  }
  step["sent_bytes"] = record.sent_bytes;
  add(step, "closed_form_sent_bytes", record.closed_form_sent_bytes);
  step["slot_bytes"] = record.slot_bytes;
  step["model_bytes"] = record.model_bytes;
  step["tokens"] = record.tokens;
  step["flops"] = record.flops;
  add_ratio(step, "computing_stretch", record.computing_stretch);
  add_ratio(step, "communication_stretch", record.communication_stretch);
  if (record.prediction) step["prediction"] = prediction_json(*record.prediction);
  step["messages"] = Json::array();
  for (const StepMessage& message : record.messages) {
    step["messages"].push_back(message_json(message));
  }
  add_axes(step, record);
  add_balancing(step, record);
  add_placement(step, record);
  step["left_out"] = record.left_out;
  if (record.check) step["check"] = check_json(*record.check);
  step["flags"] = record.flags;
  add(step, "ended", record.ended);
  return step;
}

Json scaling_json(const ScalingReport& report) {
  Json json = {{"axis", report.axis},
               {"base_ranks", report.base_ranks},
               {"weak", report.weak},
               {"points", Json::array()}};
  for (const ScalingPoint& point : report.points) {
    Json row = {{"degree", point.degree},
                {"ranks", point.ranks},
                {"step_us", us_from_s(point.step_s)},
                {"tokens", point.tokens},
                {"tokens_per_s", rounded(point.tokens_per_s)},
                {"efficiency", rounded(point.efficiency)}};
    add_ratio(row, "marginal_efficiency", point.marginal_efficiency);
    add_ratio(row, "exposed_share", point.exposed_share);
    row["superlinear"] = point.efficiency > kSuperlinear;
    json["points"].push_back(row);
  }
  for (const ScalingGap& gap : report.left_out) {
    json["left_out"].push_back(
        {{"degree", gap.degree}, {"ranks", gap.ranks}, {"reason", gap.reason}});
  }
  return json;
}

}  // namespace collbench
