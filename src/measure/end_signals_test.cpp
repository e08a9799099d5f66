// SPDX-License-Identifier: Apache-2.0
#include "measure/end_signals.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

namespace collbench {
namespace {

// Leaves the mask of the test program as it was, and nothing pending.
class EndSignals : public ::testing::Test {
 protected:
  EndSignals() {
    sigprocmask(SIG_SETMASK, nullptr, &before_);
    // Whoever started the tests may have them ignored: nohup, a shell in the background.
    for (const int number : {SIGHUP, SIGQUIT}) signal(number, SIG_DFL);
    block_end_signals();
  }
  ~EndSignals() override {
    while (take_end_signal(0)) {
    }
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  sigset_t before_{};
};

TEST_F(EndSignals, NothingComes) { EXPECT_FALSE(take_end_signal(0.001)); }

TEST_F(EndSignals, ASignalFromOutside) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    kill(getpid(), number);
    const auto signal = take_end_signal(1);
    ASSERT_TRUE(signal) << number;
    EXPECT_EQ(signal->number, number);
    EXPECT_FALSE(signal->notice);
  }
}

TEST_F(EndSignals, WhatNohupHasIgnoredIsNotTaken) {
  signal(SIGHUP, SIG_IGN);
  kill(getpid(), SIGHUP);
  EXPECT_FALSE(take_end_signal(0.01));
  signal(SIGHUP, SIG_DFL);
  EXPECT_TRUE(take_end_signal(0.01));  // it was blocked, and so kept
}

TEST_F(EndSignals, ANoticeArrivesWhole) {
  const std::string message(3000, 'x');
  ASSERT_TRUE(send_notice(getpid(), {70000, ExitStatus::terminated, message}));
  const auto signal = take_end_signal(1);
  ASSERT_TRUE(signal && signal->notice);
  EXPECT_EQ(signal->notice->rank, 70000);
  EXPECT_EQ(signal->notice->status, ExitStatus::terminated);
  EXPECT_EQ(signal->notice->message, message);
}

TEST_F(EndSignals, ALongMessageIsCut) {
  ASSERT_TRUE(send_notice(getpid(), {1, ExitStatus::system_error, std::string(9000, 'x')}));
  const auto signal = take_end_signal(1);
  ASSERT_TRUE(signal && signal->notice);
  EXPECT_EQ(signal->notice->message.size(), 4096U);
}

TEST_F(EndSignals, TheSignalAloneIsNoNotice) {
  kill(getpid(), notice_signal());
  EXPECT_FALSE(take_end_signal(1));
}

TEST_F(EndSignals, AValueOfSomebodyElseIsNoNotice) {
  union sigval value {};
  value.sival_int = 7;  // no status that a run ends early with
  sigqueue(getpid(), notice_signal(), value);
  EXPECT_FALSE(take_end_signal(1));
}

TEST_F(EndSignals, AMessageThatCannotBeReadLeavesTheRest) {
  union sigval value {};
  const std::uint64_t bits = 3U | 5U << 8 | std::uint64_t{999999} << 32;  // no such file
  value.sival_ptr = reinterpret_cast<void*>(bits);
  sigqueue(getpid(), notice_signal(), value);
  const auto signal = take_end_signal(1);
  ASSERT_TRUE(signal && signal->notice);
  EXPECT_EQ(signal->notice->rank, 5);
  EXPECT_EQ(signal->notice->status, ExitStatus::system_error);
  EXPECT_EQ(signal->notice->message, "");
}

}  // namespace
}  // namespace collbench
