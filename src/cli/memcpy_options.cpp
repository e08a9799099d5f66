// SPDX-License-Identifier: Apache-2.0
#include "cli/memcpy_options.h"

#include <fmt/format.h>

#include "base/errors.h"
#include "base/version.h"
#include "cli/command_line.h"
#include "cli/numbers.h"
#include "cli/sweep_flags.h"
#include "measure/sampling.h"

namespace collbench {
namespace {

// More copies, or samples, of a microsecond each make a run of days.
constexpr std::uint64_t kMost = 1'000'000'000;

struct Typed {
  SweepFlags sweep;
  std::optional<std::string> iterations, samples, warmup, check;
  bool version = false;
  RunningFlags running;
  GpuFlags gpu;
};

void add_flags(CommandLine& line, Typed& typed) {
  typed.sweep.declare(line);
  line.heading("Sampling");
  line.value("-n,--iters", typed.iterations,
             "copies in one sample, without interval (default: samples of 1 ms until the median is "
             "known to 1 %)");
  line.value("--samples", typed.samples, "take exactly so many samples");
  const WarmUp usual;
  line.value("-w,--warmup_iters", typed.warmup,
             fmt::format("copies before sampling, at least (default {}, and {:g} ms)",
                         usual.operations, 1e3 * usual.seconds));
  line.value("-c,--check", typed.check, "0: without the check of the data (default 1)");
  line.heading("Running");
  typed.running.declare(line);
  line.config_file();
  line.heading("Output");
  typed.running.declare_file(line);
  line.heading(CommandLine::kInformation);
  line.flag("--version", typed.version, "the version and how it was built");
  typed.gpu.declare_ranks(line);
}

MemcpyOptions options_of(const Typed& typed) {
  MemcpyOptions options;
  static_cast<RunningChoice&>(options) = typed.running.read();
  options.sweep = typed.sweep.read();
  if (typed.iterations) options.iterations = parse_count(*typed.iterations, "-n", 1, kMost);
  if (typed.samples) options.samples = parse_count(*typed.samples, "--samples", 1, kMost);
  if (typed.warmup) options.warmup = parse_count(*typed.warmup, "-w", 0, kMost);
  if (typed.check) options.check = parse_switch(*typed.check, "-c");
  options.gpu = typed.gpu.read();
  if (options.backend == BackendChoice::mpi && !options.gpu.only_on_gpus.empty()) {
    throw UserError(options.gpu.only_on_gpus);
  }
  return options;
}

}  // namespace

MemcpyCommand parse_memcpy_command(const std::vector<std::string>& arguments) {
  CommandLine line(
      std::string(kMemcpyProgram),
      fmt::format("{}: copies of a rank by itself, one rank after the other and all at the same "
                  "time:\nof host memory; on GPUs within the device, from the host and to it, and "
                  "to the other\nGPUs of the host. Start with mpirun -np N; docs/local-copies.md "
                  "explains.",
                  kMemcpyProgram));
  Typed typed;
  add_flags(line, typed);
  if (auto help = line.parse(arguments)) return {{}, std::move(help)};
  if (typed.version) return {{}, version_text()};
  try {
    MemcpyOptions options = options_of(typed);
    std::string& refusal = options.gpu.only_on_gpus;
    if (!refusal.empty()) refusal = line.place_of(refusal) + refusal;
    return {std::move(options), std::nullopt, line.arguments()};
  } catch (const UserError& error) {
    throw UserError(line.place_of(error.what()) + error.what());
  }
}

std::vector<FlagFacts> memcpy_flags() {
  CommandLine line("", "");
  Typed typed;
  add_flags(line, typed);
  return line.flags();
}

}  // namespace collbench
