// SPDX-License-Identifier: Apache-2.0
// The flags that say how a pattern is measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "cli/command_line.h"
#include "model/degrees.h"
#include "replay/computation.h"

namespace collbench {

/// Degrees of one axis of the layout, each measured on as many ranks as it takes.
struct Scale {
  const model::Degree* axis = model::kDegrees.data();  // dp
  std::vector<int> degrees;                            // ascending; empty: the layout as it is

  bool is_asked_for() const { return !degrees.empty(); }
};

struct ReplayChoice {
  replay::Compute compute = replay::Compute::gemm;
  Scale scale;
  std::optional<int> layers;           // --layers: as if the model had no more
  std::optional<Count> shrink;         // --shrink: of messages and of computing, this part
  std::optional<std::uint64_t> steps;  // --steps: exactly so many samples
  std::uint64_t warmup = 2;
  bool check = true;
  bool step_only = false;     // --step-only: nothing but the whole step, for a profiler
  bool interference = false;  // also what axes cost each other
};

class ReplayFlags {
 public:
  /// `interference`: whether what axes cost each other is measured unless flags say.
  explicit ReplayFlags(bool interference) : interferes_(interference) {}

  /// Declares them under a heading of their own.
  void declare(CommandLine& line);

  /// Throws UserError for what cannot be meant.
  ReplayChoice read() const;

 private:
  std::optional<std::string> compute_, scale_, layers_, shrink_, steps_, warmup_, check_,
      interference_;
  bool step_only_ = false;
  bool interferes_;
};

}  // namespace collbench
