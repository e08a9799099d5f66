// SPDX-License-Identifier: Apache-2.0
// What the files that write JSON share: parts that several kinds of object have.
#pragma once

#include <optional>
#include <vector>

#include "results/json_value.h"
#include "results/record.h"
#include "statistics/statistics.h"

namespace collbench {

std::vector<double> in_us(const std::vector<double>& seconds);

/// To 6 decimals, which of microseconds is to the picosecond, as every time of a file. What is
/// derived from times keeps no more digits, so that a file read and written again has the same.
double rounded(double value);

/// What the samples come to, derived from the microseconds as they are written. Throws
/// std::logic_error where there are no samples.
Json time_us(const std::vector<double>& samples_s, double median_s,
             const std::optional<statistics::Interval>& interval95_s);

/// A series with what its samples come to.
Json series_json(const TimeSeries& series);

/// A bandwidth of what was measured: null where it is undefined. Of what was not it is absent.
void add_bandwidth(Json& object, const char* key, bool measured,
                   const std::optional<double>& rate_Bps);

Json check_json(const DataCheck& check);

}  // namespace collbench
