// SPDX-License-Identifier: Apache-2.0
// The command line of memcpy_perf as a plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/gpu_flags.h"
#include "cli/running_flags.h"
#include "measure/sweep.h"

namespace collbench {

inline constexpr std::string_view kMemcpyProgram = "memcpy_perf";

struct MemcpyOptions : RunningChoice {
  Sweep sweep;
  std::optional<std::uint64_t> iterations;  // -n: copies of a sample, which is then the only one
  std::optional<std::uint64_t> samples;     // --samples
  std::optional<std::uint64_t> warmup;      // -w: copies before sampling, at least
  bool check = true;                        // -c
  GpuChoice gpu;
};

/// Either options to run with, or text to print instead of running.
struct MemcpyCommand {
  MemcpyOptions options;
  std::optional<std::string> print;      // of --help and --version
  std::vector<std::string> arguments{};  // with those of a file that --config names
};

/// Throws UserError, one sentence, for anything that cannot be meant.
MemcpyCommand parse_memcpy_command(const std::vector<std::string>& arguments);

/// All flags that --help shows.
std::vector<FlagFacts> memcpy_flags();

}  // namespace collbench
