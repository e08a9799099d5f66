// SPDX-License-Identifier: Apache-2.0
// The lines of a log, without what launchers put before those of a process.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace collbench {

struct LogLine {
  std::size_t number = 0;  // from 1
  std::string_view text;   // without a launcher's words, and without its end
  bool whole = true;       // false: the last line, when the text ends without a newline
};

/// Throws UserError that names the line.
[[noreturn]] void say(const LogLine& line, std::string_view problem);

/// The lines of each process apart, where a launcher marked whose they are: "[1,0]<stdout>:" (Open
/// MPI), "[0] " (MPICH) or "0: " (Slurm); those without a mark together. Processes stand in the
/// order of their first lines. The lines are views into `text`.
std::vector<std::vector<LogLine>> log_lines(std::string_view text);

}  // namespace collbench
