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
};

class SamplingFlags {
 public:
  /// Declares them under a heading of their own.
  void declare(CommandLine& line);

  /// Throws UserError for what cannot be meant.
  SamplingChoice read() const;

 private:
  Method read_method() const;

  std::optional<std::string> iterations_, samples_, warmup_, aggregation_, mode_;
};

}  // namespace collbench
