// SPDX-License-Identifier: Apache-2.0
// Record: the one plain description of a measured row. Everything that shows, stores or judges a
// measurement reads this and nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/data_type.h"
#include "base/device_state.h"
#include "base/enum_rows.h"
#include "base/reduce_op.h"
#include "statistics/statistics.h"

namespace collbench {

enum class RowStatus : std::uint8_t {
  ok,
  wrong,    // measured, but the data check found wrong values
  skipped,  // not measured, see `reason`
  failed,   // an error ended it, see `reason`
};

struct RowStatusRow {
  RowStatus status;
  std::string_view name;
};

inline constexpr std::array<RowStatusRow, 4> kRowStatuses = {{
    {RowStatus::ok, "ok"},
    {RowStatus::wrong, "wrong"},
    {RowStatus::skipped, "skipped"},
    {RowStatus::failed, "failed"},
}};
static_assert(in_enum_order(kRowStatuses, &RowStatusRow::status));

constexpr std::string_view name_of(RowStatus status) {
  return kRowStatuses[static_cast<std::size_t>(status)].name;
}

/// Which of the groups of ranks that measured at the same time, each on a communicator of its own.
struct GroupKey {
  std::string rule;  // which ranks are together: "MOD 2"
  int index = 0;     // from 0
  int count = 1;     // groups in all

  bool operator==(const GroupKey&) const = default;
};

/// What makes two rows the same measurement; rows that differ in any of it are never compared.
struct RowKey {
  std::string collective;  // "all_reduce"
  DataType type = DataType::float32;
  std::optional<ReduceOp> op;  // absent where nothing is reduced
  Bytes message_bytes = 0;     // the size that was measured; see docs for its meaning
  Count count = 0;             // elements of a block
  int ranks = 0;  // of the group, where ranks are split into groups; so are nodes and root
  int nodes = 1;  // hosts
  std::optional<int> root;
  bool in_place = false;
  std::string backend;             // "mpi"
  std::string mode;                // iteration mode: "streaming", "isolated", ...
  std::string aggregation{"max"};  // of a sample over ranks: "rank0", "mean", "min", "max"
  int ranks_per_process{1};
  std::uint64_t grouped_operations{1};  // that start as one fused group
  Count offset_elements{0};             // of both buffers, from where they are aligned
  std::string
      matrix{};  // of alltoallv, "zipf:1.2 seed 7"; empty where no matrix says who sends what
  std::optional<GroupKey> group{};  // absent where all ranks of the run measure together

  bool operator==(const RowKey&) const = default;
};

/// How far apart the ranks left the alignments before isolated operations, seconds. It is part of
/// the times and not subtracted from them.
struct ExitSkew {
  double median_s;
  double max_s;

  bool operator==(const ExitSkew&) const = default;
};

/// The measured time of one operation, seconds.
struct Timing {
  std::uint64_t operations_per_sample = 1;  // K
  std::uint64_t warmup_operations = 0;
  Bytes walked_bytes = 0;                  // of each buffer, by one operation after another
  std::vector<double> samples_s;           // block time / K, aggregated over ranks; in order
  std::vector<double> mean_over_ranks_s;   // the same, averaged; empty where samples_s are these
  std::vector<double> max_over_ranks_s{};  // the same, of the last rank; likewise
  double median_s = 0;                     // of samples_s: the row's time
  std::optional<statistics::Interval> interval95_s;  // of the median, within this launch
  std::vector<double> enqueue_s{};  // of samples_s: until all was enqueued; if asked for
  std::vector<double> device_s{};   // of samples_s, by a device that stamps events; else empty
  std::optional<double> enqueue_share{};       // median of what enqueueing took of them; likewise
  std::vector<double> iteration_s{};           // of operations one by one, apart from samples_s
  std::uint64_t skipped_iterations = 0;        // at the start, that their summary leaves out
  std::optional<ExitSkew> exit_skew{};         // where an alignment's can be seen
  std::vector<double> rank_median_s;           // by rank
  std::vector<std::uint64_t> rank_last_count;  // by rank: samples in which it was the slowest
  std::string stop_reason;                     // "target", "max_time", "max_samples", "fixed"

  bool operator==(const Timing&) const = default;
};

/// The time of something that was measured several times, seconds.
struct TimeSeries {
  std::vector<double> samples_s = {};  // in order
  double median_s = 0;
  std::optional<statistics::Interval> interval95_s = {};  // of the median, within this launch

  bool operator==(const TimeSeries&) const = default;
};

/// What a row's operation and another one take while the other runs without pause on a communicator
/// and a stream of its own, seconds per operation.
struct Interference {
  std::string operation = {};  // the other: "all_gather"
  std::string groups = {};     // whose ranks run it together: "MOD 2", or "world"
  Bytes message_bytes = 0;
  TimeSeries beside = {};        // the row's, beside the other; alone it takes the row's time
  TimeSeries other_alone = {};   // of its slowest group
  TimeSeries other_beside = {};  // likewise, beside the row's operation

  /// How many times as long as alone; absent where that took no time.
  std::optional<double> slowdown(double alone_s) const;
  std::optional<double> other_slowdown() const;

  bool operator==(const Interference&) const = default;
};

/// The outcome of the data check; absent from a Record when none ran.
struct DataCheck {
  Count checked_elements = 0;  // over all ranks
  Count wrong_elements = 0;
  std::string first_wrong;  // "rank 2, byte 4096: expected 3, found 0"; empty when none

  bool operator==(const DataCheck&) const = default;
};

/// A time reached by another statistic is never mixed into `timing`.
struct Record {
  RowKey key;
  Bytes requested_bytes = 0;  // what the sweep asked for; differs from the key's when rounded
  RowStatus status = RowStatus::ok;
  std::string reason;                          // of skipped, failed and wrong
  std::optional<double> load_max_over_mean{};  // by matrix: the most a rank moves, over the mean
  std::optional<Timing> timing;
  std::optional<double> algorithm_bandwidth_Bps;  // absent where the time is absent or zero
  std::optional<double> bus_bandwidth_Bps;        // absent for one rank: no link is crossed
  std::optional<double> nic_Bps{};  // of each NIC of a node, at least; absent where not known
  std::optional<DataCheck> check;
  std::optional<Interference> interference{};  // of --interfere
  std::optional<DeviceState> device_state{};   // the worst of the ranks', right after the samples
  std::optional<std::uint64_t> cycle{};        // of -N: which time round, from 1
  std::vector<std::string> flags;  // "oversubscribed", ...: what to know before trusting the row
  std::string ended{};             // RFC 3339, UTC; empty where unknown

  bool operator==(const Record&) const = default;
};

}  // namespace collbench
