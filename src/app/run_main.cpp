// SPDX-License-Identifier: Apache-2.0
#include "app/run_main.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <exception>
#include <mutex>
#include <new>
#include <utility>

#include "app/ways_out.h"
#include "base/clock.h"
#include "base/host.h"
#include "comm/launcher_facts.h"
#include "measure/end_signals.h"
#include "measure/peer_processes.h"
#include "measure/watchdog.h"
#include "results/result_file.h"

namespace collbench {
namespace {

RunStatus run_status_of(ExitStatus status) {
  switch (status) {
    case ExitStatus::user_error:
    case ExitStatus::system_error:
      return RunStatus::error;
    case ExitStatus::deadline:
      return RunStatus::timeout;
    case ExitStatus::interrupted:
    case ExitStatus::terminated:
      return RunStatus::interrupted;
    case ExitStatus::ok:
    case ExitStatus::verdict_failed:
    case ExitStatus::wrong_data:
    case ExitStatus::inconclusive:
      return RunStatus::complete;
  }
  return RunStatus::error;
}

// Rank 0's result file, which the rank or its watchdog finishes: who comes first.
class ResultSlot {
 public:
  ResultFile& own(std::unique_ptr<ResultFile> file) {
    const std::lock_guard lock(mutex_);
    file_ = std::move(file);
    return *file_;
  }

  // Returns the status in the file, which is that of the first call. Throws what the file throws.
  // The lock is not kept meanwhile: a file system that hangs must not hold up the watchdog.
  ExitStatus finish(const EndCause& cause) {
    const std::shared_ptr<ResultFile> file = current();
    if (!file) return cause.status;
    return file->finish(run_status_of(cause.status), cause.status, cause.message);
  }

 private:
  std::shared_ptr<ResultFile> current() {
    const std::lock_guard lock(mutex_);
    return file_;
  }

  std::mutex mutex_;
  std::shared_ptr<ResultFile> file_;
};

// A run on this rank.
class Run final : public RunContext {
 public:
  Run(const Program& program, const Command& command, const LauncherFacts& launcher)
      : program_(program),
        command_(command),
        launcher_(launcher),
        rank_(launcher.rank),
        watchdog_({launcher.rank, launcher.size.value_or(1), host_}, clock_, progress_, actions()) {
  }

  MpiSession& session() override { return *session_; }
  Progress& progress() override { return progress_; }
  ResultFile& own(std::unique_ptr<ResultFile> file) override { return file_.own(std::move(file)); }
  void print(std::string_view text) override { write_stdout(text); }

  // The one place with catch, once MPI has been asked for.
  ExitStatus go() {
    const WatchdogThread watching(watchdog_);
    try {
      start_mpi();
      const EndCause outcome = run_body();
      watchdog_.finalizing(outcome);
      session_->finalize();
      return outcome.status;
    } catch (const SystemError& error) {
      fail(error.what());
    } catch (const std::bad_alloc&) {
      fail("the host's memory ran out");
    } catch (const std::exception& error) {
      fail(fmt::format("internal error: {}", error.what()));
    }
  }

 private:
  WatchdogActions actions() {
    return {
        .print = [this](const std::string& message) { print_message(program_.name, message); },
        .finish_result_file = [this](const EndCause& cause) { return finish_file(cause); },
        .leave = end_all_processes,
        .leave_later = exit_later,
        .peers =
            [] {
              try {
                return find_peers({"/proc", getpid()});
              } catch (const std::exception&) {  // a host without a readable /proc
                return std::vector<PeerProcess>();
              }
            },
        .send_notice = send_notice,
    };
  }

  void start_mpi() {
    progress_.enter("MPI_Init", command_.start_timeout_s);
    session_.emplace();
    progress_.enter("set-up", command_.start_timeout_s);
  }

  EndCause run_body() {
    try {
      take_place();
      return {agree(program_.run(*this)), ""};
    } catch (const UserError& error) {
      return user_error(error.what());
    }
  }

  // MPI knows better than the environment, unless it found only itself.
  void take_place() {
    const std::string fault = start_fault(launcher_, session_->size(), session_->mpi_library());
    if (!fault.empty()) throw UserError(fault);
    rank_ = session_->rank();
    watchdog_.mpi_is_up(rank_, session_->size());
  }

  // The status of the run, with the file finished: rank 0 decides.
  ExitStatus agree(ExitStatus mine) {
    progress_.enter("agreement on the exit status", progress_.step().limit_s);
    ExitStatus status = combined_status(control().all_gather(mine));
    if (rank_ == 0) status = finish_file({status, ""});
    return control().broadcast(status);
  }

  // Never throws: a file that cannot be finished is an error of its own.
  ExitStatus finish_file(const EndCause& cause) {
    try {
      return file_.finish(cause);
    } catch (const std::exception& error) {
      print_message(program_.name, fmt::format("{}{}", place(), error.what()));
      return combined_status({cause.status, ExitStatus::system_error});
    }
  }

  // Every rank is taken to have found the same error.
  EndCause user_error(const std::string& message) {
    if (rank_ == 0) {
      print_message(program_.name, message);
      finish_file({ExitStatus::user_error, message});
    }
    return {ExitStatus::user_error, place() + message};
  }

  // The other ranks wait in MPI, so returning would not end the run: the watchdog does.
  [[noreturn]] void fail(const std::string& message) {
    watchdog_.fail({ExitStatus::system_error, place() + message});
    for (;;) pause();
  }

  std::string place() const { return fmt::format("rank {} on {}: ", rank_.load(), host_); }

  const Program& program_;
  const Command& command_;
  const LauncherFacts launcher_;
  const std::string host_ = host_name();
  std::atomic<int> rank_;
  SteadyClock clock_;
  Progress progress_{clock_};
  ResultSlot file_;
  Watchdog watchdog_;
  std::optional<MpiSession> session_;
};

ExitStatus print_instead(const std::string& text, const LauncherFacts& launcher) {
  if (launcher.rank == 0) write_stdout(text);
  return ExitStatus::ok;
}

ExitStatus parse_and_run(const std::vector<std::string>& arguments, const Program& program,
                         const LauncherFacts& launcher) {
  const Command command = program.parse(arguments);
  if (command.print) return print_instead(*command.print, launcher);
  return Run(program, command, launcher).go();
}

}  // namespace

int run_main(int argc, char** argv, const Program& program) {
  block_end_signals();
  // A closed pipe and a limit on file sizes become errors with a message.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  const LauncherFacts launcher = launcher_facts();
  ExitStatus status = ExitStatus::ok;
  try {
    status = parse_and_run({argv + 1, argv + argc}, program, launcher);
  } catch (const UserError& error) {
    status = ExitStatus::user_error;
    if (launcher.rank == 0) print_message(program.name, error.what());
  } catch (const std::exception& error) {
    status = ExitStatus::system_error;
    print_message(program.name, error.what());
  }
  return static_cast<int>(status);
}

}  // namespace collbench
