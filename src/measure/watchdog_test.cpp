// SPDX-License-Identifier: Apache-2.0
#include "measure/watchdog.h"

#include <gtest/gtest.h>

#include <csignal>
#include <future>
#include <string>
#include <vector>

namespace collbench {
namespace {

// Bit 33 is signal 34, SIGRTMIN on Linux with glibc.
const std::string kBlocksNotices = "0000000200004002";

PeerProcess running(int rank) { return {rank, 100 + rank, 'R', true, "perf", kBlocksNotices}; }
PeerProcess stopped(int rank) { return {rank, 100 + rank, 'T', true, "perf", kBlocksNotices}; }
PeerProcess waiting_script(int rank) { return {rank, 100 + rank, 'S', false, "wrap.sh", "0"}; }

// A watchdog that keeps a diary of what it does: "print ...", "file 5", "leave 5", "tell 100 5".
class WatchdogTest : public ::testing::Test {
 protected:
  void watch(int rank, std::vector<PeerProcess> peers) {
    peers_ = std::move(peers);
    watchdog_.emplace(WatchdogPlace{rank, 4, "node7"}, clock_, progress_, actions());
  }
  void watch_running(int rank, std::vector<PeerProcess> peers) {
    watch(rank, std::move(peers));
    watchdog_->mpi_is_up(rank, 4);
    progress_.enter("all_reduce 1 MiB float block 12", 2);
  }

  WatchdogActions actions() {
    const auto code = [](ExitStatus status) { return std::to_string(static_cast<int>(status)); };
    return {
        .print = [this](const std::string& text) { diary_.push_back("print " + text); },
        .finish_result_file =
            [this, code](const EndCause& cause) {
              diary_.push_back("file " + code(cause.status));
              return status_of_file_.value_or(cause.status);
            },
        .leave = [this, code](ExitStatus status) { diary_.push_back("leave " + code(status)); },
        .leave_later = [this](ExitStatus, double) { ++last_resorts_; },
        .peers = [this] { return peers_; },
        .send_notice =
            [this, code](pid_t pid, const EndNotice& notice) {
              diary_.push_back("tell " + std::to_string(pid) + " " + code(notice.status) + " " +
                               notice.message);
              return notices_arrive_;
            },
    };
  }

  void pass(double seconds) {
    clock_.advance(seconds);
    watchdog_->poll({});
  }

  using Diary = std::vector<std::string>;
  ManualClock clock_;
  Progress progress_{clock_};
  std::vector<PeerProcess> peers_;
  bool notices_arrive_ = true;
  std::optional<ExitStatus> status_of_file_;
  int last_resorts_ = 0;
  Diary diary_;
  std::optional<Watchdog> watchdog_;
};

TEST_F(WatchdogTest, ProgressKeepsItQuiet) {
  watch_running(0, {});
  for (int block = 0; block < 10; ++block) {
    progress_.enter("block", 2);
    pass(1.9);
  }
  EXPECT_EQ(diary_, Diary{});
}

TEST_F(WatchdogTest, NoLimitNoDeadline) {
  watch_running(0, {});
  progress_.enter("block", step_limit_s(0, 1));
  pass(1e9);
  EXPECT_EQ(diary_, Diary{});
}

TEST_F(WatchdogTest, RankZeroEndsTheRunAtADeadlineOnce) {
  watch_running(0, {running(0), running(1), running(2), running(3)});
  pass(2.1);
  pass(2.1);
  EXPECT_EQ(diary_, (Diary{"print rank 0 on node7: no progress for 2 s in all_reduce 1 MiB float "
                           "block 12",
                           "file 5", "leave 5"}));
  EXPECT_EQ(last_resorts_, 1);
}

TEST_F(WatchdogTest, RankZeroLetsOtherHostsSpeakAtADeadline) {
  watch_running(0, {running(0), running(1)});
  pass(2.1);
  ASSERT_EQ(diary_.size(), 2U);
  EXPECT_EQ(diary_[1], "file 5");
  pass(0.4);
  EXPECT_EQ(diary_.size(), 2U);
  pass(0.2);
  EXPECT_EQ(diary_.size(), 3U);
  EXPECT_EQ(diary_[2], "leave 5");
}

TEST_F(WatchdogTest, AStoppedRankIsNamed) {
  watch_running(0, {running(0), stopped(2)});
  pass(2.1);
  EXPECT_EQ(diary_.front(),
            "print rank 0 on node7: no progress for 2 s in all_reduce 1 MiB float block 12; "
            "rank 2 (pid 102) is stopped");
}

TEST_F(WatchdogTest, AnotherRankTellsRankZeroOfItsHostAndWaits) {
  watch_running(1, {running(0), running(1)});
  pass(2.1);  // rank 0 has its chance first
  EXPECT_EQ(diary_, Diary{});
  pass(0.2);
  const std::string line =
      "rank 1 on node7: no progress for 2 s in all_reduce 1 MiB float block 12";
  EXPECT_EQ(diary_, Diary{"tell 100 5 " + line});
  pass(4.9);
  EXPECT_EQ(diary_.size(), 1U);
  pass(0.2);
  EXPECT_EQ(diary_, (Diary{"tell 100 5 " + line, "print " + line, "leave 5"}));
}

TEST_F(WatchdogTest, OneRankSpeaksForAHostWithoutRankZero) {
  watch_running(2, {running(2), running(3)});
  pass(2.1);
  ASSERT_EQ(diary_.size(), 1U);
  EXPECT_TRUE(diary_[0].starts_with("print rank 2 on node7: no progress for 2 s"));
  pass(5.1);
  EXPECT_EQ(diary_.size(), 2U);
  EXPECT_EQ(diary_.back(), "leave 5");
}

TEST_F(WatchdogTest, TheOthersOfThatHostAreSilent) {
  watch_running(3, {running(2), running(3)});
  pass(2.3);
  pass(5.1);
  EXPECT_EQ(diary_, Diary{"leave 5"});
}

TEST_F(WatchdogTest, AStoppedRankDoesNotSpeak) {
  watch_running(3, {stopped(2), running(3)});
  pass(2.3);
  ASSERT_EQ(diary_.size(), 1U);
  EXPECT_TRUE(diary_[0].ends_with("block 12; rank 2 (pid 102) is stopped"));
}

TEST_F(WatchdogTest, AStoppedRankZeroIsNamedByTheNext) {
  watch_running(1, {stopped(0), running(1)});
  pass(2.3);
  ASSERT_EQ(diary_.size(), 1U);
  EXPECT_TRUE(diary_[0].ends_with("block 12; rank 0 (pid 100) is stopped"));
  pass(5.1);
  EXPECT_EQ(diary_.back(), "leave 5");
}

TEST_F(WatchdogTest, SignalsEndTheRun) {
  watch_running(0, {});
  watchdog_->poll(EndSignal{SIGINT, {}});
  EXPECT_EQ(diary_, (Diary{"print rank 0 on node7 got SIGINT in all_reduce 1 MiB float block 12",
                           "file 130", "leave 130"}));
}

TEST_F(WatchdogTest, ASignalAfterTheFileWasFinishedKeepsItsStatus) {
  status_of_file_ = ExitStatus::wrong_data;
  watch_running(0, {});
  watchdog_->poll(EndSignal{SIGINT, {}});
  EXPECT_EQ(diary_.back(), "leave 4");
}

TEST_F(WatchdogTest, ASignalOnAnotherRankIsPassedOnOnceRankZeroHasStarted) {
  watch_running(1, {running(1)});
  watchdog_->poll(EndSignal{SIGTERM, {}});
  peers_ = {running(0), running(1)};
  pass(0.05);
  EXPECT_EQ(diary_, Diary{"tell 100 143 rank 1 on node7 got SIGTERM in all_reduce 1 MiB float "
                          "block 12"});
}

TEST_F(WatchdogTest, ASignalOnAnotherHostIsToldOfOnlyIfItAloneEndsTheRun) {
  watch_running(3, {running(2), running(3)});
  watchdog_->poll(EndSignal{SIGTERM, {}});
  EXPECT_EQ(diary_, Diary{});
  pass(5.1);
  ASSERT_EQ(diary_.size(), 2U);
  EXPECT_TRUE(diary_[0].starts_with("print rank 3 on node7 got SIGTERM"));
  EXPECT_EQ(diary_[1], "leave 143");
}

TEST_F(WatchdogTest, ANoticeEndsTheRunWithItsStatusAndMessage) {
  watch_running(0, {});
  watchdog_->poll(EndSignal{notice_signal(), EndNotice{2, ExitStatus::system_error, "rank 2: no"}});
  EXPECT_EQ(diary_, (Diary{"print rank 2: no", "file 3", "leave 3"}));
}

TEST_F(WatchdogTest, ANoticeWithoutTextNamesTheRank) {
  watch_running(0, {});
  watchdog_->poll(EndSignal{notice_signal(), EndNotice{2, ExitStatus::system_error, ""}});
  EXPECT_EQ(diary_.front(), "print rank 2 on node7 failed");
}

TEST_F(WatchdogTest, AFailureOfAnotherRankIsToldToRankZero) {
  watch_running(2, {running(0), running(2)});
  watchdog_->fail({ExitStatus::system_error, "MPI_Foo failed"});
  watchdog_->poll({});
  EXPECT_EQ(diary_, Diary{"tell 100 3 MPI_Foo failed"});
}

TEST_F(WatchdogTest, AFailureOnAnotherHostIsPrintedAtOnce) {
  watch_running(3, {running(2), running(3)});
  watchdog_->fail({ExitStatus::system_error, "MPI_Foo failed"});
  watchdog_->poll({});
  pass(5.1);
  EXPECT_EQ(diary_, (Diary{"print MPI_Foo failed", "leave 3"}));
}

TEST_F(WatchdogTest, NoNoticeToARankThatWouldDieOfIt) {
  PeerProcess young = running(0);
  young.blocked_signals = "0";
  watch_running(1, {young, running(1)});
  watchdog_->fail({ExitStatus::system_error, "MPI_Foo failed"});
  watchdog_->poll({});
  EXPECT_EQ(diary_, Diary{"print MPI_Foo failed"});
}

TEST_F(WatchdogTest, ANoticeThatTheSystemRefusesIsPrintedInstead) {
  notices_arrive_ = false;
  watch_running(1, {running(0), running(1)});
  watchdog_->fail({ExitStatus::system_error, "MPI_Foo failed"});
  watchdog_->poll({});
  EXPECT_EQ(diary_.back(), "print MPI_Foo failed");
}

TEST_F(WatchdogTest, MissingRanksAtTheStart) {
  watch(0, {running(0), running(1), stopped(2), waiting_script(3)});
  progress_.enter("MPI_Init", 300);
  pass(300.1);
  EXPECT_EQ(diary_,
            (Diary{"print 2 of 4 ranks wait in MPI_Init after 300 s (on node7: rank 2 (pid 102) is "
                   "stopped, rank 3 (pid 103) has not started the program (it runs wrap.sh))",
                   "file 5", "leave 5"}));
}

TEST_F(WatchdogTest, NobodyMissingOnThisHost) {
  watch(2, {running(2), running(3)});
  progress_.enter("MPI_Init", 300);
  pass(300.3);
  EXPECT_EQ(diary_, Diary{"print 2 of 4 ranks wait in MPI_Init after 300 s (on node7: the "
                          "others are not on this host, or have ended)"});
}

TEST_F(WatchdogTest, FinalizeKeepsTheStatusOfTheRun) {
  watch_running(0, {});
  watchdog_->finalizing({ExitStatus::wrong_data, ""});
  pass(5.1);
  EXPECT_EQ(diary_, (Diary{"print rank 0 on node7: no progress for 5 s in finalize", "leave 4"}));
}

TEST_F(WatchdogTest, OtherRanksLeaveFinalizeSilently) {
  watch_running(1, {running(0), running(1)});
  watchdog_->finalizing({ExitStatus::ok, ""});
  watchdog_->poll(EndSignal{SIGTERM, {}});
  EXPECT_EQ(diary_, Diary{"leave 0"});
}

TEST_F(WatchdogTest, AnErrorThatOnlyThisRankHasIsToldToRankZero) {
  watch_running(1, {running(0), running(1)});
  watchdog_->finalizing({ExitStatus::user_error, "no such file"});
  pass(5.3);
  EXPECT_EQ(diary_, Diary{"tell 100 2 no such file"});
  pass(5.1);
  EXPECT_EQ(diary_.back(), "leave 2");
}

TEST_F(WatchdogTest, TheThreadActsAndThenStops) {
  sigset_t before{};
  sigprocmask(SIG_SETMASK, nullptr, &before);
  block_end_signals();
  std::promise<ExitStatus> left;
  WatchdogActions actions = this->actions();
  actions.leave = [&](ExitStatus status) { left.set_value(status); };
  Watchdog watchdog({0, 4, "node7"}, clock_, progress_, actions);
  {
    const WatchdogThread thread(watchdog);
    watchdog.fail({ExitStatus::system_error, "MPI_Foo failed"});
    EXPECT_EQ(left.get_future().get(), ExitStatus::system_error);
  }
  EXPECT_EQ(diary_, (Diary{"print MPI_Foo failed", "file 3"}));
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace
}  // namespace collbench
