// SPDX-License-Identifier: Apache-2.0
#include "app/sweep_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/errors.h"
#include "traffic/sizes.h"

namespace collbench {
namespace {

// In each direction, of the rank that moves most.
struct Moved {
  Bytes sent, received;
};

Moved moved(const SweepSize& size, const traffic::Traffic& traffic, const Setting& setting,
            const traffic::Matrix* weights) {
  if (weights != nullptr) {
    const traffic::Matrix bytes = traffic::scaled(*weights, size.requested_bytes);
    return {bytes.most_sent(), bytes.most_received()};
  }
  return {send_bytes(traffic, size.count, setting.type, setting.ranks),
          recv_bytes(traffic, size.count, setting.type, setting.ranks)};
}

std::string describe_size(const SweepSize& size, const traffic::Traffic& traffic,
                          const Setting& setting, const traffic::Matrix* weights) {
  const Moved bytes = moved(size, traffic, setting, weights);
  return fmt::format(" {:>15} {:>15} {:>15} {:>9} {:>15} {:>15}{}\n", size.requested_bytes,
                     size.message_bytes, size.count, name_of(setting.type), bytes.sent,
                     bytes.received,
                     size.skip_reason.empty() ? "" : "  skipped: " + size.skip_reason);
}

std::vector<int> roots_of(const CollectiveOptions& options, const traffic::Traffic& traffic,
                          int ranks) {
  if (!traffic.rooted) return {0};
  if (options.root && *options.root >= ranks) {
    throw UserError(fmt::format("-r {}: {} rank; give one from 0 to {}, or all", *options.root,
                                options.split ? "no group has such a" : "no such", ranks - 1));
  }
  if (options.root) return {*options.root};
  std::vector<int> roots(static_cast<std::size_t>(ranks));
  std::iota(roots.begin(), roots.end(), 0);
  return roots;
}

// Everything but the sizes, in nccl-tests' order.
std::vector<Setting> settings_of(const CollectiveOptions& options, const traffic::Traffic& traffic,
                                 RankPlace place, int most_ranks) {
  std::vector<Setting> settings;
  for (const DataType type : options.types) {
    for (const ReduceOp op : traffic.reduces ? options.ops : std::vector{ReduceOp::sum}) {
      for (const int root : roots_of(options, traffic, most_ranks)) {
        Setting setting;
        setting.type = type;
        setting.op = op;
        setting.rank = place.rank;
        setting.ranks = place.ranks;
        setting.root = root;
        settings.push_back(setting);
      }
    }
  }
  return settings;
}

}  // namespace

std::vector<PlannedSweep> plan_sweeps(const CollectiveOptions& options,
                                      const traffic::Traffic& traffic, RankPlace place,
                                      const traffic::Matrix* weights, int most_ranks) {
  std::vector<PlannedSweep> sweeps;
  for (const Setting& setting : settings_of(options, traffic, place, most_ranks)) {
    sweeps.push_back(
        {setting, plan_sweep(options.sweep, {traffic, setting.type, setting.ranks, weights})});
    if (setting.root < setting.ranks) continue;
    for (SweepSize& size : sweeps.back().sizes) {
      size.skip_reason = fmt::format("the group has no rank {} to be the root", setting.root);
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

std::string describe_sweeps(const std::vector<PlannedSweep>& sweeps,
                            const traffic::Traffic& traffic, const traffic::Matrix* weights) {
  std::string text = fmt::format("#{:>15} {:>15} {:>15} {:>9} {:>15} {:>15}\n", "requested (B)",
                                 "size (B)", "count", "type", "sent (B)", "received (B)");
  for (const PlannedSweep& sweep : sweeps) {
    for (const SweepSize& size : sweep.sizes) {
      text += describe_size(size, traffic, sweep.setting, weights);
    }
  }
  return text;
}

}  // namespace collbench
