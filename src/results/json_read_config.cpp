// SPDX-License-Identifier: Apache-2.0
#include "results/json_read_config.h"

#include "results/json_read_parts.h"
#include "results/units.h"

namespace collbench {
namespace {

SamplingConfig read_sampling(const JsonNode& sampling) {
  return {
      .target_half_width = shift_decimal_point(sampling.at("target_half_width_pct").number(), -2),
      .min_samples = sampling.at("min_samples").count(),
      .max_samples = sampling.at("max_samples").count(),
      .max_time_s = sampling.at("max_time_s").number(),
      .block_s = s_from_us(sampling.at("block_us").number()),
      .fixed_samples = optional_count(sampling, "fixed_samples")};
}

Thresholds read_thresholds(const JsonNode& config) {
  Thresholds thresholds;
  if (const auto least = config.find("min_mean_busbw_GBps")) {
    thresholds.mean_bus_bandwidth_Bps = Bps_from_GBps(least->number());
  }
  const auto by_size = config.find("min_busbw");
  for (const JsonNode& entry : by_size ? by_size->elements() : std::vector<JsonNode>()) {
    thresholds.by_size.push_back(
        {.requested_bytes = entry.at("requested_bytes").count(),
         .bus_bandwidth_Bps = Bps_from_GBps(entry.at("busbw_GBps").number())});
  }
  return thresholds;
}

NcclFacts read_nccl(const JsonNode& config) {
  const auto nccl = config.find("nccl");
  if (!nccl) return {};
  NcclFacts facts = {.buffers = nccl->text_or_empty("buffers"),
                     .registration = nccl->text_or_empty("registration"),
                     .exchanges = nccl->text_or_empty("alltoall")};
  if (const auto fields = nccl->find("config")) facts.fields = fields->texts_by_key();
  return facts;
}

/// What only a sweep of sizes has.
void read_sweep(const JsonNode& config, RunConfig& read) {
  read.aggregation = config.at("aggregation").text();
  read.mode = config.at("mode").text();
  read.split = config.text_or_empty("split");
  read.interfere = config.text_or_empty("interfere");
  read.min_bytes = config.at("min_bytes").count();
  read.max_bytes = config.at("max_bytes").count();
  read.step_bytes = optional_count(config, "step_bytes");
  read.step_factor = optional_count(config, "step_factor");
  read.fixed_iterations = optional_count(config, "fixed_iterations");
  read.grouped_operations = config.at("grouped_operations").count();
  read.offset_elements = config.at("offset_elements").count();
  read.enqueue_time = config.at("enqueue_time").boolean();
  read.skipped_iterations = optional_count(config, "skipped_iterations");
  read.graph_launches = optional_count(config, "graph_launches");
  read.nics_per_node = optional_integer(config, "nics_per_node");
  read.nccl = read_nccl(config);
  read.cycles = config.at("cycles").count();
  read.duration_s = optional_number(config, "duration_s");
  read.thresholds = read_thresholds(config);
}

}  // namespace

RunConfig read_config(const JsonNode& config) {
  RunConfig read;
  read.program = config.at("program").text();
  read.arguments = config.at("arguments").texts();
  read.backend = config.at("backend").text();
  read.wait_policy = config.at("wait_policy").text();
  read.check_iterations = config.at("check_iterations").count();
  read.warmup_iterations = optional_count(config, "warmup_iterations");
  read.threads_per_process = optional_integer(config, "threads_per_process").value_or(1);
  read.gpus_per_thread = optional_integer(config, "gpus_per_thread").value_or(1);
  read.sampling = read_sampling(config.at("sampling"));
  if (const auto pattern = config.find("pattern")) {
    read.pattern = PatternConfig{.compute = pattern->at("compute").text()};
  } else {
    read_sweep(config, read);
  }
  return read;
}

}  // namespace collbench
