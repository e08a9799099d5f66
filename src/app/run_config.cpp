// SPDX-License-Identifier: Apache-2.0
#include "app/run_config.h"

#include "traffic/program_name.h"

namespace collbench {
namespace {

SamplingConfig config_of(const SamplingOptions& sampling) {
  SamplingConfig config;
  config.target_half_width = sampling.stop.target_half_width;
  config.min_samples = sampling.stop.min_samples;
  config.max_samples = sampling.stop.max_samples;
  config.max_time_s = sampling.stop.max_time_s;
  config.block_s = sampling.block_s;
  if (sampling.stop.fixed_samples > 0) config.fixed_samples = sampling.stop.fixed_samples;
  return config;
}

NcclFacts facts_of(const NcclUse& use) {
  NcclFacts facts;
  if (use.allocator != Allocator::runtime) facts.buffers = name_of(use.allocator);
  if (use.registration != Registration::none) facts.registration = name_of(use.registration);
  if (use.exchanges != ExchangeCalls::messages) facts.exchanges = name_of(use.exchanges);
  facts.fields = use.config;
  return facts;
}

}  // namespace

SamplingOptions sampling_of(const CollectiveOptions& options) {
  SamplingOptions sampling;
  sampling.method = options.sampling.method;
  sampling.warmup_operations = options.sampling.warmup;
  sampling.timed_iterations = options.sampling.iterations;
  sampling.deadline_s = options.timeout_s;
  const bool in_blocks =
      sampling.method.mode == Mode::streaming || sampling.method.mode == Mode::graph;
  if (options.sampling.iterations && in_blocks) {
    sampling.fixed_operations = options.sampling.iterations;
    sampling.stop.fixed_samples = 1;
  } else if (options.sampling.iterations) {
    sampling.stop.fixed_samples = *options.sampling.iterations;
  }
  if (options.sampling.samples) sampling.stop.fixed_samples = *options.sampling.samples;
  return sampling;
}

RunConfig config_of(const CollectiveOptions& options, const Operation& operation,
                    const std::vector<std::string>& arguments, const Backend& backend,
                    const SamplingOptions& sampling, const Sweep& sweep) {
  RunConfig config;
  config.program = traffic::program_name(operation.traffic);
  config.arguments = arguments;
  config.backend = backend.name();
  config.wait_policy = name_of(backend.wait_policy());
  config.aggregation = name_of(sampling.method.aggregation);
  config.mode = name_of(sampling.method.mode);
  if (options.split) config.split = to_text(*options.split);
  if (options.interfere) config.interfere = to_text(*options.interfere);
  config.min_bytes = sweep.min_bytes;
  config.max_bytes = sweep.max_bytes;
  if (sweep.factor > 1) {
    config.step_factor = sweep.factor;
  } else {
    config.step_bytes = sweep.step_bytes;
  }
  config.check_iterations = options.check_iterations;
  config.fixed_iterations = options.sampling.iterations;
  config.warmup_iterations = options.sampling.warmup;
  config.grouped_operations = sampling.method.grouped_operations;
  config.offset_elements = sampling.method.offset_elements;
  config.enqueue_time = sampling.method.enqueue_time;
  if (sampling.method.iteration_times) {
    config.skipped_iterations = sampling.method.skipped_iterations;
  }
  config.threads_per_process = options.gpu.threads;
  config.gpus_per_thread = options.gpu.gpus_per_thread;
  if (sampling.method.mode == Mode::graph) config.graph_launches = sampling.method.graph_launches;
  config.nics_per_node = options.nics_per_node;
  if (backend.name() == "nccl") config.nccl = facts_of(options.gpu.nccl);
  config.duration_s = options.sampling.duration_s;
  config.cycles = options.sampling.cycles;
  config.sampling = config_of(sampling);
  config.thresholds.by_size = options.min_bus_bandwidth;
  return config;
}

}  // namespace collbench
