// SPDX-License-Identifier: Apache-2.0
// Comparisons in words, for every format that people read.
#pragma once

#include <string>

#include "analysis/comparison.h"

namespace collbench {

/// "123.4 us", "1.234 ms", "1.234 s".
std::string format_time(double time_s);
/// "+5.2 %": how much longer the new side takes.
std::string format_change(double ratio);
/// "+3.9 to +6.5 %"; empty without an interval.
std::string format_interval(const Change& change);

/// "3 %": what the change would have to pass in its direction, to three digits.
std::string format_threshold(const Change& change, const Threshold& threshold);

/// Why the verdict is what it is: one sentence, without the name of the row and without a stop.
std::string explain(const RowComparison& row);
std::string explain(const FamilyComparison& family);

/// What was found, in one line: "no regression in 24 rows, 5 launches against 5: 20 unchanged,
/// ...".
std::string summary_line(const Comparison& comparison);

/// "1 MiB float sum, 8 ranks, mpi": what tells rows of one subject apart, for tables.
std::string describe_row(const MeasurementKey& key);

}  // namespace collbench
