// SPDX-License-Identifier: Apache-2.0
// Method: how operations are timed and how the times of the ranks become one.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "base/enum_rows.h"

namespace collbench {

/// How a sample's times, one per rank, become its value. The numbers are those of nccl-tests' -a.
enum class Aggregation : std::uint8_t { rank0, mean, min, max };

struct AggregationRow {
  Aggregation aggregation;
  std::string_view name;  // as in result files
};

inline constexpr std::array<AggregationRow, 4> kAggregations = {{
    {Aggregation::rank0, "rank0"},
    {Aggregation::mean, "mean"},
    {Aggregation::min, "min"},
    {Aggregation::max, "max"},
}};
static_assert(in_enum_order(kAggregations, &AggregationRow::aggregation));

constexpr std::string_view name_of(Aggregation aggregation) {
  return kAggregations[static_cast<std::size_t>(aggregation)].name;
}

/// Requires a value of each rank.
double aggregate(Aggregation aggregation, std::span<const double> by_rank);

/// What a sample is.
enum class Mode : std::uint8_t {
  streaming,           // a block of operations back to back
  isolated,            // one operation, after an alignment of all ranks
  isolated_unaligned,  // one operation, whenever each rank is ready for it
  graph,               // operations that a device has recorded and replays
};

struct ModeRow {
  Mode mode;
  std::string_view name;  // as in result files
};

inline constexpr std::array<ModeRow, 4> kModes = {{
    {Mode::streaming, "streaming"},
    {Mode::isolated, "isolated"},
    {Mode::isolated_unaligned, "isolated_unaligned"},
    {Mode::graph, "graph"},
}};
static_assert(in_enum_order(kModes, &ModeRow::mode));

constexpr std::string_view name_of(Mode mode) {
  return kModes[static_cast<std::size_t>(mode)].name;
}

struct Method {
  Mode mode = Mode::streaming;
  Aggregation aggregation = Aggregation::max;
  std::uint64_t grouped_operations = 1;  // that start as one fused group: an iteration
  Count offset_elements = 0;             // of both buffers, from where they are aligned
  bool enqueue_time = false;             // take also what enqueueing takes the host
  std::uint64_t skipped_iterations = 0;  // at the start of these, left out of their summary
  bool iteration_times = false;          // time iterations one by one, apart from the samples
  std::uint64_t graph_launches = 1;      // of mode graph: how often a sample replays its record
};

}  // namespace collbench
