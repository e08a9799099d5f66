// SPDX-License-Identifier: Apache-2.0
#include "analysis/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/launches.h"
#include "base/fnv.h"
#include "statistics/statistics.h"

namespace collbench {
namespace {

void keep_median(std::vector<double>& samples, double median) { samples = {median}; }

void trim(Record& row) {
  if (!row.timing) return;
  Timing kept;
  kept.operations_per_sample = row.timing->operations_per_sample;
  kept.warmup_operations = row.timing->warmup_operations;
  kept.walked_bytes = row.timing->walked_bytes;
  kept.median_s = row.timing->median_s;
  kept.interval95_s = row.timing->interval95_s;
  kept.stop_reason = row.timing->stop_reason;
  keep_median(kept.samples_s, kept.median_s);
  row.timing = std::move(kept);
}

void trim(StepRecord& step) {
  for (std::optional<StepSeries>* series :
       {&step.step, &step.computing, &step.skeleton, &step.communication}) {
    if (*series) keep_median((*series)->samples_s, (*series)->median_s);
  }
}

std::vector<std::string> facts_of(const Document& document) {
  std::vector<std::string> facts;
  for (const auto& [name, value] : environment_facts(document).hard) {
    facts.push_back(fmt::format("{}: {}", name, value));
  }
  return facts;
}

std::optional<double> deviation_of_logarithms(const std::vector<double>& times) {
  if (times.size() < 3) return std::nullopt;
  std::vector<double> logarithms;
  for (const double time : times) logarithms.push_back(std::log(time));
  const double mean = statistics::mean(logarithms);
  double squares = 0;
  for (const double value : logarithms) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(times.size() - 1));
}

BaselineRow row_of(const LaunchRow& row) {
  std::vector<double> times;
  for (const LaunchValue& value : row.values) times.push_back(value.time_s);
  BaselineRow summary;
  summary.name = row.name;
  summary.launches = times.size();
  summary.first_s = times.front();
  summary.median_s = statistics::median(times);
  summary.latest_s = statistics::median(std::span(times).subspan(times.size() / 2));
  summary.noise = deviation_of_logarithms(times);
  summary.moved = summary.latest_s / summary.first_s - 1;
  return summary;
}

}  // namespace

Document baseline_launch(Document document) {
  for (Record& row : document.rows) trim(row);
  for (StepRecord& step : document.steps) trim(step);
  return document;
}

std::string fingerprint(const Document& document) {
  std::uint64_t so_far = fnv1a(document.config.program);
  for (const std::string& fact : facts_of(document)) so_far = fnv1a("\n" + fact, so_far);
  return fmt::format("{:016x}", so_far);
}

std::optional<std::string> unfit_reason(const Document& document) {
  if (document.incomplete) return "it is incomplete";
  if (document.run.status != RunStatus::complete) {
    return fmt::format("its run ended as {}", name_of(document.run.status));
  }
  if (document.run.exit_status.value_or(0) != 0) {
    return fmt::format("it ended with status {}", *document.run.exit_status);
  }
  if (document.rows.empty() && document.steps.empty()) return "it has measured nothing";
  const auto is_bad = [](RowStatus status) {
    return status == RowStatus::wrong || status == RowStatus::failed;
  };
  for (const Record& row : document.rows) {
    if (is_bad(row.status)) return fmt::format("a row of it is {}", name_of(row.status));
  }
  for (const StepRecord& step : document.steps) {
    if (is_bad(step.status)) return fmt::format("a step of it is {}", name_of(step.status));
  }
  return std::nullopt;
}

std::vector<Document> by_start(std::vector<Document> launches) {
  std::stable_sort(launches.begin(), launches.end(), [](const Document& a, const Document& b) {
    return a.run.started < b.run.started;
  });
  return launches;
}

std::vector<Document> pruned(std::vector<Document> launches, std::size_t most) {
  std::map<std::string, std::size_t> count;
  std::vector<Document> kept;
  for (auto launch = launches.rbegin(); launch != launches.rend(); ++launch) {
    if (++count[fingerprint(*launch)] <= most) kept.push_back(std::move(*launch));
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

bool has_moved(const BaselineRow& row) {
  constexpr double kLeast = 0.03, kTimesNoise = 3;
  return std::abs(row.moved) > std::max(kLeast, kTimesNoise * row.noise.value_or(0));
}

std::vector<BaselineGroup> summarize_baseline(std::span<const Document> launches) {
  std::vector<BaselineGroup> groups;
  std::vector<LaunchCollector> collectors;
  for (const Document& launch : launches) {
    const std::string own = fingerprint(launch);
    const auto found = std::find_if(groups.begin(), groups.end(), [&](const BaselineGroup& group) {
      return group.fingerprint == own;
    });
    const auto at = static_cast<std::size_t>(found - groups.begin());
    if (found == groups.end()) {
      groups.push_back({own, launch.config.program, facts_of(launch), {}, {}});
      collectors.emplace_back();
    }
    groups[at].launches.push_back(launch.run.started);
    collectors[at].add(launch.run.id, launch);
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (const LaunchRow& row : collectors[i].take().rows) {
      if (!row.values.empty()) groups[i].rows.push_back(row_of(row));
    }
  }
  return groups;
}

}  // namespace collbench
