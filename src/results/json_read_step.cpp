// SPDX-License-Identifier: Apache-2.0
#include "results/json_read_step.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/degrees.h"
#include "results/json_read_parts.h"
#include "results/units.h"

namespace collbench {
namespace {

int positive(const JsonNode& node) {
  const int value = node.integer();
  if (value < 1) node.say("expected 1 or more");
  return value;
}

model::Layout read_layout(const JsonNode& node) {
  model::Layout layout;
  layout.tp = positive(node.at("tp"));
  layout.cp = positive(node.at("cp"));
  layout.ep = positive(node.at("ep"));
  if (const auto etp = node.find("etp")) layout.etp = positive(*etp);
  if (const auto sharing = node.find("cp_a2a")) layout.cp_a2a = positive(*sharing);
  layout.dp = positive(node.at("dp"));
  layout.replicas = positive(node.at("replicas"));
  layout.pp = positive(node.at("pp"));
  layout.vpp = positive(node.at("vpp"));
  if (layout.dp % layout.replicas != 0) {
    node.at("replicas").say(fmt::format("expected a divisor of dp, {}", layout.dp));
  }
  const JsonNode order = node.at("order");
  layout.order = model::parse_order(order.text(), order.place());
  if (const auto layers = node.find("stage_layers")) {
    for (const JsonNode& stage : layers->elements()) {
      layout.stage_layers.push_back(stage.integer());
    }
  }
  return layout;
}

// In 64 bits, whatever a file says.
std::uint64_t ranks_of(const model::Layout& layout) {
  constexpr std::uint64_t kMost = 1ULL << 31;
  std::uint64_t ranks = 1;
  for (const int degree : {layout.tp, layout.cp, layout.pp, layout.dp}) {
    ranks = std::min(kMost, ranks * static_cast<std::uint64_t>(degree));
  }
  return ranks;
}

model::Step read_training_step(const JsonNode& node) {
  const auto type = [&](const char* key) {
    return named(kDataTypes, node.at(key), "data type").type;
  };
  return {.micro_batch = node.at("micro_batch").count(),
          .micro_batches = positive(node.at("micro_batches")),
          .sequence = node.at("sequence_tokens").count(),
          .sequence_parallel = node.at("sequence_parallel").boolean(),
          .recompute =
              named(model::kRecomputes, node.at("recompute"), "kind of recomputation").recompute,
          .activations = type("activations"),
          .parameters = type("parameters"),
          .gradients = type("gradients")};
}

StepKey read_key(const JsonNode& step) {
  StepKey key;
  key.pattern = step.at("pattern").text();
  key.model = step.at("model").text();
  key.scheme = step.at("scheme").texts_by_key();
  key.layout = read_layout(step.at("layout"));
  key.step = read_training_step(step.at("training_step"));
  key.ranks = positive(step.at("ranks"));
  if (ranks_of(key.layout) != static_cast<std::uint64_t>(key.ranks)) {
    step.at("layout").say(
        fmt::format("is of {} ranks, and `ranks` says {}", ranks_of(key.layout), key.ranks));
  }
  key.nodes = positive(step.at("nodes"));
  if (key.nodes > key.ranks) step.at("nodes").say("expected no more nodes than ranks");
  if (const auto ranks = step.find("ranks_per_process")) key.ranks_per_process = positive(*ranks);
  key.backend = step.at("backend").text();
  key.compute = step.at("compute").text();
  if (const auto layers = step.find("layers")) key.layers = positive(*layers);
  if (const auto tflops = optional_number(step, "busy_tflops")) key.busy_flops = *tflops * 1e12;
  key.shrink = optional_count(step, "shrink");
  if (key.shrink == Count{0}) step.at("shrink").say("expected 1 or more");
  return key;
}

std::optional<StepSeries> read_series(const JsonNode& times, const char* key) {
  const auto node = times.find(key);
  return node ? std::optional(read_series(*node)) : std::nullopt;
}

void read_times(const JsonNode& step, StepRecord& record) {
  const JsonNode times = step.at("times");
  record.step = read_series(times, "step");
  record.computing = read_series(times, "computing");
  record.skeleton = read_series(times, "skeleton");
  record.communication = read_series(times, "communication");
  record.latency = read_series(times, "latency");
  if (!record.step && record.status == RowStatus::ok) times.at("step");
  const auto per_rank = step.find("per_rank");
  if (!per_rank) return;
  const JsonNode medians = per_rank->at("median_us");
  record.rank_median_s = seconds(medians);
  const auto n = static_cast<std::size_t>(record.key.ranks);
  if (record.rank_median_s.size() != n) medians.say(fmt::format("expected {} numbers", n));
}

StepMessage read_message(const JsonNode& node) {
  StepMessage message;
  message.operation = node.at("operation").text();
  message.axis = named(model::kAxes, node.at("axis"), "axis").axis;
  message.group_size = positive(node.at("group_size"));
  message.type = named(kDataTypes, node.at("type"), "data type").type;
  const JsonNode op = node.at("op");
  if (!op.is_null()) message.op = named(kReduceOps, op, "reduction").op;
  message.message_bytes = node.at("message_bytes").count();
  message.per_step = node.at("per_step").count();
  message.time_s = optional_us(node, "time_us");
  message.algorithm_bandwidth_Bps = read_bandwidth(node, "algbw_GBps");
  message.bus_bandwidth_Bps = read_bandwidth(node, "busbw_GBps");
  if (const auto uneven = node.find("uneven")) {
    message.uneven =
        Uneven{uneven->at("max_over_mean").number(), optional_us(*uneven, "even_time_us")};
  }
  return message;
}

model::AxisPlacement read_placement(const JsonNode& node) {
  return {.axis = named(model::kAxes, node.at("axis"), "axis").axis,
          .group_size = positive(node.at("group_size")),
          .groups = positive(node.at("groups")),
          .crossing = node.at("crossing_groups").integer(),
          .sent_bytes = node.at("sent_bytes").count(),
          .crossing_bytes = node.at("crossing_bytes").count()};
}

AxisLoad read_axis_load(const JsonNode& node) {
  AxisLoad load{.step = read_series(node.at("step"))};
  for (const JsonNode& axis : node.at("axes").elements()) {
    load.axes.push_back(named(model::kAxes, axis, "axis").axis);
  }
  if (load.axes.empty()) node.at("axes").say("expected at least one axis");
  for (const JsonNode& busy : node.at("busy").elements()) load.busy.push_back(read_series(busy));
  if (load.busy.size() != load.axes.size()) {
    node.at("busy").say(fmt::format("expected one for each of {} axes", load.axes.size()));
  }
  const auto predicted = node.find("predicted_busy_us");
  if (!predicted) return load;
  load.predicted_busy_s = seconds(*predicted);
  if (load.predicted_busy_s.size() != load.axes.size()) {
    predicted->say(fmt::format("expected {} numbers", load.axes.size()));
  }
  return load;
}

BalancedStep read_balanced_step(const JsonNode& node) {
  return {.expert_max_over_mean = node.at("expert_max_over_mean").number(),
          .rank_max_over_mean = node.at("rank_max_over_mean").number(),
          .sent_bytes = node.at("sent_bytes").count(),
          .step = read_series(node, "step"),
          .predicted_s = optional_us(node, "predicted_step_us")};
}

std::optional<StepPrediction> read_prediction(const JsonNode& step) {
  const auto node = step.find("prediction");
  if (!node) return std::nullopt;
  const auto time_s = [&](const char* key) { return s_from_us(node->at(key).number()); };
  return StepPrediction{.step_s = time_s("step_us"),
                        .compute_s = time_s("compute_us"),
                        .bubble_s = time_s("bubble_us"),
                        .exposed_s = time_s("exposed_us"),
                        .links = named(kLinksFrom, node->at("links"), "source of links").from};
}

ScalingPoint read_scaling_point(const JsonNode& node) {
  ScalingPoint point;
  point.degree = positive(node.at("degree"));
  point.ranks = positive(node.at("ranks"));
  point.step_s = s_from_us(node.at("step_us").number());
  point.tokens = node.at("tokens").count();
  point.tokens_per_s = node.at("tokens_per_s").number();
  point.efficiency = node.at("efficiency").number();
  point.marginal_efficiency = optional_number(node, "marginal_efficiency");
  point.exposed_share = optional_number(node, "exposed_share");
  return point;
}

}  // namespace

StepRecord read_step(const JsonNode& step) {
  StepRecord record;
  record.key = read_key(step);
  record.status = named(kRowStatuses, step.at("status"), "row status").status;
  record.reason = step.text_or_empty("reason");
  read_times(step, record);
  record.sent_bytes = step.at("sent_bytes").count();
  record.closed_form_sent_bytes = optional_count(step, "closed_form_sent_bytes");
  record.slot_bytes = step.at("slot_bytes").count();
  record.model_bytes = step.at("model_bytes").count();
  record.tokens = step.at("tokens").count();
  record.flops = step.at("flops").number();
  record.computing_stretch = optional_number(step, "computing_stretch");
  record.communication_stretch = optional_number(step, "communication_stretch");
  record.prediction = read_prediction(step);
  for (const JsonNode& message : step.at("messages").elements()) {
    record.messages.push_back(read_message(message));
  }
  if (const auto loads = step.find("axis_loads")) {
    for (const JsonNode& load : loads->elements()) {
      record.axis_loads.push_back(read_axis_load(load));
    }
  }
  if (const auto balancing = step.find("balancing")) {
    for (const JsonNode& each : balancing->elements()) {
      record.balancing.push_back(read_balanced_step(each));
    }
  }
  if (const auto placement = step.find("placement")) {
    for (const JsonNode& axis : placement->elements()) {
      record.placement.push_back(read_placement(axis));
    }
  }
  record.left_out = step.at("left_out").texts();
  record.check = read_check(step);
  record.flags = step.at("flags").texts();
  record.ended = step.text_or_empty("ended");
  return record;
}

ScalingReport read_scaling(const JsonNode& scaling) {
  ScalingReport report;
  report.axis = named(model::kDegrees, scaling.at("axis"), "axis to scale").name;
  report.base_ranks = positive(scaling.at("base_ranks"));
  report.weak = scaling.at("weak").boolean();
  for (const JsonNode& node : scaling.at("points").elements()) {
    report.points.push_back(read_scaling_point(node));
  }
  if (report.points.empty()) scaling.at("points").say("expected at least one point");
  if (const auto left_out = scaling.find("left_out")) {
    for (const JsonNode& node : left_out->elements()) {
      report.left_out.push_back(
          {positive(node.at("degree")), positive(node.at("ranks")), node.at("reason").text()});
    }
  }
  return report;
}

}  // namespace collbench
