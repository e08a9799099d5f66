// SPDX-License-Identifier: Apache-2.0
// Launches made of plain times, for tests.
#pragma once

#include <string>
#include <vector>

#include "analysis/launches.h"

namespace collbench::example {

/// An all-reduce of floats on two ranks.
inline RowKey operation(Bytes bytes, const std::string& collective = "all_reduce") {
  return {.collective = collective,
          .type = DataType::float32,
          .op = ReduceOp::sum,
          .message_bytes = bytes,
          .count = bytes / 4,
          .ranks = 2,
          .root = std::nullopt,
          .backend = "mpi",
          .mode = "streaming"};
}

/// So many complete launches, "base/1.json" and so on, without rows.
inline Launches launches(std::size_t n, const std::string& name) {
  Launches side;
  for (std::size_t i = 0; i < n; ++i) {
    const std::string number = std::to_string(i + 1);
    side.launches.push_back({.file = name + "/" + number + ".json",
                             .run_id = name + number,
                             .started = "2026-03-01T12:00:0" + number.substr(0, 1) + "Z",
                             .version = "0.1.0",
                             .git_commit = name});
    side.environments.push_back({{{"CPU model", "Xeon"}}, {{"mpi", "MPICH 4.0.2"}}});
  }
  return side;
}

/// A row with a time in each launch.
inline LaunchRow timed(const MeasurementKey& key, const std::vector<double>& times_s) {
  LaunchRow row = {.key = key, .name = name_of(key), .values = {}, .gaps = {}, .bus_bytes = {}};
  for (std::uint32_t i = 0; i < times_s.size(); ++i) {
    row.values.push_back({i, times_s[i], std::nullopt});
  }
  return row;
}

}  // namespace collbench::example
