// SPDX-License-Identifier: Apache-2.0
#include "app/rank_threads.h"

#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <stdexcept>
#include <string>

#include "base/clock.h"
#include "comm/test_one_process.h"

namespace collbench {
namespace {

// A process of its own run, the second of four on its host as far as seats tell.
class ProcessOfOne final : public RunContext {
 public:
  MpiSession& session() override { throw std::logic_error("no MPI in this test"); }
  ControlPlane& control() override { return control_; }
  BackendSeat seat() override { return {control_, 1, 4}; }
  Progress& progress() override { return progress_; }
  ResultFile* own(const MakeResultFile&) override { return nullptr; }
  void print(std::string_view text) override {
    const std::lock_guard lock(mutex_);
    printed_ += text;
  }
  void fail(const std::exception_ptr& failure, const Progress::Step&) override {
    std::rethrow_exception(failure);
  }
  void abort_with(std::function<void()>) override {}

  const std::string& printed() const { return printed_; }

 private:
  ManualClock clock_;
  Progress progress_{clock_};
  OneProcess control_;
  std::mutex mutex_;
  std::string printed_;
};

TEST(RankThreads, EachIsARankOfItsOwnPlaceAndControlPlane) {
  ProcessOfOne process;
  std::mutex mutex;
  std::set<std::string> places;
  const ExitStatus status = run_rank_threads(process, 3, [&](RunContext& rank) {
    const auto ranks = rank.control().all_gather(rank.control().rank());
    EXPECT_EQ(ranks, (std::vector<int>{0, 1, 2}));
    const std::lock_guard lock(mutex);
    places.insert(std::to_string(rank.progress().step().rank.value_or(-1)) + ": seat " +
                  std::to_string(rank.seat().local_rank) + " of " +
                  std::to_string(rank.seat().local_size));
    return ExitStatus::ok;
  });
  EXPECT_EQ(status, ExitStatus::ok);
  EXPECT_EQ(places,
            (std::set<std::string>{"0: seat 3 of 12", "1: seat 4 of 12", "2: seat 5 of 12"}));
}

TEST(RankThreads, TheProcessGoesOnWithTheirDeadline) {
  ProcessOfOne process;
  run_rank_threads(process, 3, [](RunContext& rank) {
    rank.progress().enter("the last step", 10 + rank.control().rank());
    return ExitStatus::ok;
  });
  EXPECT_EQ(process.progress().step().limit_s, 12);
  EXPECT_EQ(process.progress().step().rank, std::nullopt);
}

TEST(RankThreads, OneRankIsTheProcessItself) {
  ProcessOfOne process;
  run_rank_threads(process, 1, [&](RunContext& rank) {
    EXPECT_EQ(&rank, &process);
    return ExitStatus::ok;
  });
}

TEST(RankThreads, TheWorstStatusWins) {
  ProcessOfOne process;
  const ExitStatus status = run_rank_threads(process, 3, [](RunContext& rank) {
    return rank.control().rank() == 1 ? ExitStatus::wrong_data : ExitStatus::ok;
  });
  EXPECT_EQ(status, ExitStatus::wrong_data);
}

TEST(RankThreads, WhatAllRanksThrowIsThrownOnce) {
  ProcessOfOne process;
  const auto body = [](RunContext& rank) -> ExitStatus {
    rank.print(".");
    throw UserError("-b: nothing of this size");
  };
  EXPECT_THROW(run_rank_threads(process, 3, body), UserError);
  EXPECT_EQ(process.printed(), "...");
}

}  // namespace
}  // namespace collbench
