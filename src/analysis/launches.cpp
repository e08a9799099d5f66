// SPDX-License-Identifier: Apache-2.0
#include "analysis/launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/errors.h"
#include "base/fnv.h"
#include "results/json.h"
#include "statistics/statistics.h"

namespace collbench {
namespace {

/// Whether its logarithm is a number.
bool is_time(double time_s) { return time_s > 0 && std::isfinite(time_s); }

/// A time above zero, or nothing; a gap says why.
template <class Timed>
std::optional<double> time_of(const std::optional<Timed>& timing) {
  return timing && is_time(timing->median_s) ? std::optional(timing->median_s) : std::nullopt;
}

constexpr std::string_view kNoTime = "it has no finite time above zero";

/// Its name; of a document without one a digest, since it may be read twice under two names.
std::string run_of(const Document& document) {
  if (!document.run.id.empty()) return document.run.id;
  return fmt::format("content {:016x}", fnv1a(to_json(document)));
}

LaunchFacts facts_of(const std::string& file, const Document& document) {
  const RunFacts& run = document.run;
  return {.file = file,
          .run_id = run_of(document),
          .started = run.started,
          .version = run.version,
          .git_commit = run.git_commit,
          .status = run.status,
          .incomplete = document.incomplete,
          .program = document.config.program,
          .exit_status = run.exit_status};
}

}  // namespace

bool is_whole(const LaunchFacts& launch) {
  const auto ended_with = [&](ExitStatus status) {
    return launch.exit_status == static_cast<int>(status);
  };
  const bool well = !launch.exit_status || ended_with(ExitStatus::ok) ||
                    ended_with(ExitStatus::verdict_failed) || ended_with(ExitStatus::inconclusive);
  return !launch.incomplete && launch.status == RunStatus::complete && well;
}

/// What one launch says of its rows, each measured once or in several cycles.
class LaunchCollector::Launch {
 public:
  explicit Launch(LaunchCollector& collector) : collector_(collector) {}

  template <class Timed>
  void add(const MeasurementKey& key, RowStatus status, const std::string& reason,
           const std::optional<Timed>& timing, const std::vector<std::string>& flags) {
    const std::optional<std::size_t> place = collector_.place_of(key);
    places_.push_back(place);
    if (!place) return;
    for (const std::string& flag : flags) ++collector_.launches_.flags[flag];
    Found& found = found_at(*place);
    const std::optional<double> time_s = time_of(timing);
    if (status != RowStatus::ok) {
      add_gap(found, status, reason);
    } else if (time_s) {
      found.times_s.push_back(*time_s);
      found.interval95_s = timing->interval95_s;
    } else {
      add_gap(found, RowStatus::failed, std::string(kNoTime));
    }
  }

  /// Of the row that was added last.
  void add_bus_bytes(double bytes) {
    if (places_.back()) collector_.launches_.rows[*places_.back()].bus_bytes = bytes;
  }

  /// Of a soak, whose first cycle is in the rows, which were added before.
  void add(const CycleRow& cycle) {
    if (cycle.cycle == 1 || cycle.row >= places_.size() || !places_[cycle.row]) return;
    Found& found = found_at(*places_[cycle.row]);
    if (cycle.status != RowStatus::ok) {
      add_gap(found, cycle.status, cycle.reason);
    } else if (cycle.median_s && is_time(*cycle.median_s)) {
      found.times_s.push_back(*cycle.median_s);
    }
  }

  void finish(std::uint32_t launch) {
    for (std::size_t place = 0; place < found_.size(); ++place) {
      append(collector_.launches_.rows[place], launch, found_[place]);
    }
  }

 private:
  struct Found {
    std::vector<double> times_s;
    std::optional<statistics::Interval> interval95_s;  // of the last one
    std::optional<LaunchGap> gap;                      // the first of the worst kind
  };

  Found& found_at(std::size_t place) {
    if (found_.size() <= place) found_.resize(place + 1);
    return found_[place];
  }

  /// A size that rounds to another one is skipped under the key of that one, which is measured.
  static void add_gap(Found& found, RowStatus status, const std::string& reason) {
    const bool is_first = !found.gap || found.gap->status == RowStatus::skipped;
    if (is_first) found.gap = LaunchGap{0, status, reason};
  }

  static void append(LaunchRow& row, std::uint32_t launch, const Found& found) {
    const bool measured = !found.times_s.empty();
    if (found.gap && !(measured && found.gap->status == RowStatus::skipped)) {
      row.gaps.push_back({launch, found.gap->status, found.gap->reason});
    } else if (measured) {
      const bool once = found.times_s.size() == 1;
      row.values.push_back(
          {launch, statistics::median(found.times_s), once ? found.interval95_s : std::nullopt});
    }
  }

  LaunchCollector& collector_;
  std::vector<std::optional<std::size_t>> places_;  // of the document's rows; none: filtered out
  std::vector<Found> found_;                        // by place in the rows of all launches
};

LaunchCollector::LaunchCollector(const std::vector<std::string>& filters) {
  for (const std::string& filter : filters) filters_.push_back({filter});
}

bool LaunchCollector::wanted(const std::string& name) {
  bool any = filters_.empty();
  for (Filter& filter : filters_) {
    if (name.find(filter.text) == std::string::npos) continue;
    any = filter.matches = true;
  }
  if (!any) unwanted_ = name;
  return any;
}

std::optional<std::size_t> LaunchCollector::place_of(const MeasurementKey& key) {
  std::string name = name_of(key);
  if (!wanted(name)) return std::nullopt;
  const auto [place, is_new] = index_.try_emplace(name, launches_.rows.size());
  if (is_new) launches_.rows.push_back({key, std::move(name), {}, {}, {}});
  return place->second;
}

void LaunchCollector::require_new_run(const LaunchFacts& launch) {
  const auto [known, is_new] = file_of_run_.try_emplace(launch.run_id, launch.file);
  if (is_new) return;
  throw UserError(
      fmt::format("{} and {} hold the same run; give each launch once: repeated, it would look "
                  "like launches that agree",
                  known->second, launch.file));
}

void LaunchCollector::add(const std::string& file, const Document& document) {
  LaunchFacts facts = facts_of(file, document);
  require_new_run(facts);
  const auto launch = static_cast<std::uint32_t>(launches_.launches.size());
  launches_.launches.push_back(std::move(facts));
  launches_.environments.push_back(environment_facts(document));

  Launch found(*this);
  for (const Record& row : document.rows) {
    found.add(row.key, row.status, row.reason, row.timing, row.flags);
    if (row.bus_bandwidth_Bps && row.timing)
      found.add_bus_bytes(*row.bus_bandwidth_Bps * row.timing->median_s);
  }
  for (const StepRecord& step : document.steps) {
    found.add(step.key, step.status, step.reason, step.step, step.flags);
  }
  for (const CycleRow& cycle : document.cycles) found.add(cycle);
  found.finish(launch);
}

void require_matches(const LaunchCollector& base, const LaunchCollector& candidate) {
  for (std::size_t i = 0; i < base.filters_.size(); ++i) {
    if (base.filters_[i].matches || candidate.filters_[i].matches) continue;
    const std::string& other = base.unwanted_.empty() ? candidate.unwanted_ : base.unwanted_;
    throw UserError(fmt::format("--filter: '{}' is in the name of no row{}", base.filters_[i].text,
                                other.empty() ? "" : "; there is, for instance, " + other));
  }
}

Launches LaunchCollector::take() {
  index_.clear();
  file_of_run_.clear();
  return std::exchange(launches_, {});
}

}  // namespace collbench
