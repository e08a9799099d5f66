// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_flags.h"

#include <fmt/format.h>

#include "base/errors.h"
#include "cli/numbers.h"

namespace collbench {

void SweepFlags::declare(CommandLine& line) {
  const Sweep usual;
  const auto or_usual = [](Bytes bytes) {
    return fmt::format("(default {})", format_bytes(bytes));
  };
  line.heading("Sizes (8, 32M, 1.5GiB; all units are powers of 1024)");
  line.value("-b,--minbytes", first_, "first message size " + or_usual(usual.min_bytes));
  line.value("-e,--maxbytes", last_, "last message size " + or_usual(usual.max_bytes));
  line.value("-i,--stepbytes", step_, "step between sizes " + or_usual(usual.step_bytes));
  line.value("-f,--stepfactor", factor_, "factor between sizes, instead of -i");
}

Sweep SweepFlags::read() const {
  Sweep sweep;
  if (first_) sweep.min_bytes = parse_bytes(*first_, "-b");
  if (last_) sweep.max_bytes = parse_bytes(*last_, "-e");
  if (step_) sweep.step_bytes = parse_bytes(*step_, "-i");
  if (factor_) sweep.factor = parse_count(*factor_, "-f", 2);
  if (step_ && factor_) {
    throw UserError("-i and -f: sizes grow by a step or by a factor; give one of them");
  }
  const bool empty = sweep.min_bytes > sweep.max_bytes;
  if (empty && !last_) {
    throw UserError(fmt::format("-b {}: the last size, -e, is {} by default; give -e as well",
                                *first_, format_bytes(sweep.max_bytes)));
  }
  if (empty && !first_) {
    throw UserError(fmt::format("-e {}: the first size, -b, is {} by default; give -b as well",
                                *last_, format_bytes(sweep.min_bytes)));
  }
  validate(sweep);
  return sweep;
}

}  // namespace collbench
