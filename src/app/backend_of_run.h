// SPDX-License-Identifier: Apache-2.0
// BackendOfRun: the backend that the ranks of a process measure on, while the run lasts.
#pragma once

#include <string>

#include "app/run_main.h"
#include "cli/gpu_flags.h"
#include "cli/running_flags.h"
#include "comm/open_backend.h"

namespace collbench {

/// What is in flight on it ends before the watchdog ends the process, and where an error of all
/// ranks ends the run: then their communicators are still open, since ranks that unwind wait for
/// nobody.
class BackendOfRun {
 public:
  /// Throws UserError where hosts are what there is and the flags ask for something of GPUs, and
  /// what open_backend throws. Collective over the run.
  BackendOfRun(RunContext& process, const RunningChoice& running, const GpuChoice& gpu);
  ~BackendOfRun();
  BackendOfRun(const BackendOfRun&) = delete;
  BackendOfRun& operator=(const BackendOfRun&) = delete;

  BackendProcess& process() const { return *opened_.process; }

  /// Which backend and why, in one line; the same on every rank.
  const std::string& note() const { return opened_.note; }

 private:
  RunContext& run_;
  OpenedBackend opened_;
};

}  // namespace collbench
