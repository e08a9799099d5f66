// SPDX-License-Identifier: Apache-2.0
#include "cli/sampling_flags.h"

#include <fmt/format.h>

#include "base/errors.h"
#include "cli/numbers.h"
#include "measure/iteration_times.h"
#include "measure/sampling.h"

namespace collbench {
namespace {

/// A flag of nccl-tests that chooses by number: 0 to `most`, of which `choices` says what they are.
std::uint64_t parse_choice(std::string_view text, std::string_view flag, std::uint64_t most,
                           std::string_view choices) {
  if (text.size() == 1 && text[0] >= '0' && text[0] <= static_cast<char>('0' + most)) {
    return static_cast<std::uint64_t>(text[0] - '0');
  }
  throw UserError(fmt::format("{}: '{}' is no choice; give {}", flag, text, choices));
}

constexpr std::string_view kAggregationChoices =
    "0 (rank 0), 1 (mean), 2 (minimum) or 3 (maximum over ranks)";

constexpr std::string_view kOffOrOn = "0 (no) or 1 (yes)";

constexpr std::string_view kModeChoices =
    "0 (operations back to back), 1 or 3 (each alone, after an alignment of all ranks) or 2 (each "
    "alone, without alignment)";

Mode mode_of(std::uint64_t choice) {
  if (choice == 0) return Mode::streaming;
  return choice == 2 ? Mode::isolated_unaligned : Mode::isolated;
}

/// Operations of a run that somebody means: so many of a microsecond take eleven days. Beyond 2^64
/// bookkeeping would overflow.
constexpr std::uint64_t kMostOperations = 1'000'000'000'000;

std::uint64_t parse_cycles(std::string_view text) {
  if (text == "0") {
    throw UserError(
        "-N 0: a run without end would never finish its file; give how often, 1 or more, or how "
        "long, as --duration 2h");
  }
  return parse_count(text, "-N", 1);
}

}  // namespace

void SamplingFlags::declare(CommandLine& line) {
  line.heading("Sampling");
  const SamplingOptions usual;
  line.value("-n,--iters", iterations_,
             fmt::format("operations in one sample, without interval (default: samples of {:g} ms "
                         "until the median is known to {:g} %)",
                         1e3 * usual.block_s, 100 * usual.stop.target_half_width));
  line.value("--samples", samples_, "take exactly so many samples");
  line.value(
      "-w,--warmup_iters", warmup_,
      fmt::format("operations before sampling and sizing it (default: at least {} and {:g} ms)",
                  usual.warm_up.operations, 1e3 * usual.warm_up.seconds));
  line.value("-a,--average", aggregation_,
             fmt::format("time of a sample: {} (default {})", kAggregationChoices,
                         static_cast<int>(usual.method.aggregation)));
  line.value("-m,--agg_iters", grouped_, "operations that start as one fused group (default 1)");
  line.value("-u,--unalign", offset_, "elements by which both buffers begin off alignment");
  line.value("-C,--report_cputime", enqueue_time_,
             "1: show the host's time for enqueueing; bandwidths stay those of the whole time");
  line.value("-I,--per_iter_timing", iteration_times_,
             "1: also time single iterations, apart from the samples");
  line.value("-K,--per_iter_skip", skipped_, "of these, leave the first out of the summary");
  line.value("-N,--run_cycles", cycles_, "repeat the whole sweep so often (default 1)");
  line.value("--duration", duration_,
             "soak: repeat the sweep for so long, 90s, 30m or 2h, once at least");
  line.value("-z,--blocking", mode_, fmt::format("what is timed: {} (default 0)", kModeChoices));
}

Method SamplingFlags::read_method() const {
  Method method;
  if (aggregation_) {
    method.aggregation =
        static_cast<Aggregation>(parse_choice(*aggregation_, "-a", 3, kAggregationChoices));
  }
  if (mode_) method.mode = mode_of(parse_choice(*mode_, "-z", 3, kModeChoices));
  if (grouped_) method.grouped_operations = parse_count(*grouped_, "-m", 1);
  if (offset_) method.offset_elements = parse_count(*offset_, "-u", 0);
  if (enqueue_time_) method.enqueue_time = parse_choice(*enqueue_time_, "-C", 1, kOffOrOn) == 1;
  return method;
}

void SamplingFlags::read_iteration_times(SamplingChoice& choice) const {
  if (iteration_times_) {
    choice.method.iteration_times = parse_choice(*iteration_times_, "-I", 1, kOffOrOn) == 1;
  }
  if (!skipped_) return;
  choice.method.skipped_iterations = parse_count(*skipped_, "-K", 0);
  if (!choice.method.iteration_times && choice.method.skipped_iterations > 0) {
    throw UserError("-K: it leaves out single iterations, which are timed with -I 1 only");
  }
  const std::uint64_t timed = choice.iterations.value_or(kLeastTimedIterations);
  if (choice.method.skipped_iterations < timed) return;
  throw UserError(fmt::format(
      "-K {}: it leaves nothing of {} {} iterations; give less than {}, or more iterations with -n",
      choice.method.skipped_iterations, choice.iterations ? "the" : "at least", timed, timed));
}

SamplingChoice SamplingFlags::read(bool nccl_compat) const {
  SamplingChoice choice;
  choice.method = read_method();
  if (nccl_compat) {
    const NcclTestsDefaults theirs;
    choice.iterations = theirs.iterations;
    choice.warmup = theirs.warmup;
    if (!aggregation_) choice.method.aggregation = theirs.aggregation;
  }
  if (iterations_) choice.iterations = parse_count(*iterations_, "-n", 1, kMostOperations);
  if (warmup_) choice.warmup = parse_count(*warmup_, "-w", 0, kMostOperations);
  if (samples_) choice.samples = parse_count(*samples_, "--samples", 1, kMostOperations);
  if (cycles_) choice.cycles = parse_cycles(*cycles_);
  if (duration_) choice.duration_s = parse_duration(*duration_, "--duration");
  if (cycles_ && duration_) {
    throw UserError("-N and --duration: both say when to stop repeating; give one of them");
  }
  read_iteration_times(choice);
  if (choice.method.mode != Mode::streaming && choice.iterations && choice.samples) {
    throw UserError(
        "-n and --samples: with -z 1, 2 or 3 a sample is one operation, so that both say how many; "
        "give one of them");
  }
  return choice;
}

}  // namespace collbench
