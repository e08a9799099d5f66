// SPDX-License-Identifier: Apache-2.0
// The command line of comm_init_perf as a plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "cli/gpu_flags.h"
#include "cli/running_flags.h"

namespace collbench {

inline constexpr std::string_view kCommInitProgram = "comm_init_perf";

struct CommInitOptions : RunningChoice {
  std::uint64_t repetitions = 20;  // -n, beside the first communicator of the process
  Bytes message_bytes = 8;         // -b, of the operations on them
  bool check = true;               // -c
  GpuChoice gpu;
};

/// Either options to run with, or text to print instead of running.
struct CommInitCommand {
  CommInitOptions options;
  std::optional<std::string> print;      // of --help and --version
  std::vector<std::string> arguments{};  // with those of a file that --config names
};

/// Throws UserError, one sentence, for anything that cannot be meant.
CommInitCommand parse_comm_init_command(const std::vector<std::string>& arguments);

/// All flags that --help shows.
std::vector<FlagFacts> comm_init_flags();

}  // namespace collbench
