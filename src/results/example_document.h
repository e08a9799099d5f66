// SPDX-License-Identifier: Apache-2.0
// A document with a row of every kind, for tests. tests/golden/ has it as files.
#pragma once

#include "results/document.h"

namespace collbench::example {

inline Timing timing(std::vector<double> samples_s, double median_s) {
  Timing timing;
  timing.operations_per_sample = 64;
  timing.warmup_operations = 128;
  timing.walked_bytes = 64;
  timing.mean_over_ranks_s = samples_s;
  timing.samples_s = std::move(samples_s);
  timing.median_s = median_s;
  timing.rank_median_s = {median_s, 280.5e-6};
  timing.rank_last_count = {5, 1};
  timing.stop_reason = "max_time";
  return timing;
}

/// 8 bytes in 285.21 us: 28.05 kB/s, and the same on the bus of two ranks.
inline Record measured(bool in_place) {
  Record row;
  row.key = {.collective = "all_reduce",
             .type = DataType::float32,
             .op = ReduceOp::sum,
             .message_bytes = 8,
             .count = 2,
             .ranks = 2,
             .nodes = 2,
             .root = std::nullopt,
             .in_place = in_place,
             .backend = "mpi",
             .mode = "streaming"};
  row.requested_bytes = 11;
  row.timing = timing({285.21e-6, 285.2e-6, 281e-6, 290.125e-6, 285.22e-6, 300e-6}, 285.215e-6);
  row.timing->interval95_s = {281e-6, 300e-6};
  row.algorithm_bandwidth_Bps = 28049.5e0;
  row.bus_bandwidth_Bps = 28049.5e0;
  row.check = {.checked_elements = 4, .wrong_elements = 0, .first_wrong = ""};
  return row;
}

/// An exchange by a traffic matrix: 96 kB in 285.215 us at the busiest of two ranks.
inline Record by_matrix() {
  Record row = measured(false);
  row.key.collective = "alltoallv";
  row.key.op.reset();
  row.key.message_bytes = 96'000;
  row.key.count = 12'000;
  row.key.matrix = "zipf:1.2 seed 7";
  row.key.aggregation = "rank0";
  row.key.mode = "isolated";
  row.key.ranks_per_process = 2;
  row.key.grouped_operations = 4;
  row.key.offset_elements = 1;
  row.timing->enqueue_s = row.timing->samples_s;
  row.timing->device_s = row.timing->samples_s;
  row.timing->enqueue_share = 0.25;
  row.device_state = {.clock_MHz = 1980, .throttled_by = {"sw_power_cap"}};
  row.timing->iteration_s = {310e-6, 281e-6, 285e-6};
  row.timing->skipped_iterations = 1;
  row.cycle = 2;
  row.timing->exit_skew = {.median_s = 0.25e-6, .max_s = 7.5e-6};
  row.timing->max_over_ranks_s = row.timing->samples_s;
  row.requested_bytes = 98'304;
  row.load_max_over_mean = 1.28;
  row.algorithm_bandwidth_Bps = 336.588e6;
  row.bus_bandwidth_Bps = 168.294e6;
  return row;
}

/// More bytes than 32 bits count, on one rank, so that there is no bus bandwidth; not checked.
inline Record one_rank() {
  Record row = measured(false);
  row.key.ranks = 1;
  row.key.nodes = 1;
  row.key.message_bytes = row.requested_bytes = 17179869184;
  row.key.count = 4294967296;
  row.timing = timing({3.000018}, 3.000018);
  row.timing->rank_median_s = {3.000018};
  row.timing->rank_last_count = {1};
  row.timing->stop_reason = "fixed";
  row.algorithm_bandwidth_Bps = 5.72658870e9;
  row.bus_bandwidth_Bps.reset();
  row.check.reset();
  row.flags = {"oversubscribed"};
  return row;
}

inline Record wrong() {
  Record row = measured(true);
  row.status = RowStatus::wrong;
  row.reason = "3 wrong of 4 elements, the first: rank 1, byte 4: expected 3, found 0";
  row.check = {.checked_elements = 4,
               .wrong_elements = 3,
               .first_wrong = "rank 1, byte 4: expected 3, found 0"};
  return row;
}

/// Of one of the groups that `split` has.
inline Record of_group(int index, bool in_place) {
  Record row = measured(in_place);
  row.key.ranks = row.key.nodes = 1;
  row.key.group = {.rule = "MOD 2", .index = index, .count = 2};
  row.timing->rank_median_s = {row.timing->median_s};
  row.timing->rank_last_count = {6};
  row.bus_bandwidth_Bps.reset();
  return row;
}

inline Record skipped() {
  Record row = measured(false);
  row.key.collective = "all_gather";
  row.key.op.reset();
  row.key.type = DataType::bfloat16;
  row.key.message_bytes = row.key.count = 0;
  row.status = RowStatus::skipped;
  row.reason = "8 bytes are less than one 16-byte block for each of 2 ranks";
  row.timing.reset();
  row.algorithm_bandwidth_Bps.reset();
  row.bus_bandwidth_Bps.reset();
  row.check.reset();
  return row;
}

inline Record failed() {
  Record row = skipped();
  row.key = measured(true).key;
  row.key.root = 1;
  row.status = RowStatus::failed;
  row.reason = "MPI_Allreduce: MPI_ERR_OTHER on rank 1";
  return row;
}

inline RunFacts run() {
  return {.id = "00112233445566778899aabbccddeeff",
          .started = "2026-03-01T12:00:00Z",
          .ended = "",
          .status = RunStatus::running,
          .exit_status = std::nullopt,
          .message = "",
          .version = "0.1.0",
          .git_commit = "0123456789ab",
          .compiler = "g++ 12.2.0",
          .flags = "-O2 -g"};
}

inline Environment environment() {
  const HostFacts node0 = {.name = "node0.example",
                           .cpu_model = "AMD EPYC 7B13",
                           .cores = 64,
                           .memory_bytes = 270582939648,
                           .kernel = "Linux 6.1.0",
                           .topology_digest = "0f1e2d3c4b5a6978"};
  HostFacts node1 = node0;
  node1.name = "node1.example";
  const RankFacts rank0 = {.rank = 0,
                           .host = 0,
                           .pid = 22537,
                           .device = 0,
                           .device_bus_id = "cpu",
                           .device_model = "AMD EPYC 7B13"};
  RankFacts rank1 = rank0;
  rank1.rank = rank1.host = 1;
  rank1.pid = 417;
  return {.hosts = {node0, node1},
          .ranks = {rank0, rank1},
          .libraries = {{"mpi", "MPICH 4.0.2"}},
          .variables = {{"NCCL_DEBUG", "INFO"}, {"SLURM_JOB_ID", "77"}}};
}

inline RunConfig config() {
  return {.program = "all_reduce_perf",
          .arguments = {"-b", "8", "-e", "64", "-f", "2"},
          .backend = "mpi",
          .wait_policy = "spin",
          .aggregation = "max",
          .mode = "streaming",
          .min_bytes = 8,
          .max_bytes = 64,
          .step_bytes = std::nullopt,
          .step_factor = 2,
          .check_iterations = 1,
          .fixed_iterations = std::nullopt,
          .warmup_iterations = std::nullopt};
}

/// As it stands before its first row.
inline Document started() {
  return {.run = run(),
          .environment = environment(),
          .config = config(),
          .rows = {},
          .incomplete = false};
}

/// With a row of every kind; it ended because of the wrong data.
inline Document ended() {
  Document document = started();
  document.run.ended = "2026-03-01T12:00:09Z";
  document.run.status = RunStatus::complete;
  document.run.exit_status = 4;
  document.rows = {measured(false), measured(true), one_rank(), wrong(),
                   skipped(),       failed(),       by_matrix()};
  return document;
}

/// Of a run whose two ranks were split into two groups; the second has only begun.
inline Document split() {
  Document document = ended();
  document.run.exit_status = 0;
  document.config.split = "MOD 2";
  document.environment.ranks[0].group = 0;
  document.environment.ranks[1].group = 1;
  document.rows = {of_group(0, false), of_group(1, false), of_group(0, true)};
  return document;
}

/// Of a soak that was interrupted in its third cycle, after wrong data in the second.
inline Document soak() {
  Document document = ended();
  document.run.status = RunStatus::interrupted;
  document.run.exit_status = 130;
  document.run.message = "SIGINT";
  document.config.duration_s = 7200;
  document.rows = {measured(false), measured(true)};
  const Record bad = wrong();
  const CycleRow first = {.cycle = 1,
                          .started = "2026-03-01T12:00:01Z",
                          .row = 0,
                          .median_s = 285.215e-6,
                          .wrong_elements = 0};
  document.cycles.assign(5, first);
  document.cycles[1].row = document.cycles[3].row = 1;
  document.cycles[2].cycle = document.cycles[3].cycle = 2;
  document.cycles[2].started = document.cycles[3].started = "2026-03-01T12:00:05Z";
  document.cycles[2].median_s = 299.5e-6;
  document.cycles[3].status = bad.status;
  document.cycles[3].reason = bad.reason;
  document.cycles[3].wrong_elements = bad.check->wrong_elements;
  document.cycles[4].cycle = 3;
  document.cycles[4].started = "2026-03-01T12:00:09Z";
  document.cycles[4].median_s = 270e-6;
  return document;
}

}  // namespace collbench::example
