// SPDX-License-Identifier: Apache-2.0
// A document of a run that measured steps, for tests. tests/golden/ has it as a file.
#pragma once

#include "results/example_document.h"

namespace collbench::example {

inline StepSeries series(std::vector<double> samples_s, double median_s) {
  return {.samples_s = std::move(samples_s), .median_s = median_s, .interval95_s = std::nullopt};
}

/// 20 ms, of which computing takes 16, pipeline and latencies 1, and exposed communication 3 of 8.
inline StepRecord step() {
  StepRecord record;
  record.key = {.pattern = "zero",
                .model = "llama3-8b",
                .scheme = {{"schedule", "1f1b"}, {"zero", "fsdp2"}},
                .layout = {.tp = 2, .dp = 2},
                .step = {.micro_batches = 4, .sequence = 8192},
                .ranks = 4,
                .nodes = 2,
                .ranks_per_process = 2,
                .backend = "mpi",
                .compute = "gemm"};
  record.step = series({19.9e-3, 20.0e-3, 20.4e-3, 20.1e-3, 19.8e-3, 20.0e-3}, 20.0e-3);
  record.step->interval95_s = {19.8e-3, 20.4e-3};
  record.computing = series({16.0e-3, 16.1e-3, 15.9e-3}, 16.0e-3);
  record.skeleton = series({17.0e-3}, 17.0e-3);
  record.communication = series({8.5e-3, 8.4e-3, 8.7e-3}, 8.5e-3);
  record.latency = series({0.5e-3}, 0.5e-3);
  record.rank_median_s = {20.0e-3, 19.5e-3, 19.75e-3, 19.0e-3};
  record.sent_bytes = 24'092'082'176;
  record.closed_form_sent_bytes = 24'092'082'176;
  record.slot_bytes = 1'744'830'464;
  record.model_bytes = 64'242'122'752;
  record.tokens = 65'536;
  record.flops = 3.5e15;
  record.computing_stretch = 1.08;
  record.communication_stretch = 1.25;
  record.prediction =
      StepPrediction{.step_s = 19.0e-3, .compute_s = 15.5e-3, .bubble_s = 0, .exposed_s = 3.5e-3};
  record.messages = {{.operation = "all_gather",
                      .axis = model::Axis::dp_shard_cp,
                      .group_size = 2,
                      .type = DataType::bfloat16,
                      .message_bytes = 218'112'000,
                      .per_step = 63,
                      .time_s = 1.25e-3,
                      .algorithm_bandwidth_Bps = 174.4896e9,
                      .bus_bandwidth_Bps = 87.2448e9},
                     {.operation = "reduce_scatter",
                      .axis = model::Axis::dp_shard_cp,
                      .group_size = 2,
                      .type = DataType::float32,
                      .op = ReduceOp::sum,
                      .message_bytes = 436'224'000,
                      .per_step = 32}};
  record.check = {.checked_elements = 1'000'000, .wrong_elements = 0, .first_wrong = ""};
  record.ended = "2026-03-01T12:00:07Z";
  return record;
}

/// Reductions take half as long again beside the pipeline, whose messages take as long as alone.
inline std::vector<AxisLoad> axis_loads() {
  using enum model::Axis;
  const auto of = [](double low_s, double median_s, double high_s) {
    StepSeries busy = series({median_s, low_s, median_s, high_s, median_s, median_s}, median_s);
    busy.interval95_s = {low_s, high_s};
    return busy;
  };
  const StepSeries gradients = of(1.9e-3, 2.0e-3, 2.1e-3), stages = of(0.9e-3, 1.0e-3, 1.2e-3);
  return {{.axes = {pp}, .step = series({17e-3}, 17e-3), .busy = {stages}},
          {.axes = {dp_replicate},
           .step = series({18e-3}, 18e-3),
           .busy = {gradients},
           .predicted_busy_s = {1.8e-3}},
          {.axes = {pp, dp_replicate},
           .step = series({20e-3}, 20e-3),
           .busy = {of(0.95e-3, 1.05e-3, 1.2e-3), of(2.9e-3, 3.0e-3, 3.1e-3)},
           .predicted_busy_s = {1.0e-3, 3.6e-3}}};
}

/// Three steps, as a bias levels loads; the second was only predicted.
inline std::vector<BalancedStep> balancing() {
  return {{.expert_max_over_mean = 3.5,
           .rank_max_over_mean = 2,
           .sent_bytes = 4 << 20,
           .step = series({41e-3, 40e-3, 42e-3}, 41e-3),
           .predicted_s = 40e-3},
          {.expert_max_over_mean = 2.25,
           .rank_max_over_mean = 1.5,
           .sent_bytes = 3 << 20,
           .predicted_s = 30e-3},
          {.expert_max_over_mean = 1.125,
           .rank_max_over_mean = 1.0625,
           .sent_bytes = 2 << 20,
           .step = series({20e-3}, 20e-3)}};
}

/// Of a part of the model, with as little data and computing as is left of a 16th.
inline StepRecord small_step() {
  StepRecord record = step();
  record.key.layout = {
      .tp = 1, .etp = 1, .dp = 2, .replicas = 2, .pp = 2, .vpp = 2, .stage_layers = {1, 0, 0, 1}};
  record.key.layers = 2;
  record.key.shrink = 16;
  record.status = RowStatus::wrong;
  record.check = {.checked_elements = 1'000,
                  .wrong_elements = 3,
                  .first_wrong = "rank 1, byte 4: expected 3, found 0"};
  record.reason = "3 wrong of 1000 elements, the first: rank 1, byte 4: expected 3, found 0";
  record.skeleton.reset();
  record.prediction.reset();
  record.closed_form_sent_bytes.reset();
  record.computing_stretch.reset();
  record.communication_stretch.reset();
  record.left_out = {"tokens to experts of other ranks"};
  record.flags = {"oversubscribed"};
  record.messages.erase(record.messages.begin());
  record.axis_loads = axis_loads();
  record.balancing = balancing();
  record.placement = {{.axis = model::Axis::pp,
                       .group_size = 2,
                       .groups = 2,
                       .crossing = 2,
                       .sent_bytes = 1 << 20,
                       .crossing_bytes = 1 << 20},
                      {.axis = model::Axis::dp_replicate,
                       .group_size = 2,
                       .groups = 2,
                       .crossing = 0,
                       .sent_bytes = 3 << 20}};
  return record;
}

inline StepRecord skipped_step() {
  StepRecord record;
  record.key = step().key;
  record.key.layout.dp = 4;
  record.key.ranks = 8;
  record.status = RowStatus::skipped;
  record.reason = "8 ranks are more than the 4 that were started";
  return record;
}

inline RunConfig pattern_config() {
  RunConfig config;
  config.program = "zero_perf";
  config.arguments = {"--model", "llama3-8b", "--tp", "2"};
  config.backend = "mpi";
  config.wait_policy = "spin";
  config.warmup_iterations = 2;
  config.threads_per_process = 2;
  config.sampling.fixed_samples = 6;
  config.pattern = PatternConfig{.compute = "gemm"};
  return config;
}

/// As it stands before its first step.
inline Document pattern_started() {
  Document document = started();
  document.config = pattern_config();
  return document;
}

/// With a step of every kind.
inline Document pattern() {
  Document document = ended();
  document.config = pattern_config();
  document.rows.clear();
  document.steps = {step(), small_step(), skipped_step()};
  return document;
}

inline ScalingReport scaling_report() {
  ScalingReport report;
  report.base_ranks = 2;
  report.weak = false;
  report.points = {{.degree = 1,
                    .ranks = 2,
                    .step_s = 44e-3,
                    .tokens = 65'536,
                    .tokens_per_s = 1489454.545455,
                    .efficiency = 1},
                   {.degree = 2,
                    .ranks = 4,
                    .step_s = 20e-3,
                    .tokens = 65'536,
                    .tokens_per_s = 3'276'800,
                    .efficiency = 1.1,
                    .marginal_efficiency = 1.1,
                    .exposed_share = 0.15}};
  report.left_out = {{4, 8, skipped_step().reason}};
  return report;
}

/// Of a run with --scale.
inline Document scaled() {
  Document document = pattern();
  StepRecord base = step();
  base.key.layout.dp = 1;
  base.key.ranks = 2;
  base.rank_median_s = {44e-3, 43e-3};
  base.step = series({44e-3}, 44e-3);
  base.computing.reset();
  base.skeleton.reset();
  base.communication.reset();
  document.steps = {base, step(), skipped_step()};
  document.scaling = scaling_report();
  return document;
}

}  // namespace collbench::example
