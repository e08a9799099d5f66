// SPDX-License-Identifier: Apache-2.0
// The rows that the groups of a run measure at the same time, one each.
#pragma once

#include <optional>
#include <vector>

#include "app/measured_record.h"
#include "app/run_plan.h"
#include "measure/data_check.h"
#include "measure/prepared_calls.h"
#include "measure/sampling.h"
#include "results/document.h"
#include "results/record.h"

namespace collbench {

/// One size of one sweep, as one of the groups measures it.
struct GroupRow {
  Setting setting;
  SweepSize size;
  std::optional<Exchange> exchange;  // of a collective by matrix; the setting points to it
};

/// Says of each rank of which group it is.
void set_groups(Environment& environment, const RunPlan& plan);

/// By group. Indices are those of the plan.
std::vector<GroupRow> rows_of_groups(const RunPlan& plan, std::size_t sweep, std::size_t size);

/// What all rows of a group share, by group. `flags` are of every row of the run.
std::vector<RowContext> contexts_of_groups(const RunPlan& plan, const CollectiveOptions& options,
                                           const Operation& operation,
                                           const Environment& environment,
                                           const std::string& backend,
                                           const std::vector<std::string>& flags,
                                           const Method& method);

/// One placement of the rows: a record of each group, and which groups measure theirs. The others
/// skip it and idle meanwhile, so that all stay in step.
class GroupRecords {
 public:
  GroupRecords(const RunPlan& plan, const std::vector<RowContext>& contexts,
               const std::vector<GroupRow>& rows, bool in_place);

  const std::vector<Record>& all() const { return records_; }
  const RanksOfGroups& measuring() const { return ranks_; }
  bool measured_by(std::size_t group) const { return records_[group].status != RowStatus::skipped; }
  bool data_is_right() const;

  /// The most bytes that all ranks of a measuring group have together.
  Bytes largest_bytes() const;

  /// The largest message of a measuring group.
  Bytes largest_message_bytes() const;

  /// Each is of the measuring groups.
  void add(const std::vector<RowContext>& contexts, const std::vector<Samples>& samples);
  void add(const std::vector<CheckOutcome>& outcomes);
  void add(const std::vector<Interference>& interference);

  /// By rank of the run.
  void add(const std::vector<std::optional<DeviceState>>& states);

 private:
  std::vector<Record> records_;         // by group
  std::vector<std::size_t> measuring_;  // groups
  RanksOfGroups ranks_;                 // theirs
};

/// What a rank does while other groups measure: an operation without calls or result.
Operation idle_operation(const traffic::Traffic& traffic);

/// Its setting: no elements.
Setting idle_setting(DataType type);

/// Its placement: no buffers. Its blocks end with those of the other groups, so that the deadline
/// of the first, whose speed is not known, is that of the most bytes which another rank moves.
Placement idle_placement(Bytes most_bytes);

}  // namespace collbench
