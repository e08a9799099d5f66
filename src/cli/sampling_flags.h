// SPDX-License-Identifier: Apache-2.0
// The flags that say how operations are timed, and how often.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/command_line.h"
#include "measure/method.h"

namespace collbench {

struct SamplingChoice {
  Method method;
  std::optional<std::uint64_t> iterations;  // -n
  std::optional<std::uint64_t> warmup;      // -w
  std::optional<std::uint64_t> samples;     // --samples
  std::uint64_t cycles = 1;                 // -N
  std::optional<double> duration_s;         // --duration, instead of -N
};

/// What nccl-tests does where its user says nothing.
struct NcclTestsDefaults {
  std::uint64_t iterations = 20;
  std::uint64_t warmup = 1;
  Aggregation aggregation = Aggregation::mean;
};

class SamplingFlags {
 public:
  /// Declares them under a heading of their own.
  void declare(CommandLine& line);

  /// With `nccl_compat` nccl-tests' defaults stand for what was not given. Throws UserError for
  /// what cannot be meant.
  SamplingChoice read(bool nccl_compat = false) const;

 private:
  Method read_method() const;
  void read_iteration_times(SamplingChoice& choice) const;

  std::optional<std::string> iterations_, samples_, warmup_, aggregation_, mode_, grouped_, offset_,
      enqueue_time_, iteration_times_, skipped_, cycles_, duration_;
};

}  // namespace collbench
