// SPDX-License-Identifier: Apache-2.0
#include "results/row_flags.h"

#include <fmt/format.h>

#include <algorithm>

#include "statistics/series.h"
#include "statistics/straggler.h"

namespace collbench {
namespace {

// Which share of the samples must be affected before a flag is worth a reader's time.
constexpr double kOutlierShare = 0.05;

// A device that keeps up with its host is done at once when all is enqueued.
constexpr double kHostBoundShare = 0.9;

// A rank that is last again and again by a hair costs nobody anything.
bool has_straggler(const Timing& timing) {
  const auto straggler = statistics::find_straggler(timing.rank_last_count);
  if (!straggler || straggler->probability >= 0.01) return false;
  const double its_median_s = timing.rank_median_s.at(straggler->rank);
  return its_median_s > 1.02 * statistics::median(timing.rank_median_s);
}

}  // namespace

std::vector<std::string> flags_of(const Timing& timing) {
  const std::vector<double>& samples = timing.samples_s;
  const auto n = static_cast<double>(samples.size());
  const auto outliers = statistics::find_outliers(samples);
  std::vector<std::string> flags;
  const auto raise = [&](bool holds, const RowFlag& flag) {
    if (holds) flags.emplace_back(flag.name);
  };
  raise(timing.stop_reason == "max_time" || timing.stop_reason == "max_samples",
        row_flags::imprecise);
  raise(statistics::drifts(samples), row_flags::drift);
  raise(statistics::starts_differently(samples), row_flags::start_up);
  raise(static_cast<double>(outliers.mild + outliers.severe) > kOutlierShare * n &&
            samples.size() >= 20,
        row_flags::outliers);
  raise(statistics::depends_on_neighbours(samples), row_flags::dependent);
  raise(has_straggler(timing), row_flags::straggler);
  raise(timing.enqueue_share.value_or(0) >= kHostBoundShare, row_flags::host_bound);
  return flags;
}

namespace {

/// Of those that were measured.
std::vector<FlagUse> uses(const std::vector<const std::vector<std::string>*>& flags,
                          const SamplingConfig& sampling) {
  std::vector<FlagUse> all;
  for (const RowFlag& flag : row_flags::all) {
    const auto count = std::count_if(flags.begin(), flags.end(), [&](const auto* carried) {
      return std::find(carried->begin(), carried->end(), flag.name) != carried->end();
    });
    if (count == 0) continue;
    all.push_back({.flag = flag.name,
                   .count = static_cast<std::uint64_t>(count),
                   .of = flags.size(),
                   .advice = fmt::format(fmt::runtime(flag.advice),
                                         fmt::arg("target_pct", 100 * sampling.target_half_width),
                                         fmt::arg("time_s", sampling.max_time_s))});
  }
  return all;
}

std::vector<std::string> lines(const std::vector<FlagUse>& uses, std::string_view noun) {
  std::vector<std::string> lines;
  for (const FlagUse& use : uses) {
    lines.push_back(
        fmt::format("{} ({} of {} {}): {}", use.flag, use.count, use.of, noun, use.advice));
  }
  return lines;
}

}  // namespace

std::vector<FlagUse> flag_uses(std::span<const Record> rows, const SamplingConfig& sampling) {
  std::vector<const std::vector<std::string>*> flags;
  for (const Record& row : rows) {
    if (row.timing) flags.push_back(&row.flags);
  }
  return uses(flags, sampling);
}

std::vector<FlagUse> flag_uses(std::span<const StepRecord> steps, const SamplingConfig& sampling) {
  std::vector<const std::vector<std::string>*> flags;
  for (const StepRecord& step : steps) {
    if (step.step) flags.push_back(&step.flags);
  }
  return uses(flags, sampling);
}

std::vector<std::string> explain_flags(std::span<const Record> rows,
                                       const SamplingConfig& sampling) {
  return lines(flag_uses(rows, sampling), "rows");
}

std::vector<std::string> explain_flags(std::span<const StepRecord> steps,
                                       const SamplingConfig& sampling) {
  return lines(flag_uses(steps, sampling), "steps");
}

}  // namespace collbench
