// SPDX-License-Identifier: Apache-2.0
#include "measure/iteration_times.h"

#include <algorithm>
#include <memory>

#include "measure/stop_rule.h"

namespace collbench {

std::vector<double> iteration_times_s(const Workbench& bench, PreparedCalls& calls, std::uint64_t n,
                                      const std::function<void()>& before_each) {
  const std::size_t step = before_each ? 2 : 1;
  std::vector<std::unique_ptr<Event>> events(before_each ? 2 * n : n + 1);
  for (auto& event : events) event = bench.device.make_event();  // not between operations
  std::size_t stamped = 0;
  const auto stamp = [&] { bench.device.record(*events[stamped++], bench.stream); };
  if (!before_each) stamp();
  for (std::uint64_t i = 0; i < n; ++i) {
    if (before_each) {
      before_each();
      stamp();
    }
    calls.enqueue(1, bench.comm, bench.stream);
    stamp();
    if (before_each) bench.stream.synchronize();
  }
  bench.stream.synchronize();
  std::vector<double> times_s;
  for (std::size_t i = 0; i + 1 < events.size(); i += step) {
    times_s.push_back(events[i + 1]->time_s() - events[i]->time_s());
  }
  return times_s;
}

std::uint64_t iterations_to_time(double iteration_s) {
  constexpr double kSeconds = 1;
  return std::clamp<std::uint64_t>(operations_per_sample(iteration_s, kSeconds),
                                   kLeastTimedIterations, 100);
}

}  // namespace collbench
