// SPDX-License-Identifier: Apache-2.0
#include "cli/replay_flags.h"

#include <fmt/format.h>

#include <string_view>

#include "base/errors.h"
#include "base/named_rows.h"
#include "cli/numbers.h"

namespace collbench {
namespace {

constexpr std::uint64_t kMostSteps = 1'000'000;

/// "1,2,4" of dp, or "tp:1,2,4".
Scale parse_scale(std::string_view text) {
  constexpr std::string_view kFlag = "--scale";
  Scale scale;
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    scale.axis = &find_named(model::kDegrees, text.substr(0, colon), kFlag, "axis to scale");
    text.remove_prefix(colon + 1);
  }
  while (true) {
    const std::size_t length = std::min(text.find(','), text.size());
    const auto degree =
        static_cast<int>(parse_count(text.substr(0, length), kFlag, 1, model::kMostRanks));
    if (!scale.degrees.empty() && degree <= scale.degrees.back()) {
      throw UserError(fmt::format(
          "{}: {} comes after {}; give degrees in ascending order, the first is what the others "
          "are compared with",
          kFlag, degree, scale.degrees.back()));
    }
    scale.degrees.push_back(degree);
    if (length == text.size()) return scale;
    text.remove_prefix(length + 1);
  }
}

}  // namespace

void ReplayFlags::declare(CommandLine& line) {
  const ReplayChoice usual;
  std::string computes;
  for (const replay::ComputeRow& row : replay::kComputes) {
    computes += fmt::format("{}{} ({})", computes.empty() ? "" : ", ", row.name, row.what);
  }
  line.heading("Measuring");
  line.value("--compute", compute_, computes + fmt::format(" ({})", name_of(usual.compute)));
  line.value("--scale", scale_,
             "1,2,4: scaling efficiency over these degrees of dp, or of another axis as tp:1,2,4");
  line.value("--layers", layers_, "only so many layers of the model; never compared with all");
  line.value("--shrink", shrink_,
             "messages and computing divided by this number; never compared with whole ones");
  line.value("--steps", steps_, "time exactly so many steps (until the median is known to 1 %)");
  line.value("-w,--warmup_iters", warmup_,
             fmt::format("steps before the first that counts (default {})", usual.warmup));
  line.flag("--step-only", step_only_,
            "run the whole step and nothing that is to explain it: for profilers and traces");
  line.value("--interference", interference_,
             fmt::format("1: also measure how much longer each axis of the layout communicates "
                         "while others do, 0: do not ({:d})",
                         interferes_));
  line.value("-c,--check", check_, "1: also run a step on known data and check it, 0: do not (1)");
}

ReplayChoice ReplayFlags::read() const {
  ReplayChoice choice;
  if (compute_) {
    choice.compute =
        find_named(replay::kComputes, *compute_, "--compute", "way to compute").compute;
  }
  if (scale_) choice.scale = parse_scale(*scale_);
  if (layers_) choice.layers = static_cast<int>(parse_count(*layers_, "--layers", 1, 1 << 20));
  if (shrink_) choice.shrink = parse_count(*shrink_, "--shrink", 2, Count{1} << 40);
  if (steps_) choice.steps = parse_count(*steps_, "--steps", 1, kMostSteps);
  if (warmup_) choice.warmup = parse_count(*warmup_, "-w", 0, kMostSteps);
  if (check_) choice.check = parse_switch(*check_, "-c");
  choice.step_only = step_only_;
  choice.interference = interferes_ && !step_only_;
  if (interference_) choice.interference = parse_switch(*interference_, "--interference");
  if (choice.interference && step_only_) {
    throw UserError("--interference measures more than the step; leave out --step-only");
  }
  return choice;
}

}  // namespace collbench
