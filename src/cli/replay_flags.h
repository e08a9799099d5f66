// SPDX-License-Identifier: Apache-2.0
// The flags that say how a pattern is measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "cli/command_line.h"
#include "model/layout.h"
#include "replay/computation.h"

namespace collbench {

/// Degrees of one axis of the layout, each measured on as many ranks as it takes.
struct Scale {
  std::string axis = "dp";
  int model::Layout::*degree = &model::Layout::dp;
  std::vector<int> degrees;  // ascending; empty: the layout as it is
};

struct ReplayChoice {
  replay::Compute compute = replay::Compute::gemm;
  Scale scale;
  std::optional<int> layers;           // --layers: as if the model had no more
  std::optional<Count> shrink;         // --shrink: of messages and of computing, this part
  std::optional<std::uint64_t> steps;  // --steps: exactly so many samples
  std::uint64_t warmup = 2;
  bool check = true;
  bool step_only = false;  // --step-only: nothing but the whole step, for a profiler
};

class ReplayFlags {
 public:
  /// Declares them under a heading of their own.
  void declare(CommandLine& line);

  /// Throws UserError for what cannot be meant.
  ReplayChoice read() const;

 private:
  std::optional<std::string> compute_, scale_, layers_, shrink_, steps_, warmup_, check_;
  bool step_only_ = false;
};

}  // namespace collbench
