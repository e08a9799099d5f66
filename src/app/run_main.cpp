// SPDX-License-Identifier: Apache-2.0
#include "app/run_main.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <utility>

#include "app/output_queue.h"
#include "app/same_start.h"
#include "app/ways_out.h"
#include "base/clock.h"
#include "base/host.h"
#include "base/version.h"
#include "comm/launcher_facts.h"
#include "measure/end_signals.h"
#include "measure/peer_processes.h"
#include "measure/watchdog.h"

namespace collbench {
namespace {

// What a command line calls for, before MPI is up.
struct Request {
  std::vector<std::string> arguments;
  std::vector<std::string> variables;  // that it read, as "NAME=value"
  Command command;
  std::optional<std::string> error;

  bool ends_at_once() const { return error || command.print; }
};

Request parse(const std::vector<std::string>& arguments, const Program& program) {
  Request request;
  request.arguments = arguments;
  const ReadEnvironment read = [&](const char* name) {
    const char* const value = std::getenv(name);
    if (value != nullptr) request.variables.push_back(fmt::format("{}={}", name, value));
    return value;
  };
  try {
    request.command = program.parse(arguments, read);
    if (!request.command.arguments.empty()) request.arguments = request.command.arguments;
  } catch (const UserError& error) {
    request.error = error.what();
  }
  return request;
}

// The end of a run that ends at once, said by rank 0.
ExitStatus answer(const Request& request, const Program& program, int rank) {
  try {
    if (rank == 0 && request.command.print) write_stdout(*request.command.print);
    if (rank == 0 && request.error) print_message(program.name, *request.error);
  } catch (const SystemError& error) {
    print_message(program.name, error.what());
    return ExitStatus::system_error;
  }
  return request.error ? ExitStatus::user_error : ExitStatus::ok;
}

std::string sentence_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const SystemError& error) {
    return error.what();
  } catch (const std::bad_alloc&) {
    return "the host's memory ran out";
  } catch (const std::exception& error) {
    return fmt::format("internal error: {}", error.what());
  }
}

// A run on this process.
class Run final : public RunContext {
 public:
  // `answered`: all that is left to do is to end, together with the other ranks.
  Run(const Program& program, const Request& request, const LauncherFacts& launcher,
      std::optional<ExitStatus> answered)
      : program_(program),
        request_(request),
        answered_(answered),
        launcher_(launcher),
        rank_(launcher.rank),
        watchdog_({launcher.rank, launcher.size.value_or(1), host_}, clock_, progress_, actions()) {
  }

  MpiSession& session() override { return *session_; }
  ControlPlane& control() override { return session_->control_plane(); }
  BackendSeat seat() override {
    return {control(), session_->local_rank(), session_->local_size()};
  }
  Progress& progress() override { return progress_; }
  ResultFile* own(const MakeResultFile& make) override { return file_.own(make); }
  void print(std::string_view text) override { output_->add(text); }

  // The one place with catch, once MPI has been asked for.
  ExitStatus go() {
    const WatchdogThread watching(watchdog_);
    try {
      start_mpi();
      const EndCause outcome = run_body();
      watchdog_.finalizing(outcome);
      output_.reset();
      session_->finalize();
      return outcome.status;
    } catch (...) {
      fail(std::current_exception(), progress_.step());
    }
  }

  // The other ranks wait in MPI, so returning would not end the run: the watchdog does.
  [[noreturn]] void fail(const std::exception_ptr& failure, const Progress::Step& step) override {
    watchdog_.fail(
        {ExitStatus::system_error, fmt::format("rank {} on {} in {}: {}", step.rank.value_or(rank_),
                                               host_, step.what, sentence_of(failure))});
    for (;;) pause();
  }

  void abort_with(std::function<void()> abort) override {
    const std::lock_guard lock(abort_mutex_);
    abort_ = std::move(abort);
  }

 private:
  WatchdogActions actions() {
    return {
        .print = [this](const std::string& message) { print_message(program_.name, message); },
        .finish_result_file = [this](const EndCause& cause) { return finish_file(cause); },
        .leave = [this](ExitStatus status) { end_run(status); },
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
    progress_.enter("MPI_Init", request_.command.start_timeout_s);
    session_.emplace();
    progress_.enter("set-up", request_.command.start_timeout_s);
  }

  EndCause run_body() {
    try {
      take_place();
      require_same_start(
          control(), {program_.name, request_.arguments, request_.variables, build_id(), host_});
      if (answered_) return {agree(*answered_), ""};
      const ExitStatus mine = program_.run(*this);
      await_output();
      return {agree(mine), ""};
    } catch (const UserError& error) {
      return common_error(ExitStatus::user_error, error.what());
    } catch (const CommonSystemError& error) {
      return common_error(ExitStatus::system_error, error.what());
    }
  }

  // MPI knows better than the environment, unless it found only itself.
  void take_place() {
    const std::string fault = start_fault(launcher_, session_->size(), session_->mpi_library());
    if (!fault.empty() && !answered_) throw UserError(fault);
    rank_ = session_->rank();
    watchdog_.mpi_is_up(rank_, session_->size());
  }

  // Whoever reads may take their time. The other ranks learn again and again that rank 0 is alive,
  // so that their deadline is for a rank 0 that is not.
  void await_output() {
    const double limit_s = progress_.step().limit_s;
    const double news_s = limit_s > 0 ? std::min(1.0, limit_s / 4) : 1.0;
    for (bool done = false; !done;) {
      progress_.enter("writing to stdout", limit_s);
      done = control().broadcast(rank_ != 0 || output_->written_within(news_s));
    }
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

  // Every rank is taken to have found the same error. A run has one line: not this one where rank 0
  // has answered with an error before.
  EndCause common_error(ExitStatus status, const std::string& message) {
    if (rank_ == 0) {
      if (!request_.error) print_message(program_.name, message);
      finish_file({status, message});
    }
    return {status, place() + message};
  }

  void end_run(ExitStatus status) {
    {
      const std::lock_guard lock(abort_mutex_);
      if (abort_) abort_();
    }
    end_all_processes(status);
  }

  std::string place() const { return fmt::format("rank {} on {}: ", rank_.load(), host_); }

  const Program& program_;
  const Request& request_;
  const std::optional<ExitStatus> answered_;
  const LauncherFacts launcher_;
  const std::string host_ = host_name();
  std::atomic<int> rank_;
  SteadyClock clock_;
  Progress progress_{clock_};
  ResultSlot file_;
  std::optional<OutputQueue> output_{write_stdout};
  std::mutex abort_mutex_;
  std::function<void()> abort_;
  Watchdog watchdog_;
  std::optional<MpiSession> session_;
};

// What ends at once need not wait for MPI if there is one rank; but if the other ranks were started
// with other arguments, they wait in MPI_Init for this one.
ExitStatus answer_or_run(const std::vector<std::string>& arguments, const Program& program) {
  const LauncherFacts launcher = launcher_facts();
  const Request request = parse(arguments, program);
  std::optional<ExitStatus> answered;
  if (request.ends_at_once()) answered = answer(request, program, launcher.rank);
  if (answered && launcher.size == 1) return *answered;
  return Run(program, request, launcher, answered).go();
}

}  // namespace

int run_main(int argc, char** argv, const Program& program) {
  block_end_signals();
  occupy_standard_files();
  // A closed pipe and a limit on file sizes become errors with a message.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return static_cast<int>(answer_or_run({argv + 1, argv + argc}, program));
  } catch (const std::exception& error) {
    print_message(program.name, error.what());
    return static_cast<int>(ExitStatus::system_error);
  }
}

}  // namespace collbench
