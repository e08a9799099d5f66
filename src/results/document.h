// SPDX-License-Identifier: Apache-2.0
// Document: everything one run leaves behind, as a plain value. results/README.md describes the
// file.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_rows.h"
#include "base/errors.h"
#include "results/cycle.h"
#include "results/record.h"
#include "results/scaling.h"
#include "results/step_record.h"
#include "results/verdicts.h"

namespace collbench {

/// A host of the run.
struct HostFacts {
  std::string name;
  std::string cpu_model;
  int cores = 0;  // that the ranks may use
  Bytes memory_bytes = 0;
  std::string kernel;
  std::string topology_digest;  // equal for hosts of equal topology

  bool operator==(const HostFacts&) const = default;
};

/// Where a rank ran.
struct RankFacts {
  int rank = 0;
  int host = 0;  // index into Environment::hosts
  int pid = 0;
  int device = 0;
  std::string device_bus_id;
  std::string device_model;
  std::optional<int> group{};  // index of a split run's group
  std::string cpus{};          // that it may use, "0-3,8"; empty: not known

  bool operator==(const RankFacts&) const = default;
};

struct Environment {
  std::vector<HostFacts> hosts;
  std::vector<RankFacts> ranks;
  std::map<std::string, std::string> libraries;  // "mpi": "MPICH 4.0.2"
  std::map<std::string, std::string> variables;  // by allow-list, secrets redacted

  bool operator==(const Environment&) const = default;
};

/// How samples are taken and when there are enough of them.
struct SamplingConfig {
  double target_half_width = 0.01;  // of the median's interval, relative to the median
  std::uint64_t min_samples = 20;
  std::uint64_t max_samples = 5000;
  double max_time_s = 2;
  double block_s = 1e-3;                       // the least length of a streaming sample
  std::optional<std::uint64_t> fixed_samples;  // exactly so many, whatever the rest says

  bool operator==(const SamplingConfig&) const = default;
};

/// What was asked for of a scheme of parallelism, beyond what its arguments say.
struct PatternConfig {
  std::string compute;  // what stands for computing: "gemm", "busy", "none"

  bool operator==(const PatternConfig&) const = default;
};

/// How NCCL was asked to work, where that is not as usual; empty: as usual.
struct NcclFacts {
  std::string buffers{};       // whose memory: "ncclmem"
  std::string registration{};  // how it was made known: "buffers", "windows"
  std::string exchanges{};     // what alltoall, gather and scatter are: "native" calls
  std::map<std::string, std::string> fields{};  // of ncclConfig_t, that were set: "minCTAs": "4"

  bool operator==(const NcclFacts&) const = default;
};

/// What was asked for, after defaults.
struct RunConfig {
  std::string program;  // "all_reduce_perf"
  std::vector<std::string> arguments;
  std::string backend;
  std::string wait_policy;
  std::string aggregation;  // how a sample is reduced over ranks: "rank0", "mean", "min", "max"
  std::string mode;
  std::string split{};  // the rule that makes groups of ranks, "MOD 2"; empty: they are not split
  std::string interfere{};  // what runs beside each row, "all_gather:65536@MOD 2"; empty: nothing
  Bytes min_bytes = 0, max_bytes = 0;
  std::optional<Bytes> step_bytes;   // additive sweep
  std::optional<Bytes> step_factor;  // multiplicative sweep
  std::uint64_t check_iterations = 1;
  std::optional<std::uint64_t> fixed_iterations;   // -n
  std::optional<std::uint64_t> warmup_iterations;  // -w; absent: as many as the warm-up rule says
  std::uint64_t grouped_operations{1};             // -m
  Count offset_elements{0};                        // -u
  bool enqueue_time{false};                        // -C: shown instead of the time
  std::optional<std::uint64_t> skipped_iterations{};  // -K; absent without -I
  int threads_per_process{1};                         // -t
  int gpus_per_thread{1};                             // -g
  std::optional<std::uint64_t> graph_launches{};      // -G; absent without graphs
  std::optional<int> nics_per_node{};                 // --nics
  NcclFacts nccl{};
  std::uint64_t cycles{1};             // -N
  std::optional<double> duration_s{};  // --duration: cycles until it is over, one at least
  SamplingConfig sampling{};
  Thresholds thresholds{};
  /// Of a run that measures steps. It has no sizes: what says which operations there are and how
  /// they are timed, from `aggregation` on, has no meaning then, but for checks, warm-up and ranks
  /// of a process.
  std::optional<PatternConfig> pattern{};

  bool operator==(const RunConfig&) const = default;
};

/// How a run stands or ended; "running" in a file means that it was killed or is still going.
enum class RunStatus : std::uint8_t { running, complete, error, timeout, interrupted };

struct RunStatusRow {
  RunStatus status;
  std::string_view name;
};

inline constexpr std::array<RunStatusRow, 5> kRunStatuses = {{
    {RunStatus::running, "running"},
    {RunStatus::complete, "complete"},
    {RunStatus::error, "error"},
    {RunStatus::timeout, "timeout"},
    {RunStatus::interrupted, "interrupted"},
}};
static_assert(in_enum_order(kRunStatuses, &RunStatusRow::status));

constexpr std::string_view name_of(RunStatus status) {
  return kRunStatuses[static_cast<std::size_t>(status)].name;
}

struct RunFacts {
  std::string id;       // random, 128 bits in hexadecimal
  std::string started;  // RFC 3339, UTC
  std::string ended;    // empty while running
  RunStatus status = RunStatus::running;
  std::optional<int> exit_status;  // absent while running
  std::string message;             // of an error, timeout or interruption
  std::string version;
  std::string git_commit;
  std::string compiler;
  std::string flags;
  // The program whose output this was made of, "nccl-tests 2.19.6"; empty for our own. What that
  // output does not tell is empty, absent or "unknown"; times of day and the exit status may be.
  std::string imported_from{};

  bool operator==(const RunFacts&) const = default;
};

/// What a run took of a GPU's memory, the most of any rank for each purpose.
struct GpuMemoryUse {
  Bytes communicators_bytes = 0;  // until they were made
  Bytes buffers_bytes = 0;        // the run's own
  Bytes operations_bytes = 0;     // after that: registration, and what the first ones connected

  Bytes total_bytes() const { return communicators_bytes + buffers_bytes + operations_bytes; }
  bool operator==(const GpuMemoryUse&) const = default;
};

struct Document {
  RunFacts run;
  Environment environment;
  RunConfig config;
  std::vector<Record> rows;
  std::vector<CycleRow> cycles{};            // of a soak, whose rows are those of the first cycle
  std::optional<ScalingReport> scaling{};    // of --scale
  std::optional<GpuMemoryUse> gpu_memory{};  // of -M
  std::vector<StepRecord> steps{};           // of a scheme of parallelism, which has no rows
  bool incomplete = false;                   // set by readers: the run never wrote its end

  bool operator==(const Document&) const = default;
};

}  // namespace collbench
