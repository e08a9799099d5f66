// SPDX-License-Identifier: Apache-2.0
// Launches: several runs of the same measurements, row by row, with one value per launch.
//
// A launch, one start of a program, is what comparisons count: two launches of equal programs
// differ by more than the samples within each say, so that samples are no replicates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/environment_facts.h"
#include "analysis/measurement_key.h"
#include "results/document.h"

namespace collbench {

/// What one launch says of a row that it measured.
struct LaunchValue {
  std::uint32_t launch;  // index into Launches::launches
  double time_s;         // the median of its samples; of several cycles, the median of theirs
  std::optional<statistics::Interval> interval95_s;  // within the launch; absent for cycles

  bool operator==(const LaunchValue&) const = default;
};

/// A launch in which a row has no time that may be compared: skipped, failed, or of wrong data.
struct LaunchGap {
  std::uint32_t launch;
  RowStatus status;
  std::string reason;

  bool operator==(const LaunchGap&) const = default;
};

struct LaunchRow {
  MeasurementKey key;
  std::string name;                 // name_of(key)
  std::vector<LaunchValue> values;  // by launch, at most one each
  std::vector<LaunchGap> gaps;
  /// What crosses a rank's link in an operation: bus bandwidth times time. Absent for one rank, and
  /// for steps.
  std::optional<double> bus_bytes = {};
};

/// Which run a launch was and how it ended.
struct LaunchFacts {
  std::string file;
  std::string run_id;   // where the file has none, made of its content: equal for equal ones
  std::string started;  // RFC 3339, UTC
  std::string version;
  std::string git_commit;
  RunStatus status = RunStatus::complete;
  bool incomplete = false;  // the run never wrote its end
  std::string program = {};
  std::optional<int> exit_status = {};  // absent where the file does not tell

  bool operator==(const LaunchFacts&) const = default;
};

/// Whether the run came to its end without an error: what is missing of another one may be missing
/// because of that. A verdict that was not met is no error.
bool is_whole(const LaunchFacts& launch);

/// One side of a comparison.
struct Launches {
  std::vector<LaunchFacts> launches;
  std::vector<EnvironmentFacts> environments;     // of each launch
  std::vector<LaunchRow> rows;                    // in the order in which they first appear
  std::map<std::string, std::size_t> flags = {};  // of rows, over all launches: how often each
};

/// Adds documents one after the other, so that only one of them is in memory.
class LaunchCollector {
 public:
  /// Rows whose name holds none of `filters` are left out; all stay where there is none.
  explicit LaunchCollector(const std::vector<std::string>& filters = {});

  /// `file` is how the launch is named to people. Throws UserError for a run that was added before:
  /// twice the same launch would look like two that agree.
  void add(const std::string& file, const Document& document);

  /// What was added; nothing is left.
  Launches take();

  /// Throws UserError for a filter that the name of no row on either side holds.
  friend void require_matches(const LaunchCollector& base, const LaunchCollector& candidate);

 private:
  class Launch;
  struct Filter {
    std::string text;
    bool matches = false;  // any row
  };

  bool wanted(const std::string& name);
  std::optional<std::size_t> place_of(const MeasurementKey& key);
  void require_new_run(const LaunchFacts& launch);

  std::vector<Filter> filters_;
  std::string unwanted_;  // the name of a row that none of them wants
  Launches launches_;
  std::unordered_map<std::string, std::size_t> index_;  // of rows, by name
  std::map<std::string, std::string> file_of_run_;
};

void require_matches(const LaunchCollector& base, const LaunchCollector& candidate);

}  // namespace collbench
