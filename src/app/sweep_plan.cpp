// SPDX-License-Identifier: Apache-2.0
#include "app/sweep_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "traffic/sizes.h"

namespace collbench {
namespace {

std::string describe_size(const SweepSize& size, const traffic::Traffic& traffic,
                          const Setting& setting) {
  return fmt::format("{:>16}{:>16}{:>16}{:>10}{:>16}{:>16}{}\n", size.requested_bytes,
                     size.message_bytes, size.count, name_of(setting.type),
                     traffic::send_bytes(traffic, size.count, setting.type, setting.ranks),
                     traffic::recv_bytes(traffic, size.count, setting.type, setting.ranks),
                     size.skip_reason.empty() ? "" : "  skipped: " + size.skip_reason);
}

}  // namespace

std::vector<PlannedSweep> plan_sweeps(const CollectiveOptions& options,
                                      const traffic::Traffic& traffic, RankPlace place) {
  std::vector<PlannedSweep> sweeps;
  for (const DataType type : options.types) {
    const auto sizes = plan_sweep(options.sweep, {traffic, type, place.ranks});
    for (const ReduceOp op : traffic.reduces ? options.ops : std::vector{ReduceOp::sum}) {
      Setting setting;
      setting.type = type;
      setting.op = op;
      setting.rank = place.rank;
      setting.ranks = place.ranks;
      sweeps.push_back({setting, sizes});
    }
  }
  return sweeps;
}

Bytes largest_message(const std::vector<PlannedSweep>& sweeps) {
  Bytes largest = 0;
  for (const PlannedSweep& sweep : sweeps) {
    for (const SweepSize& size : sweep.sizes) {
      if (size.skip_reason.empty()) largest = std::max(largest, size.message_bytes);
    }
  }
  return largest;
}

std::string describe_sweeps(const CollectiveOptions& options, const traffic::Traffic& traffic,
                            int ranks) {
  CollectiveOptions one_reduction = options;  // sizes are the same for all
  one_reduction.ops.resize(1);
  const auto sweeps = plan_sweeps(one_reduction, traffic, {.rank = 0, .ranks = ranks});
  std::string text =
      fmt::format("# {}_perf on {} ranks; nothing is measured\n", traffic.name, ranks);
  text += fmt::format("#{:>15}{:>16}{:>16}{:>10}{:>16}{:>16}\n", "requested (B)", "size (B)",
                      "count", "type", "sent (B)", "received (B)");
  for (const PlannedSweep& sweep : sweeps) {
    for (const SweepSize& size : sweep.sizes) text += describe_size(size, traffic, sweep.setting);
  }
  return text +
         fmt::format("# each rank allocates {}\n", format_bytes(2 * largest_message(sweeps)));
}

}  // namespace collbench
