// SPDX-License-Identifier: Apache-2.0
// From samples to a Record: the one place that turns times into bandwidths.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/data_check.h"
#include "measure/operation.h"
#include "measure/sampling.h"
#include "measure/sweep.h"
#include "results/record.h"

namespace collbench {

/// What all rows of a group share.
struct RowContext {
  const Operation& operation;
  std::string backend;
  int nodes = 1;                   // of the group
  std::vector<std::string> flags;  // that every row of this run carries
  std::string matrix = "";         // of a collective by matrix
  Method method{};
  std::optional<GroupKey> group = std::nullopt;  // of a run whose ranks are split
  int ranks_per_process = 1;
  /// What a NIC carries of each byte of a message, at least; absent where that is not known.
  std::optional<double> nic_factor = std::nullopt;
};

/// The row before its measurement.
Record blank_record(const RowContext& context, const Setting& setting, const SweepSize& size,
                    bool in_place);

/// Fills in times, and flags that follow from them. Requires samples, which rank 0 has.
void add_times(Record& record, const Method& method, const Samples& samples);

/// The same, and bandwidths.
void add_samples(Record& record, const RowContext& context, const Samples& samples);

/// Times, and the rate of a copy, which crosses no bus of a collective's.
void add_copy_samples(Record& record, const Samples& samples);

/// Fills in the worst of what the devices of the row's ranks did right after it. Requires states.
void add_worst_state(Record& record, std::span<const DeviceState> of_ranks);

/// Fills in the outcome of all checks of the row.
void add_check(Record& record, const CheckOutcome& outcome);

}  // namespace collbench
