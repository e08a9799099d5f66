// SPDX-License-Identifier: Apache-2.0
// Document: everything one run leaves behind, as a plain value. docs/results.md describes the file.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/errors.h"
#include "results/record.h"

namespace collbench {

/// A host of the run.
struct HostFacts {
  std::string name;
  std::string cpu_model;
  int cores = 0;  // that the ranks may use
  Bytes memory_bytes = 0;
  std::string kernel;
  std::string topology_digest;  // equal for hosts of equal topology
};

/// Where a rank ran.
struct RankFacts {
  int rank = 0;
  int host = 0;  // index into Environment::hosts
  int pid = 0;
  int device = 0;
  std::string device_bus_id;
  std::string device_model;
};

struct Environment {
  std::vector<HostFacts> hosts;
  std::vector<RankFacts> ranks;
  std::map<std::string, std::string> libraries;  // "mpi": "MPICH 4.0.2"
  std::map<std::string, std::string> variables;  // by allow-list, secrets redacted
};

/// What was asked for, after defaults.
struct RunConfig {
  std::string program;  // "all_reduce_perf"
  std::vector<std::string> arguments;
  std::string backend;
  std::string wait_policy;
  std::string aggregation;  // "max": how a sample is reduced over ranks
  std::string mode;
  Bytes min_bytes = 0, max_bytes = 0;
  std::optional<Bytes> step_bytes;   // additive sweep
  std::optional<Bytes> step_factor;  // multiplicative sweep
  std::uint64_t check_iterations = 1;
  std::optional<std::uint64_t> fixed_iterations;  // -n
};

/// How a run stands or ended; "running" in a file means that it was killed or is still going.
enum class RunStatus : std::uint8_t { running, complete, error, timeout, interrupted };
std::string_view name_of(RunStatus status);

struct RunFacts {
  std::string id;  // random, 128 bits in hexadecimal
  std::string started;  // RFC 3339, UTC
  std::string ended;    // empty while running
  RunStatus status = RunStatus::running;
  std::optional<int> exit_status;  // absent while running
  std::string message;             // of an error, timeout or interruption
  std::string version;
  std::string git_commit;
  std::string compiler;
  std::string flags;
};

struct Document {
  RunFacts run;
  Environment environment;
  RunConfig config;
  std::vector<Record> rows;
  bool incomplete = false;  // set by readers: the run never wrote its end
};

}  // namespace collbench
