// SPDX-License-Identifier: Apache-2.0
#include "app/rank_threads.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <thread>

#include "app/agreement.h"
#include "comm/rank_team.h"

namespace collbench {
namespace {

// A rank thread's place in the run; all else is its process's.
class RankThread final : public RunContext {
 public:
  RankThread(RunContext& process, RankTeam& team, int thread, int threads)
      : process_(process),
        control_(team.control_plane(thread)),
        seat_{control_, process.seat().local_rank * threads + thread,
              process.seat().local_size * threads, thread},
        progress_(process.progress(), control_.rank()) {}

  MpiSession& session() override { return process_.session(); }
  ControlPlane& control() override { return control_; }
  BackendSeat seat() override { return seat_; }
  Progress& progress() override { return progress_; }
  ResultFile* own(const MakeResultFile& make) override { return process_.own(make); }
  void print(std::string_view text) override { process_.print(text); }
  void fail(const std::exception_ptr& failure, const Progress::Step& step) override {
    process_.fail(failure, step);
  }
  void abort_with(std::function<void()> abort) override { process_.abort_with(std::move(abort)); }

  /// Until the body has returned, or thrown what all ranks throw.
  void run(const std::function<ExitStatus(RunContext&)>& body) {
    try {
      status_ = body(*this);
    } catch (const UserError&) {
      common_error_ = std::current_exception();
    } catch (const CommonSystemError&) {
      common_error_ = std::current_exception();
    } catch (...) {  // the other ranks wait for this one: the run has to be ended
      fail(std::current_exception(), progress_.step());
    }
    latest_limit_s_ = progress_.step().limit_s;
    progress_.enter("done", 0);
  }

  /// Of its last step, once run() has returned.
  double latest_limit_s() const { return latest_limit_s_; }

  /// Once run() has returned.
  ExitStatus status() const {
    if (common_error_) std::rethrow_exception(common_error_);
    return status_;
  }

 private:
  RunContext& process_;
  ControlPlane& control_;
  BackendSeat seat_;
  Progress progress_;
  double latest_limit_s_ = 0;
  ExitStatus status_ = ExitStatus::ok;
  std::exception_ptr common_error_;
};

// The process goes on with a deadline as that of its ranks: it waits for other processes.
double longest_limit_s(const std::vector<std::unique_ptr<RankThread>>& ranks) {
  double longest_s = 0;
  for (const auto& rank : ranks) longest_s = std::max(longest_s, rank->latest_limit_s());
  return longest_s;
}

ExitStatus worst_status(const std::vector<std::unique_ptr<RankThread>>& ranks) {
  std::vector<ExitStatus> statuses;
  for (const auto& rank : ranks) statuses.push_back(rank->status());
  return combined_status(statuses);
}

}  // namespace

ExitStatus run_rank_threads(RunContext& process, int threads,
                            const std::function<ExitStatus(RunContext& rank)>& body) {
  if (threads == 1) return body(process);
  RankTeam team(process.control(), threads);
  std::vector<std::unique_ptr<RankThread>> ranks;
  for (int t = 0; t < threads; ++t) {
    ranks.push_back(std::make_unique<RankThread>(process, team, t, threads));
  }
  process.progress().enter("waiting for rank threads", 0);
  {
    std::vector<std::jthread> running;
    for (const auto& rank : ranks) running.emplace_back([&] { rank->run(body); });
  }
  process.progress().enter("after the rank threads", longest_limit_s(ranks));
  return worst_status(ranks);
}

}  // namespace collbench
