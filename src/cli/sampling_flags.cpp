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
}

Method SamplingFlags::read_method() const {
  Method method;
  if (aggregation_) {
    method.aggregation =
        static_cast<Aggregation>(parse_choice(*aggregation_, "-a", 3, kAggregationChoices));
  }
  return method;
}

SamplingChoice SamplingFlags::read() const {
  SamplingChoice choice;
  choice.method = read_method();
  if (iterations_) choice.iterations = parse_count(*iterations_, "-n", 1);
  if (warmup_) choice.warmup = parse_count(*warmup_, "-w", 0);
  if (samples_) choice.samples = parse_count(*samples_, "--samples", 1);
  return choice;
}

}  // namespace collbench
