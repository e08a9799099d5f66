// SPDX-License-Identifier: Apache-2.0
#include "app/sweep_setup.h"

#include <algorithm>

#include "results/row_flags.h"

namespace collbench {

BackendSeat seat_of(RunContext& run, const CollectiveOptions& options) {
  BackendSeat seat = run.seat();
  seat.first_device = options.gpu.first_device;
  return seat;
}

DeviceUse device_use(const CollectiveOptions& options) {
  return {.one_stream = !options.interfere,
          .wait = options.wait,
          .default_stream = options.gpu.default_stream,
          .check_on_host = options.check_on_host,
          .nccl = options.gpu.nccl};
}

std::unique_ptr<Communicator> make_communicator(Backend& backend, Device& device,
                                                const CollectiveOptions& options,
                                                const RunPlan& plan) {
  auto all = backend.make_communicator(device);
  if (!options.split) return all;
  return all->split(static_cast<int>(plan.mine), all->rank());
}

std::vector<std::string> flag_fallbacks(std::vector<RowContext>& contexts, const Backend& backend,
                                        const traffic::Traffic& traffic) {
  std::vector<std::string> reasons;
  for (RowContext& context : contexts) {
    std::string why = backend.silent_fallback(traffic, context.nodes);
    if (why.empty()) continue;
    context.flags.emplace_back(row_flags::cta_fallback.name);
    if (std::find(reasons.begin(), reasons.end(), why) == reasons.end()) {
      reasons.push_back(std::move(why));
    }
  }
  return reasons;
}

}  // namespace collbench
