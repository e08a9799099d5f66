// SPDX-License-Identifier: Apache-2.0
#include "comm/patience.h"

#include <sched.h>

#include <thread>

namespace collbench {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// A step of the scheduler lasts milliseconds, so ranks on a busy host arrive that far apart.
constexpr auto kYieldFor = milliseconds(2);
constexpr auto kShortSleepsUntil = milliseconds(10);
constexpr auto kShortSleep = microseconds(50);
constexpr auto kLongSleep = microseconds(200);

}  // namespace

void Patience::pause() {
  switch (policy_) {
    case WaitPolicy::spin:
      return;
    case WaitPolicy::yield:
      sched_yield();
      return;
    case WaitPolicy::sleep:
      std::this_thread::sleep_for(kShortSleep);
      return;
    case WaitPolicy::automatic:
      pause_ever_longer();
      return;
  }
}

void Patience::pause_ever_longer() {
  const auto now = std::chrono::steady_clock::now();
  if (!paused_) {
    paused_ = true;
    start_ = now;
  }
  const auto waited = now - start_;
  if (waited < kYieldFor) {
    sched_yield();
  } else {
    std::this_thread::sleep_for(waited < kShortSleepsUntil ? kShortSleep : kLongSleep);
  }
}

}  // namespace collbench
