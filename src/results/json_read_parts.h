// SPDX-License-Identifier: Apache-2.0
// What the files that read documents share: parts that several kinds of object have. Each throws
// UserError that names the place of what is of another type.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/named_rows.h"
#include "results/json_node.h"
#include "results/record.h"
#include "statistics/statistics.h"

namespace collbench {

/// The row of a table of enumerators that the node names.
template <class Rows>
const auto& named(const Rows& rows, const JsonNode& node, std::string_view noun) {
  return find_named(rows, node.text(), node.place(), noun);
}

/// Of a member that may be absent.
std::optional<std::uint64_t> optional_count(const JsonNode& node, const char* key);
std::optional<int> optional_integer(const JsonNode& node, const char* key);
std::optional<double> optional_number(const JsonNode& node, const char* key);
std::optional<double> optional_us(const JsonNode& node, const char* key);  // in seconds

/// Of microseconds.
std::vector<double> seconds(const JsonNode& microseconds);

/// What a time object, `time_us`, says of them has to follow from them. Requires one sample.
std::vector<double> read_samples(const JsonNode& time_us, const JsonNode& samples_us);

/// Throws UserError where the number, microseconds, is not what samples give, as far as the digits
/// that a file keeps tell.
void require_follows(const JsonNode& number, std::string_view what, double expected);

/// Of a time object; nothing where it has none.
std::optional<statistics::Interval> read_interval(const JsonNode& time_us);

/// Of a series as series_json() writes it.
TimeSeries read_series(const JsonNode& node);

/// Nothing where it is absent or null; in bytes per second.
std::optional<double> read_bandwidth(const JsonNode& row, const char* key);

std::optional<DataCheck> read_check(const JsonNode& row);

}  // namespace collbench
