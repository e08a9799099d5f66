// SPDX-License-Identifier: Apache-2.0
// The spread of a run's times, as a second table below that of the times.
#pragma once

#include <span>
#include <string>

#include "results/record.h"

namespace collbench {

/// How precisely each time is known: half of the 95 % interval of its median within this launch, in
/// percent of the median, and the number of samples. All in comment lines, so that what reads
/// nccl-tests' table passes over it. Empty where nothing was measured.
std::string spread_table(std::span<const Record> rows);

}  // namespace collbench
