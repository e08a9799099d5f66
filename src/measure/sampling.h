// SPDX-License-Identifier: Apache-2.0
// Sampling: blocks of operations timed on all ranks until the stop rule is met.
#pragma once

#include <functional>
#include <optional>

#include "measure/data_check.h"
#include "measure/groups.h"
#include "measure/method.h"
#include "measure/operation.h"
#include "measure/prepared_calls.h"
#include "measure/progress.h"
#include "measure/stop_rule.h"

namespace collbench {

/// What warms caches and connections up before a row, where -w does not say: both at least.
struct WarmUp {
  std::uint64_t operations = 5;
  double seconds = 20e-3;
};

struct SamplingOptions {
  StopRule stop;
  Method method;
  double block_s = 1e-3;                          // a streaming sample lasts at least this long
  std::optional<std::uint64_t> fixed_operations;  // K of -n
  std::uint64_t usual_operations = 0;             // K without -n; 0: by block_s
  WarmUp warm_up;
  std::optional<std::uint64_t> warmup_operations;  // of -w; absent: as warm_up says
  std::optional<std::uint64_t> timed_iterations;   // of -n; absent: see iterations_to_time
  double clock_step_s = 0;                         // see clock_step_s; the same on every rank
  double deadline_s = 120;                         // without a finished block; 0: none
};

/// Samples of one row, in seconds per operation; its ranks are those of the row's group.
struct Samples {
  std::uint64_t operations_per_sample = 1;
  std::uint64_t warmup_operations = 0;
  Bytes walked_bytes = 0;                        // see PreparedCalls
  std::vector<std::vector<double>> by_sample_s;  // [sample][rank]
  std::vector<double> values_s;                  // of each sample, as the method says
  std::vector<double> enqueue_s;      // of each sample, as values_s, if the method takes it
  std::vector<double> iteration_s;    // of iterations one by one, maximum over ranks; likewise
  std::vector<double> device_s;       // of each sample, by events of a device that stamps them
  std::vector<double> enqueue_share;  // of each sample, what enqueueing took of it; likewise
  std::vector<double> exit_skew_s;    // of the alignment before each sample, if any can be seen
  StopReason stop = StopReason::none;
};

/// What the device's clock can tell apart, seconds: the smallest difference of two readings in a
/// row; 0 when it stands still.
double clock_step_s(Device& device);

/// Warms up, then samples the rows of these groups, all at the same time: ranks of different groups
/// start their blocks together, run as many operations, and go on until no group needs more
/// samples. A rank of no group has an operation without calls. Collective over the run; the
/// returned values, one for each group, are complete on rank 0 and empty elsewhere. `what` names
/// the row for deadlines.
std::vector<Samples> sample(const Workbench& bench, const RanksOfGroups& groups,
                            const Operation& operation, const Setting& setting,
                            const Placement& placement, const SamplingOptions& options,
                            Progress& progress, const std::string& what);

}  // namespace collbench
