// SPDX-License-Identifier: Apache-2.0
// Runs the *_mpi_test.cpp under mpirun: one MPI session, results by rank 0, failures by every rank.
//
// The status is the same on all ranks: 0, 1 when a test failed on any, 5 when one did not end.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/errors.h"
#include "comm/mpi/mpi_test_session.h"

namespace collbench {
namespace {

std::optional<MpiSession> session;

std::string full_name(const testing::TestInfo& test) {
  return fmt::format("{}.{}", test.test_suite_name(), test.name());
}

// Of the ranks above 0: nothing but what failed there.
class FailurePrinter final : public testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(int rank) : rank_(rank) {}

 private:
  void OnTestPartResult(const testing::TestPartResult& part) override {
    if (!part.failed()) return;
    const char* file = part.file_name() != nullptr ? part.file_name() : "unknown file";
    fmt::print("rank {}: {}:{}: Failure\n{}\n", rank_, file, part.line_number(), part.message());
    std::fflush(stdout);
  }
  void OnTestEnd(const testing::TestInfo& test) override {
    if (!test.result()->Failed()) return;
    fmt::print("rank {}: [  FAILED  ] {}\n", rank_, full_name(test));
    std::fflush(stdout);
  }

  int rank_;
};

// Ends the run when a test does not end: a rank that left it early leaves the others waiting.
class HangGuard final : public testing::EmptyTestEventListener {
 public:
  explicit HangGuard(int rank) : rank_(rank), watcher_([this](std::stop_token s) { watch(s); }) {}

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr auto kLimit = std::chrono::seconds(60);

  void OnTestStart(const testing::TestInfo& test) override { expect_progress(full_name(test)); }
  void OnTestEnd(const testing::TestInfo&) override { expect_progress("the end of the tests"); }

  void expect_progress(const std::string& what) {
    const std::lock_guard lock(mutex_);
    what_ = what;
    deadline_ = Clock::now() + kLimit;
  }

  void watch(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      if (Clock::now() >= deadline_) give_up();
      changed_.wait_until(lock, stop, deadline_, [] { return false; });
    }
  }

  [[noreturn]] void give_up() {
    fmt::print("rank {}: no end of {} within {} s\n", rank_, what_, kLimit.count());
    std::fflush(stdout);
    MpiSession::abort(static_cast<int>(ExitStatus::deadline));
  }

  int rank_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string what_ = "the start of the tests";
  Clock::time_point deadline_ = Clock::now() + kLimit;
  std::jthread watcher_;  // last, so that it stops before what it reads is gone
};

void listen(int rank) {
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailurePrinter(rank));
  }
  listeners.Append(new HangGuard(rank));  // GoogleTest owns its listeners
}

}  // namespace

MpiSession& test_session() { return *session; }

}  // namespace collbench

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  collbench::session.emplace();
  collbench::listen(collbench::session->rank());
  const int failed = RUN_ALL_TESTS();
  const int failed_anywhere = collbench::session->control_plane().max(failed);
  if (failed == 0 && failed_anywhere != 0 && collbench::session->rank() == 0) {
    fmt::print("rank 0: the tests passed here, but not on every rank\n");
  }
  collbench::session->finalize();
  return failed_anywhere;
}
