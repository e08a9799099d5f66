// SPDX-License-Identifier: Apache-2.0
#include "cli/sampling_flags.h"

#include <fmt/format.h>

#include "base/errors.h"
#include "cli/numbers.h"

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

constexpr std::string_view kModeChoices =
    "0 (operations back to back), 1 or 3 (each alone, after an alignment of all ranks) or 2 (each "
    "alone, without alignment)";

Mode mode_of(std::uint64_t choice) {
  if (choice == 0) return Mode::streaming;
  return choice == 2 ? Mode::isolated_unaligned : Mode::isolated;
}

}  // namespace

void SamplingFlags::declare(CommandLine& line) {
  line.heading("Sampling");
  line.value("-n,--iters", iterations_,
             "operations in one sample, without interval (default: samples of 1 ms until the "
             "median is known to 1 %)");
  line.value("--samples", samples_, "take exactly so many samples");
  line.value("-w,--warmup_iters", warmup_,
             "operations before sampling and sizing it (default: at least 5 and 20 ms)");
  line.value("-a,--average", aggregation_,
             fmt::format("time of a sample: {} (default 3)", kAggregationChoices));
  line.value("-z,--blocking", mode_, fmt::format("what is timed: {} (default 0)", kModeChoices));
}

Method SamplingFlags::read_method() const {
  Method method;
  if (aggregation_) {
    method.aggregation =
        static_cast<Aggregation>(parse_choice(*aggregation_, "-a", 3, kAggregationChoices));
  }
  if (mode_) method.mode = mode_of(parse_choice(*mode_, "-z", 3, kModeChoices));
  return method;
}

SamplingChoice SamplingFlags::read() const {
  SamplingChoice choice;
  choice.method = read_method();
  if (iterations_) choice.iterations = parse_count(*iterations_, "-n", 1);
  if (warmup_) choice.warmup = parse_count(*warmup_, "-w", 0);
  if (samples_) choice.samples = parse_count(*samples_, "--samples", 1);
  if (choice.method.mode != Mode::streaming && choice.iterations && choice.samples) {
    throw UserError(
        "-n and --samples: with -z 1, 2 or 3 a sample is one operation, so that both say how many; "
        "give one of them");
  }
  return choice;
}

}  // namespace collbench
