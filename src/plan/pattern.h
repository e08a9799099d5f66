// SPDX-License-Identifier: Apache-2.0
// Pattern: what a binary of parallel_patterns/ is about.
#pragma once

#include <string_view>

#include "model/layout.h"
#include "plan/training_step.h"

namespace collbench::plan {

/// Its plan is that of a whole training step; the axis is what the binary is named after.
struct Pattern {
  std::string_view name;  // "data_parallel"; the binary is NAME_perf
  std::string_view summary;
  model::Axis axis;       // of it there must be several ranks
  std::string_view flag;  // that says how many
  Scheme scheme = {};     // unless flags choose another; its kind of data parallelism stays
  bool mixes = false;     // it is about what several axes cost each other: two must have ranks
};

}  // namespace collbench::plan
