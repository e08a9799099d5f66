// SPDX-License-Identifier: Apache-2.0
// Which waits give up the core, by the kernel's count of voluntary switches: sleeping is one,
// yielding is none.
#include "comm/patience.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>

namespace collbench {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

long voluntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

long switches_in(Patience& patience, int pauses) {
  const long before = voluntary_switches();
  for (int i = 0; i < pauses; ++i) patience.pause();
  return voluntary_switches() - before;
}

TEST(Patience, OnlySleepSleeps) {
  Patience spin(WaitPolicy::spin);
  EXPECT_EQ(switches_in(spin, 20), 0);
  Patience yield(WaitPolicy::yield);
  EXPECT_EQ(switches_in(yield, 20), 0);
  Patience sleep(WaitPolicy::sleep);
  EXPECT_EQ(switches_in(sleep, 20), 20);
}

TEST(Patience, AutomaticSleepsOnceTheWaitIsLongAndYieldsAgainAfterReset) {
  Patience patience(WaitPolicy::automatic);
  const auto start = steady_clock::now();
  while (steady_clock::now() - start < milliseconds(3)) patience.pause();
  EXPECT_EQ(switches_in(patience, 20), 20);
  patience.reset();
  EXPECT_EQ(switches_in(patience, 1), 0);
}

}  // namespace
}  // namespace collbench
