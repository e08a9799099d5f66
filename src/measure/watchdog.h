// SPDX-License-Identifier: Apache-2.0
// Watchdog: ends a run that cannot end by itself: a deadline has passed, a signal has come, or a
// rank has failed while others wait for it in MPI, which never returns from any of these.
//
// Rank 0's watchdog alone ends the run: it prints one line, finishes the result file and aborts.
// Every other rank hands its cause to rank 0 if that runs on the same host. If not, it prints the
// line itself (one rank per host does when all see the same), and when the run has not ended 5 s
// later it aborts. If all aborted at once the launcher would kill rank 0 before its file is
// written.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/errors.h"
#include "measure/end_signals.h"
#include "measure/peer_processes.h"
#include "measure/progress.h"

namespace collbench {

/// Why a run ends before its time.
struct EndCause {
  ExitStatus status = ExitStatus::system_error;
  std::string message;  // a whole sentence: "rank 1 on node7: no progress for 120 s in ..."
};

enum class RunPhase : std::uint8_t {
  starting,  // MPI_Init has not returned: MPI cannot abort yet
  running,
  finalizing,  // the file is written and the status agreed: MPI cannot abort any more
};

/// Who watches.
struct WatchdogPlace {
  int rank = 0;
  int ranks = 1;
  std::string host;
};

/// What a watchdog does to the world. Each may be called from the watchdog's thread.
struct WatchdogActions {
  std::function<void(const std::string& message)> print;  // one line on stderr
  /// Rank 0 only. Returns the status that the run then ends with: another one when the run had
  /// finished its file before.
  std::function<ExitStatus(const EndCause&)> finish_result_file;
  /// Ends this process, and with it the run; does not return but in tests.
  std::function<void(ExitStatus)> leave;
  /// Ends this process after so many seconds, should finish_result_file or leave hang.
  std::function<void(ExitStatus, double seconds)> leave_later;
  std::function<std::vector<PeerProcess>()> peers;  // on this host, see find_peers
  std::function<bool(pid_t rank0, const EndNotice&)> send_notice;
};

/// The rules, without a thread: poll() decides and acts. Thread-safe.
class Watchdog {
 public:
  /// How long a rank other than 0 waits for the run to end before it aborts.
  static constexpr double kPatience_s = 5;
  /// Deadlines of the other ranks on rank 0's host are so much later: rank 0 normally speaks.
  static constexpr double kGrace_s = 0.25;
  /// How long rank 0 lets other hosts say who is stopped or missing there before it aborts.
  static constexpr double kOtherHosts_s = 0.5;
  /// The time for finalize.
  static constexpr double kFinalize_s = 5;
  /// After this long the end itself is taken to hang.
  static constexpr double kLastResort_s = 10;

  /// `clock` and `progress` must outlive this object.
  Watchdog(WatchdogPlace place, Clock& clock, Progress& progress, WatchdogActions actions);

  /// MPI_Init has returned; place by MPI, which knows better than the environment.
  void mpi_is_up(int rank, int ranks);

  /// The run is over with this status and its file is finished: the ranks only have to leave. A
  /// message means that this rank takes it that all ranks end with the same error: should they not
  /// come, rank 0 is told.
  void finalizing(EndCause outcome);

  /// This rank has failed: the next poll ends the run. The caller then waits for its end.
  void fail(EndCause cause);

  /// One look at signal, failure and deadline. Called every 50 ms, with a signal if one came.
  void poll(const std::optional<EndSignal>& signal);

 private:
  struct Waiting {  // before it leaves
    EndCause cause;
    double until_s;
    bool print_at_end;
    bool tell_rank0;  // once it has started its program
  };

  std::optional<EndCause> find_cause(const std::optional<EndSignal>& signal);
  int rank_in(const Progress::Step& step) const { return step.rank.value_or(place_.rank); }
  EndCause cause_of(const EndSignal& signal) const;
  std::optional<EndCause> passed_deadline();
  std::string start_message(double limit_s, const std::vector<PeerProcess>& peers) const;
  void end_run(const EndCause& cause);
  void leave_finalize(const EndCause& cause);
  void hand_over(const EndCause& cause);
  bool tell_rank0(const EndCause& cause, const std::vector<PeerProcess>& peers);
  void lose_patience();
  void leave(ExitStatus status);

  Clock& clock_;
  Progress& progress_;
  const WatchdogActions actions_;

  std::mutex mutex_;  // guards what is below
  WatchdogPlace place_;
  RunPhase phase_ = RunPhase::starting;
  EndCause outcome_;  // in phase finalizing
  std::optional<EndCause> failure_;
  std::optional<Waiting> waiting_;
  bool ended_ = false;
};

/// Polls the watchdog every 50 ms, and at once when a signal comes, until it is destroyed.
/// block_end_signals must have been called before.
class WatchdogThread {
 public:
  explicit WatchdogThread(Watchdog& watchdog);
  ~WatchdogThread();
  WatchdogThread(const WatchdogThread&) = delete;
  WatchdogThread& operator=(const WatchdogThread&) = delete;

 private:
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace collbench
