// SPDX-License-Identifier: Apache-2.0
// StepRecord: the one plain description of a measured training step of a scheme of parallelism.
// Everything that shows, stores or judges such a measurement reads this and nothing else.
//
// What follows from it (exposed communication, overlap, throughput) is in results/step_parts.h, and
// never stored beside it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/data_type.h"
#include "base/enum_rows.h"
#include "base/reduce_op.h"
#include "model/layout.h"
#include "model/placement.h"
#include "model/step.h"
#include "results/record.h"
#include "statistics/statistics.h"

namespace collbench {

/// What makes two steps the same measurement; steps that differ in any of it are never compared,
/// but for what a scaling report varies.
struct StepKey {
  std::string pattern = {};                        // "zero": the binary is zero_perf
  std::string model = {};                          // "llama3-8b"
  std::map<std::string, std::string> scheme = {};  // what was chosen beyond layout and step:
                                                   // {"schedule": "1f1b", "zero": "fsdp2"}
  model::Layout layout = {};
  model::Step step = {};
  int ranks = 0;
  int nodes = 1;  // hosts
  int ranks_per_process = 1;
  std::string backend = {};               // "mpi"
  std::string compute = {};               // what stands for computing: "gemm", "busy", "none"
  std::optional<double> busy_flops = {};  // per second, of the device that "busy" stands for
  std::optional<int> layers = {};         // fewer than the model has; absent where all are
  std::optional<Count> shrink =
      {};  // what messages and computing were divided by; absent where whole

  bool operator==(const StepKey&) const = default;
};

/// Of a step, or a variant of it: seconds per step, of the slowest rank.
using StepSeries = TimeSeries;

/// How much more one rank has of a message than ranks have on average, and what the same takes
/// where all have as much: the rest is the price of that.
struct Uneven {
  double max_over_mean = 1;                // mean over the messages of a step
  std::optional<double> even_time_s = {};  // median; absent where it was not measured

  bool operator==(const Uneven&) const = default;
};

/// What a step sends, each thing once, and what it takes by itself, while nothing else runs.
struct StepMessage {
  std::string operation = {};  // "all_gather", "send"
  model::Axis axis = model::Axis::world;
  int group_size = 1;
  DataType type = DataType::float32;
  std::optional<ReduceOp> op = {};    // absent where nothing is reduced
  Bytes message_bytes = 0;            // S of traffic/traffic.h; of uneven ones their mean
  std::uint64_t per_step = 0;         // in how many a rank takes part, of the rank with most
  std::optional<double> time_s = {};  // median; absent where it was not measured, as the next are
  std::optional<double> algorithm_bandwidth_Bps = {};
  std::optional<double> bus_bandwidth_Bps = {};
  std::optional<Uneven> uneven = {};  // absent where all ranks have as much

  bool operator==(const StepMessage&) const = default;
};

/// Where the speeds of links are from that a prediction is made with.
enum class LinksFrom : std::uint8_t { flags, messages };

struct LinksFromRow {
  LinksFrom from;
  std::string_view name;
  std::string_view what;
};

inline constexpr std::array<LinksFromRow, 2> kLinksFrom = {{
    {LinksFrom::flags, "flags", "by the links given"},
    {LinksFrom::messages, "messages", "by its messages alone"},
}};
static_assert(in_enum_order(kLinksFrom, &LinksFromRow::from));

constexpr const LinksFromRow& row_of(LinksFrom from) {
  return kLinksFrom[static_cast<std::size_t>(from)];
}

/// What plan/predict.h says of the same step. Its parts are those of the measured step: of a bubble
/// the latencies are a part, and of exposed communication they are not.
struct StepPrediction {
  double step_s = 0;
  double compute_s = 0;  // of the rank that computes most
  double bubble_s = 0;
  double exposed_s = 0;
  LinksFrom links = LinksFrom::flags;

  bool operator==(const StepPrediction&) const = default;
};

/// A step in which only these axes communicate, while computing goes on as in the whole step.
struct AxisLoad {
  std::vector<model::Axis> axes = {};
  StepSeries step = {};
  /// What each of them takes of a rank, by plan/axis_times.h, of the rank with most; empty: it is
  /// only predicted.
  std::vector<StepSeries> busy = {};
  std::vector<double> predicted_busy_s = {};  // likewise, by plan/predict.h; empty: not predicted

  bool operator==(const AxisLoad&) const = default;
};

/// A step of a training in which a bias of each expert follows its load.
struct BalancedStep {
  // Largest load over the mean, as means over layers: of experts, and of all experts of a rank.
  double expert_max_over_mean = 1;
  double rank_max_over_mean = 1;
  Bytes sent_bytes = 0;                    // of the rank that sends most
  std::optional<StepSeries> step = {};     // absent where it was not measured
  std::optional<double> predicted_s = {};  // by plan/predict.h, where its costs are known before

  bool operator==(const BalancedStep&) const = default;
};

struct StepRecord {
  StepKey key;
  RowStatus status = RowStatus::ok;
  std::string reason = {};                       // of skipped, failed and wrong
  std::optional<StepSeries> step = {};           // whole
  std::optional<StepSeries> computing = {};      // without communication
  std::optional<StepSeries> skeleton = {};       // every message cut to one element
  std::optional<StepSeries> communication = {};  // without computing
  std::optional<StepSeries> latency = {};        // skeleton without computing
  std::vector<double> rank_median_s = {};        // of the whole step, by rank
  Bytes sent_bytes = 0;                          // per step, of the rank that sends most
  std::optional<Bytes> closed_form_sent_bytes =
      {};                 // likewise, by model/closed_forms.h where it knows
  Bytes slot_bytes = 0;   // of buffers that are sent from or received into, of the rank with most
  Bytes model_bytes = 0;  // of model states by the scheme's accounting, of the rank with most
  Count tokens = 0;       // per step, over all ranks
  double flops = 0;       // floating-point operations per step, over all ranks
  // How many times as long operations of the one kind took beside those of the other as alone.
  std::optional<double> computing_stretch = {};
  std::optional<double> communication_stretch = {};
  std::optional<StepPrediction> prediction = {};
  std::vector<StepMessage> messages = {};
  std::vector<AxisLoad> axis_loads = {};     // each axis alone, each two, all; empty: not measured
  std::vector<BalancedStep> balancing = {};  // of --balance: up to this step, which is the last
  std::vector<model::AxisPlacement> placement = {};  // of each axis that communicates
  std::vector<std::string> left_out = {};  // traffic that such a step has and this one had not
  std::optional<DataCheck> check = {};
  std::vector<std::string> flags =
      {};                  // "oversubscribed", ...: what to know before trusting the step
  std::string ended = {};  // RFC 3339, UTC; empty where unknown

  bool operator==(const StepRecord&) const = default;
};

}  // namespace collbench
