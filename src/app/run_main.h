// SPDX-License-Identifier: Apache-2.0
// run_main: from main() to the exit status, the same on all ranks. The only place that catches.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/agreement.h"
#include "app/result_slot.h"
#include "base/errors.h"
#include "comm/backend.h"
#include "comm/launch.h"
#include "comm/launcher_facts.h"
#include "measure/progress.h"

namespace collbench {

/// What run_main has to know of a command line.
struct Command {
  std::optional<std::string> print;  // instead of running: the text of --help and its like
  double start_timeout_s = 0;  // for MPI_Init, and then for the first step of the body; 0: none
  std::vector<std::string> arguments{};  // with those that it takes from files, if any
};

/// What a program's body works with.
class RunContext {
 public:
  virtual ~RunContext() = default;

  virtual MpiSession& session() = 0;  // of the process

  /// Of the rank, which is one of several of its process where a body runs on rank threads.
  virtual ControlPlane& control() = 0;
  virtual BackendSeat seat() = 0;

  /// The body enters a step at every block, check and file write; run_main has entered "set-up".
  virtual Progress& progress() = 0;

  /// Makes rank 0's result file: run_main finishes it, however the run ends. Rows go to the
  /// returned one; nullptr when the run is being ended already, and there will be none.
  virtual ResultFile* own(const MakeResultFile& make) = 0;

  /// Queues text for stdout and returns at once: no deadline applies to whoever reads there.
  /// run_main waits for them at the end. Throws SystemError when something before could not be
  /// written (a full disk, a closed pipe).
  virtual void print(std::string_view text) = 0;

  /// A rank of this process has failed in this step while others may wait for it: ends the run and
  /// does not return. From any thread.
  [[noreturn]] virtual void fail(const std::exception_ptr& failure, const Progress::Step& step) = 0;

  /// What the watchdog calls before it ends this process, so that what is in flight there ends
  /// first; nothing to call no more. It must return within a few seconds.
  virtual void abort_with(std::function<void()> abort) = 0;
};

/// A program, as a value.
struct Program {
  std::string name;  // starts every line on stderr
  /// Before MPI starts, on every rank alike. Throws UserError. What it reads of the environment
  /// must be the same on every rank, as the arguments.
  std::function<Command(const std::vector<std::string>& arguments, const ReadEnvironment& read)>
      parse;
  /// The run. Its objects that use MPI are gone when it returns. The worst status of all ranks
  /// wins, in the order of docs/exit-status.md. Throws UserError or CommonSystemError where every
  /// rank finds the same error (see `together`), SystemError for a failure of this rank.
  std::function<ExitStatus(RunContext&)> run;
};

/// Runs the program and returns its exit status for main() to return. Ranks that were started with
/// different arguments, variables or builds are refused.
///
/// An error is printed once, as "NAME: sentence" on stderr. Where one rank fails the others never
/// return from MPI, so that then, as at a deadline or a signal, the watchdog ends all processes and
/// run_main does not return.
int run_main(int argc, char** argv, const Program& program);

}  // namespace collbench
