// SPDX-License-Identifier: Apache-2.0
// Results for the textfile collector of Prometheus' node exporter.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "report/run.h"

namespace collbench::report {

/// Gauges in base units (seconds, bytes per second), one family after the other, without times of
/// their own. Of series that several runs have the latest run's counts; rows that were not measured
/// right have none.
///
/// Where there are more than `most` series of rows, sizes are left out evenly until they fit, and a
/// comment says so; the largest size is kept.
std::string to_prometheus(std::span<const Run> runs, std::size_t most);

}  // namespace collbench::report
