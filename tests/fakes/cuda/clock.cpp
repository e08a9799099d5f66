// SPDX-License-Identifier: Apache-2.0
#include "clock.h"

#include <algorithm>
#include <chrono>

#include "settings.h"

namespace fakecuda {
namespace {

double& virtual_host_s() {
  thread_local double now_s = 0;
  return now_s;
}

}  // namespace

double steady_now_s() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

bool virtual_time() { return settings().virtual_time; }

double host_now_s() { return virtual_time() ? virtual_host_s() : steady_now_s(); }

void host_advance_to_s(double time_s) { virtual_host_s() = std::max(virtual_host_s(), time_s); }

void host_spend_call() { virtual_host_s() += settings().call_s; }

}  // namespace fakecuda

double collbench_clock_now_s() { return fakecuda::host_now_s(); }
