// SPDX-License-Identifier: Apache-2.0
// A command that is started, watched and ended.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace collbench {

/// How a command ended.
struct ChildEnd {
  int status = 0;  // 128 + signal where one ended it, as shells say it
  double elapsed_s = 0;
  bool timed_out = false;            // ended by the deadline
  std::optional<int> interrupted{};  // ended since this process got this signal
};

/// While this is there, SIGINT, SIGTERM, SIGHUP and SIGQUIT end the command that runs instead of
/// this process, and SIGCHLD is waited for. Of one thread only.
class WatchedSignals {
 public:
  WatchedSignals();
  ~WatchedSignals();
  WatchedSignals(const WatchedSignals&) = delete;
  WatchedSignals& operator=(const WatchedSignals&) = delete;

  /// Runs a command in a process group of its own, without input; what it prints goes to `output`,
  /// a file. At the deadline (0: none), or when this process is told to end, the group gets
  /// SIGTERM, and SIGKILL 10 s later or when this process is told again. Throws UserError for a
  /// command that cannot be started.
  ChildEnd run(const std::vector<std::string>& command, const std::string& output,
               double timeout_s);
};

}  // namespace collbench
