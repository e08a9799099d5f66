// SPDX-License-Identifier: Apache-2.0
#include "cli/comm_init_options.h"

#include <fmt/format.h>

#include "base/errors.h"
#include "base/version.h"
#include "cli/command_line.h"
#include "cli/numbers.h"

namespace collbench {
namespace {

// A repetition that takes a second each makes a run of a day.
constexpr std::uint64_t kMostRepetitions = 100'000;

struct Typed {
  std::optional<std::string> repetitions, message_bytes, check;
  bool version = false;
  RunningFlags running;
  GpuFlags gpu;
};

void add_flags(CommandLine& line, Typed& typed) {
  const CommInitOptions usual;
  line.heading("What is measured");
  line.value("-n,--iters", typed.repetitions,
             fmt::format("communicators after the first one of the process (default {})",
                         usual.repetitions));
  line.value("-b,--minbytes", typed.message_bytes,
             fmt::format("size of the operations on each, 8, 32M, 1.5GiB (default {})",
                         format_bytes(usual.message_bytes)));
  line.value("-c,--check", typed.check, "0: without the check of their data (default 1)");
  line.heading("Running");
  typed.running.declare(line);
  line.config_file();
  line.heading("Output");
  typed.running.declare_file(line);
  line.heading(CommandLine::kInformation);
  line.flag("--version", typed.version, "the version and how it was built");
  typed.gpu.declare_ranks(line);
}

CommInitOptions options_of(const Typed& typed) {
  CommInitOptions options;
  static_cast<RunningChoice&>(options) = typed.running.read();
  if (typed.repetitions) {
    options.repetitions = parse_count(*typed.repetitions, "-n", 1, kMostRepetitions);
  }
  if (typed.message_bytes) options.message_bytes = parse_bytes(*typed.message_bytes, "-b");
  if (typed.check) options.check = parse_switch(*typed.check, "-c");
  options.gpu = typed.gpu.read();
  if (options.backend == BackendChoice::mpi && !options.gpu.only_on_gpus.empty()) {
    throw UserError(options.gpu.only_on_gpus);
  }
  return options;
}

}  // namespace

CommInitCommand parse_comm_init_command(const std::vector<std::string>& arguments) {
  CommandLine line(
      std::string(kCommInitProgram),
      fmt::format("{}: what it takes to make communicators, split, shrink and destroy them, and to "
                  "do the first operation on one.\nStart with mpirun -np N; docs/communicators.md "
                  "explains.",
                  kCommInitProgram));
  Typed typed;
  add_flags(line, typed);
  if (auto help = line.parse(arguments)) return {{}, std::move(help)};
  if (typed.version) return {{}, version_text()};
  try {
    CommInitOptions options = options_of(typed);
    std::string& refusal = options.gpu.only_on_gpus;
    if (!refusal.empty()) refusal = line.place_of(refusal) + refusal;
    return {std::move(options), std::nullopt, line.arguments()};
  } catch (const UserError& error) {
    throw UserError(line.place_of(error.what()) + error.what());
  }
}

std::vector<FlagFacts> comm_init_flags() {
  CommandLine line("", "");
  Typed typed;
  add_flags(line, typed);
  return line.flags();
}

}  // namespace collbench
