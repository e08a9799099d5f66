// SPDX-License-Identifier: Apache-2.0
#include "results/verdicts.h"

#include <algorithm>

#include "results/cycle_summary.h"

namespace collbench {
namespace {

Verdict verdict(double required_Bps, std::optional<double> found_Bps) {
  Verdict verdict;
  verdict.required_Bps = required_Bps;
  verdict.found_Bps = found_Bps;
  if (found_Bps) {
    verdict.judgement = *found_Bps < required_Bps ? Judgement::not_met : Judgement::met;
  }
  return verdict;
}

std::optional<double> slowest(Bytes requested_bytes, std::span<const Record> rows,
                              std::span<const std::vector<double>> bus_Bps) {
  std::optional<double> slowest_Bps;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].requested_bytes != requested_bytes || bus_Bps[i].empty()) continue;
    for (const double Bps : stretch_medians(bus_Bps[i])) {
      slowest_Bps = std::min(slowest_Bps.value_or(Bps), Bps);
    }
  }
  return slowest_Bps;
}

bool is_worse(const Verdict& verdict, const Verdict& than) {
  constexpr std::array kBestFirst = {Judgement::met, Judgement::inconclusive, Judgement::not_met};
  const auto rank = [&](const Verdict& v) {
    return std::find(kBestFirst.begin(), kBestFirst.end(), v.judgement);
  };
  if (verdict.judgement != than.judgement) return rank(verdict) > rank(than);
  return verdict.found_Bps && *verdict.found_Bps < *than.found_Bps;
}

std::optional<Verdict> worst_average(const Thresholds& thresholds, std::span<const Record> rows,
                                     std::span<const CycleRow> cycles) {
  const std::vector<GroupSummary> groups = summarize_groups(rows, cycles);
  if (groups.empty()) return judge_average(thresholds, summarize(rows, cycles));
  std::optional<Verdict> worst;
  for (const GroupSummary& group : groups) {
    const std::optional<Verdict> verdict = judge_average(thresholds, group.summary);
    if (!verdict) return std::nullopt;
    if (!worst || is_worse(*verdict, *worst)) worst = verdict;
  }
  return worst;
}

}  // namespace

std::optional<Verdict> judge_average(const Thresholds& thresholds, const Summary& summary) {
  if (!thresholds.mean_bus_bandwidth_Bps) return std::nullopt;
  constexpr double kShare = (100 - kToleratedPercent) / 100.0;
  return verdict(kShare * *thresholds.mean_bus_bandwidth_Bps, summary.mean_bus_bandwidth_Bps);
}

std::vector<Verdict> judge(const Thresholds& thresholds, std::span<const Record> rows,
                           std::span<const CycleRow> cycles) {
  std::vector<Verdict> verdicts;
  if (const auto average = worst_average(thresholds, rows, cycles)) verdicts.push_back(*average);
  const auto bus_Bps = bus_bandwidths_Bps(rows, cycles);
  for (const SizeThreshold& threshold : thresholds.by_size) {
    verdicts.push_back(
        verdict(threshold.bus_bandwidth_Bps, slowest(threshold.requested_bytes, rows, bus_Bps)));
    verdicts.back().requested_bytes = threshold.requested_bytes;
  }
  return verdicts;
}

ExitStatus status_of(std::span<const Verdict> verdicts) {
  const auto any = [&](Judgement judgement) {
    return std::any_of(verdicts.begin(), verdicts.end(),
                       [&](const Verdict& verdict) { return verdict.judgement == judgement; });
  };
  if (any(Judgement::not_met)) return ExitStatus::verdict_failed;
  return any(Judgement::inconclusive) ? ExitStatus::inconclusive : ExitStatus::ok;
}

}  // namespace collbench
