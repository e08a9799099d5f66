// SPDX-License-Identifier: Apache-2.0
// Method: how operations are timed and how the times of the ranks become one.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

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

struct Method {
  Aggregation aggregation = Aggregation::max;
};

}  // namespace collbench
