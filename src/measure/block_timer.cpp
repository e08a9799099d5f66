// SPDX-License-Identifier: Apache-2.0
#include "measure/block_timer.h"

#include "measure/alignment.h"
#include "measure/background.h"

namespace collbench {

BlockTimer::BlockTimer(const Workbench& bench, const Method& method)
    : bench_(bench), method_(method) {
  if (!bench.device.stamps_events()) return;
  begin_ = bench.device.make_event();
  end_ = bench.device.make_event();
}

// The control plane's barrier lets ranks that wait long sleep, so that they leave it far apart;
// where one operation is all that is timed, an alignment follows that is short and exact.
void BlockTimer::align() {
  if (method_.mode == Mode::isolated_unaligned) return;
  bench_.control.barrier();
  if (bench_.alignment != nullptr) bench_.alignment->align(bench_.stream);
}

TimedBlock BlockTimer::time(PreparedCalls& calls, std::uint64_t iterations) {
  if (bench_.background == nullptr) return time_once(calls, iterations);
  while (true) {
    bench_.background->start();
    const TimedBlock block = time_once(calls, iterations);
    if (bench_.background->outlasted()) return block;
  }
}

TimedBlock BlockTimer::time_once(PreparedCalls& calls, std::uint64_t iterations) {
  Device& device = bench_.device;
  const bool host_may_run_ahead = begin_ != nullptr;
  align();
  if (begin_) device.record(*begin_, bench_.stream);
  const double start_s = device.now_s();
  calls.enqueue(iterations, bench_.comm, bench_.stream);
  const bool reads = method_.enqueue_time || host_may_run_ahead;
  const double enqueued_s = reads ? device.now_s() : start_s;
  if (end_) device.record(*end_, bench_.stream);
  bench_.stream.synchronize();
  const double end_s = device.now_s();
  const double operations =
      static_cast<double>(iterations) * static_cast<double>(method_.grouped_operations);
  const double device_s = begin_ ? end_->time_s() - begin_->time_s() : 0;
  return {(end_s - start_s) / operations, start_s, (enqueued_s - start_s) / operations,
          device_s / operations};
}

}  // namespace collbench
