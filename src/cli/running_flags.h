// SPDX-License-Identifier: Apache-2.0
// The flags of every program that measures: on what, with which deadlines, and into which file.
#pragma once

#include <optional>
#include <string>

#include "cli/command_line.h"
#include "comm/backend.h"
#include "comm/backend_choice.h"

namespace collbench {

struct RunningChoice {
  BackendChoice backend = BackendChoice::automatic;
  std::string nccl_library;  // --nccl-lib; empty: the one that the loader finds
  WaitPolicy wait = WaitPolicy::automatic;
  double timeout_s = 120;        // -T; 0: none
  double start_timeout_s = 300;  // --start-timeout
  std::string json_path;         // -J; empty: no file
  bool force = false;
};

class RunningFlags {
 public:
  /// Under the heading that is open: where to run and how long to wait.
  void declare(CommandLine& line);

  /// Likewise: the result file.
  void declare_file(CommandLine& line);

  /// Throws UserError for what cannot be meant.
  RunningChoice read() const;

 private:
  std::optional<std::string> backend_, nccl_library_, wait_, timeout_, start_timeout_, json_path_;
  bool force_ = false;
};

}  // namespace collbench
