// SPDX-License-Identifier: Apache-2.0
// Sweeps: the rows of all runs, put together by what one chart can show.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/facts.h"
#include "report/run.h"

namespace collbench::report {

/// Rows that differ in their size alone, by size; those without a time are among them.
struct SweepLine {
  std::size_t run = 0;  // index
  Facts facts;          // of lines, the run's name last
  std::string label;    // what no other line of the sweep has
  std::vector<const Record*> rows;
};

/// Lines of one collective, type and operation, measured in one way.
struct Sweep {
  Facts facts;  // of sweeps
  std::string title;
  std::string method;  // what all lines share besides
  std::vector<SweepLine> lines;
};

/// In the order in which their first rows stand; valid as long as the runs.
std::vector<Sweep> sweeps_of(std::span<const Run> runs);

/// Whether it has a time above zero.
bool has_time(const Record& row);

}  // namespace collbench::report
