// SPDX-License-Identifier: Apache-2.0
// The times of single iterations, stamped between them as they go by.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "measure/data_check.h"
#include "measure/prepared_calls.h"

namespace collbench {

/// This rank's times of `n` iterations in a row, seconds each, by events of the device: on a host
/// the clock is read after each. `before_each` runs before every iteration that is timed alone;
/// without it the iterations follow each other, and the end of one is the start of the next.
std::vector<double> iteration_times_s(const Workbench& bench, PreparedCalls& calls, std::uint64_t n,
                                      const std::function<void()>& before_each);

/// How many iterations to time where nobody says: as many as take a second, 20 to 100.
std::uint64_t iterations_to_time(double iteration_s);

inline constexpr std::uint64_t kLeastTimedIterations = 20;

}  // namespace collbench
