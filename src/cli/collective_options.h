// SPDX-License-Identifier: Apache-2.0
// The command line of the collective benchmarks as a plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_type.h"
#include "base/reduce_op.h"
#include "cli/gpu_flags.h"
#include "cli/interfere_flag.h"
#include "cli/output_flags.h"
#include "cli/running_flags.h"
#include "cli/sampling_flags.h"
#include "measure/groups.h"
#include "measure/sweep.h"
#include "results/verdicts.h"
#include "traffic/matrix_spec.h"
#include "traffic/traffic.h"

namespace collbench {

struct CollectiveOptions : RunningChoice {
  Sweep sweep;
  std::vector<DataType> types = {DataType::float32};
  std::vector<ReduceOp> ops = {ReduceOp::sum};  // of a collective that reduces
  std::optional<int> root = 0;                  // of a rooted collective; absent: each rank in turn
  SamplingChoice sampling;
  std::uint64_t check_iterations = 1;  // -c
  traffic::MatrixSpec matrix;          // of a collective by matrix
  std::uint64_t matrix_seed = 1;
  bool sized_by_file = false;  // one size instead of the sweep: what the matrix's file says
  std::vector<SizeThreshold> min_bus_bandwidth;  // --min-busbw
  TableChoice table;
  GpuChoice gpu;
  bool check_on_host = false;        // -c host
  std::optional<GroupRule> split;    // --split and what stands in for it; absent: one group
  std::optional<int> nics_per_node;  // --nics
  std::optional<InterferingChoice> interfere;  // --interfere; absent: nothing runs beside rows
  bool dry_run = false;
};

/// Either options to run with, or text to print instead of running.
struct CollectiveCommand {
  CollectiveOptions options;
  std::optional<std::string> print;      // of --help, --version and --list
  std::vector<std::string> arguments{};  // with those of a file that --config names
};

/// `read` knows the variables that may stand in for flags, see group_rule. Throws UserError, one
/// sentence, for anything that cannot be meant.
CollectiveCommand parse_collective_command(
    const std::vector<std::string>& arguments, const traffic::Traffic& traffic,
    const ReadEnvironment& read = [](const char*) -> const char* { return nullptr; });

/// The flags of every collective benchmark.
std::vector<FlagFacts> collective_flags();

}  // namespace collbench
