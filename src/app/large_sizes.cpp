// SPDX-License-Identifier: Apache-2.0
#include "app/large_sizes.h"

#include <algorithm>
#include <array>
#include <optional>

#include "measure/exchange.h"

namespace collbench {
namespace {

// Of all calls of one operation, on this rank.
Handling handling_of(const Operation& operation, Setting setting, const SweepSize& size,
                     const traffic::Matrix* weights, const Communicator& comm) {
  setting.count = size.count;
  std::optional<Exchange> exchange;
  if (weights != nullptr) {
    exchange = make_exchange(*weights, size.requested_bytes, setting.type, setting.rank);
    setting.exchange = &*exchange;
  }
  std::array<std::byte, 2> nowhere{};  // addresses only: nothing is read or written
  Handling all;
  for (const auto& group : operation.calls(setting, {&nowhere[0], &nowhere[1]})) {
    for (const Call& call : group) {
      Handling one = comm.handling_of(call);
      if (all.why_not.empty()) all.why_not = std::move(one.why_not);
      all.in_pieces |= one.in_pieces;
      all.extra_bytes = std::max(all.extra_bytes, one.extra_bytes);
    }
  }
  return all;
}

// What a rank found in a sweep of its group.
struct Found {
  std::size_t possible = 0;  // sizes before the first that it cannot do
  std::size_t in_one = 0;    // sizes before the first that goes in pieces
  Bytes extra_bytes = 0;
};

// From the largest size down to the first that is one plain call: all smaller ones are, too.
Found look_at(const PlannedGroup& group, const PlannedSweep& sweep, const Operation& operation,
              const Communicator& comm, std::string& why_not) {
  Found found{sweep.sizes.size(), sweep.sizes.size(), 0};
  const traffic::Matrix* const weights = group.weights ? &*group.weights : nullptr;
  for (std::size_t i = sweep.sizes.size(); i-- > 0;) {
    const SweepSize& size = sweep.sizes[i];
    if (!size.skip_reason.empty()) continue;
    Handling handling = handling_of(operation, sweep.setting, size, weights, comm);
    if (!handling.why_not.empty()) {
      found.possible = i;
      why_not = std::move(handling.why_not);
      continue;
    }
    found.extra_bytes = std::max(found.extra_bytes, handling.extra_bytes);
    if (!handling.in_pieces) break;
    found.in_one = i;
  }
  return found;
}

// `found` and `reasons` are by rank of the run.
void settle(PlannedSweep& sweep, const std::vector<int>& ranks, const std::vector<Found>& found,
            const std::vector<std::string>& reasons) {
  const auto of = [](const auto& all, int rank) { return all[static_cast<std::size_t>(rank)]; };
  const int least = *std::min_element(ranks.begin(), ranks.end(), [&](int a, int b) {
    return of(found, a).possible < of(found, b).possible;
  });
  std::size_t in_one = sweep.sizes.size();
  for (const int rank : ranks) in_one = std::min(in_one, of(found, rank).in_one);
  for (std::size_t i = 0; i < sweep.sizes.size(); ++i) {
    SweepSize& size = sweep.sizes[i];
    if (!size.skip_reason.empty()) continue;
    if (i >= of(found, least).possible) size.skip_reason = of(reasons, least);
    size.in_pieces = size.skip_reason.empty() && i >= in_one;
  }
}

}  // namespace

Bytes settle_large_sizes(RunPlan& plan, const Operation& operation, const Communicator& comm,
                         ControlPlane& control) {
  Bytes extra_bytes = 0;
  for (std::size_t s = 0; s < plan.own().sweeps.size(); ++s) {
    std::string why_not;
    const auto found =
        control.all_gather(look_at(plan.own(), plan.own().sweeps[s], operation, comm, why_not));
    const auto reasons = control.all_gather_text(why_not);
    for (const Found& of_rank : found) extra_bytes = std::max(extra_bytes, of_rank.extra_bytes);
    for (PlannedGroup& group : plan.groups) settle(group.sweeps[s], group.ranks, found, reasons);
  }
  return extra_bytes;
}

}  // namespace collbench
