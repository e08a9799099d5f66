// SPDX-License-Identifier: Apache-2.0
#include "measure/watchdog.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <utility>

namespace collbench {
namespace {

constexpr double kPollInterval_s = 0.05;

bool can_speak(const PeerProcess& peer) { return peer.runs_program && !peer.stopped(); }

// One rank per host prints what all of them see, where rank 0 cannot do it.
bool speaks_for_host(int rank, const std::vector<PeerProcess>& peers) {
  return std::none_of(peers.begin(), peers.end(), [&](const PeerProcess& peer) {
    return peer.rank != 0 && peer.rank < rank && can_speak(peer);
  });
}

// This one alone where no launcher is to be found.
int ranks_here(const std::vector<PeerProcess>& peers) {
  return std::max(1, static_cast<int>(peers.size()));
}

const PeerProcess* find_rank0(const std::vector<PeerProcess>& peers) {
  for (const PeerProcess& peer : peers) {
    if (peer.rank == 0 && can_speak(peer) && peer.blocks_signal(notice_signal())) return &peer;
  }
  return nullptr;
}

}  // namespace

Watchdog::Watchdog(WatchdogPlace place, Clock& clock, Progress& progress, WatchdogActions actions)
    : clock_(clock), progress_(progress), actions_(std::move(actions)), place_(std::move(place)) {}

void Watchdog::mpi_is_up(int rank, int ranks) {
  const std::lock_guard lock(mutex_);
  place_.rank = rank;
  place_.ranks = ranks;
  phase_ = RunPhase::running;
}

void Watchdog::finalizing(EndCause outcome) {
  const std::lock_guard lock(mutex_);
  phase_ = RunPhase::finalizing;
  outcome_ = std::move(outcome);
  progress_.enter("finalize", kFinalize_s);
}

void Watchdog::fail(EndCause cause) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(cause);
}

void Watchdog::poll(const std::optional<EndSignal>& signal) {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  if (waiting_) {
    if (waiting_->tell_rank0) waiting_->tell_rank0 = !tell_rank0(waiting_->cause, actions_.peers());
    if (clock_.now_s() >= waiting_->until_s) lose_patience();
    return;
  }
  const auto cause = find_cause(signal);
  if (!cause) return;
  if (phase_ == RunPhase::finalizing) {
    leave_finalize(*cause);
  } else if (place_.rank == 0) {
    end_run(*cause);
  } else {
    hand_over(*cause);
  }
}

// ---- why

std::optional<EndCause> Watchdog::find_cause(const std::optional<EndSignal>& signal) {
  if (failure_) return failure_;
  if (signal) return cause_of(*signal);
  return passed_deadline();
}

EndCause Watchdog::cause_of(const EndSignal& signal) const {
  if (signal.notice) {
    const EndNotice& notice = *signal.notice;
    if (!notice.message.empty()) return {notice.status, notice.message};
    return {notice.status, fmt::format("rank {} on {} failed", notice.rank, place_.host)};
  }
  const Progress::Step step = progress_.step();
  return {signal.number == SIGINT ? ExitStatus::interrupted : ExitStatus::terminated,
          fmt::format("rank {} on {} got SIG{} in {}", rank_in(step), place_.host,
                      sigabbrev_np(signal.number), step.what)};
}

std::optional<EndCause> Watchdog::passed_deadline() {
  const Progress::Step step = progress_.step();
  if (step.limit_s <= 0) return std::nullopt;
  const double late_s = clock_.now_s() - step.entered_s - step.limit_s;
  if (late_s < 0) return std::nullopt;
  const std::vector<PeerProcess> peers = actions_.peers();
  if (place_.rank != 0 && late_s < kGrace_s && find_rank0(peers) != nullptr) return std::nullopt;
  if (phase_ == RunPhase::starting) {
    return EndCause{ExitStatus::deadline, start_message(step.limit_s, peers)};
  }
  const std::string missing = describe_missing(peers);
  return EndCause{
      ExitStatus::deadline,
      fmt::format("rank {} on {}: no progress for {:.4g} s in {}{}{}", rank_in(step), place_.host,
                  step.limit_s, step.what, missing.empty() ? "" : "; ", missing)};
}

std::string Watchdog::start_message(double limit_s, const std::vector<PeerProcess>& peers) const {
  const auto waiting = peers.empty() ? 1 : std::count_if(peers.begin(), peers.end(), can_speak);
  std::string missing = describe_missing(peers);
  if (missing.empty()) {
    missing = ranks_here(peers) < place_.ranks ? "the others are not on this host, or have ended"
              : place_.ranks > 1 ? "no rank is missing; look at the network between them"
                                 : "there is no other rank to wait for";
  }
  return fmt::format("{} of {} ranks wait in MPI_Init after {:.4g} s (on {}: {})", waiting,
                     place_.ranks, limit_s, place_.host, missing);
}

// ---- how

void Watchdog::end_run(const EndCause& cause) {
  actions_.leave_later(cause.status, kLastResort_s);
  actions_.print(cause.message);  // before the file, which may be what hangs
  const ExitStatus status = actions_.finish_result_file(cause);
  const bool other_hosts_may_speak =
      cause.status == ExitStatus::deadline && ranks_here(actions_.peers()) < place_.ranks;
  if (other_hosts_may_speak) {
    waiting_ = Waiting{{status, ""}, clock_.now_s() + kOtherHosts_s, false, false};
  } else {
    leave(status);
  }
}

void Watchdog::leave_finalize(const EndCause& cause) {
  if (place_.rank != 0 && !outcome_.message.empty()) {
    hand_over(outcome_);
    return;
  }
  actions_.leave_later(outcome_.status, kLastResort_s);
  // An error has been printed before: that ranks were missing here is its consequence.
  if (place_.rank == 0 && outcome_.message.empty()) actions_.print(cause.message);
  leave(outcome_.status);
}

void Watchdog::hand_over(const EndCause& cause) {
  actions_.leave_later(cause.status, kPatience_s + kLastResort_s);
  const std::vector<PeerProcess> peers = actions_.peers();
  const bool told = tell_rank0(cause, peers);
  // All ranks pass the same deadline, and a signal mostly reaches all; an error is one rank's own.
  const bool deadline = cause.status == ExitStatus::deadline;
  const bool own = failure_.has_value();
  const bool speaks = !deadline || speaks_for_host(place_.rank, peers);
  const bool print_now = !told && speaks && (deadline || own);
  if (print_now) actions_.print(cause.message);
  waiting_ =
      Waiting{cause, clock_.now_s() + kPatience_s, speaks && !print_now, !told && !print_now};
}

bool Watchdog::tell_rank0(const EndCause& cause, const std::vector<PeerProcess>& peers) {
  const PeerProcess* rank0 = find_rank0(peers);
  return rank0 != nullptr &&
         actions_.send_notice(rank0->pid, {place_.rank, cause.status, cause.message});
}

void Watchdog::lose_patience() {
  if (waiting_->print_at_end) actions_.print(waiting_->cause.message);
  leave(waiting_->cause.status);
}

void Watchdog::leave(ExitStatus status) {
  ended_ = true;
  actions_.leave(status);
}

// ---- the thread

WatchdogThread::WatchdogThread(Watchdog& watchdog)
    : thread_([this, &watchdog] {
        while (!stop_) watchdog.poll(take_end_signal(kPollInterval_s));
      }) {}

WatchdogThread::~WatchdogThread() {
  stop_ = true;
  pthread_kill(thread_.native_handle(), notice_signal());  // carries no notice: it only wakes
  thread_.join();
}

}  // namespace collbench
