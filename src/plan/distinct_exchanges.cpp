// SPDX-License-Identifier: Apache-2.0
#include "plan/distinct_exchanges.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace collbench::plan {
namespace {

const Op& op_of(const Plan& plan, const MessageRef& ref) {
  return plan.classes[ref.rank_class].ops[ref.op];
}

const Message& message_of(const Plan& plan, const MessageRef& ref) {
  return op_of(plan, ref).messages[ref.message];
}

/// Where the first member stands in the step.
std::tuple<std::uint32_t, OpIndex, std::uint32_t> place_of(const Exchange& exchange) {
  const MessageRef& first = exchange.members.front();
  return {first.rank_class, first.op, first.message};
}

/// Not all collectives reduce: the reduction of others says nothing.
ReduceOp reduction_of(const Message& message) {
  const bool reduces =
      message.kind == MessageKind::collective && traffic::row_of(message.collective).reduces;
  return reduces ? message.op : ReduceOp::sum;
}

auto key_of(const Message& message) {
  return std::tuple(name_of(message), message.axis, message.type, reduction_of(message),
                    message.count);
}

}  // namespace

std::vector<DistinctExchange> distinct_exchanges(const Plan& plan, const Matching& matching) {
  std::vector<Exchange> exchanges = matching.exchanges;
  std::stable_sort(exchanges.begin(), exchanges.end(),
                   [](const Exchange& a, const Exchange& b) { return place_of(a) < place_of(b); });
  std::vector<DistinctExchange> all;
  std::map<decltype(key_of(Message{})), std::size_t> known;
  for (const Exchange& exchange : exchanges) {
    const Message& message = message_of(plan, exchange.members.front());
    const auto [found, is_new] = known.try_emplace(key_of(message), all.size());
    if (is_new) {
      all.push_back({message, std::vector<std::uint64_t>(plan.classes.size()), exchange});
    }
    for (const MessageRef& member : exchange.members) {
      ++all[found->second].per_step[member.rank_class];
    }
  }
  return all;
}

Plan only(const Plan& plan, const Exchange& exchange, int times) {
  Plan alone = plan;
  for (RankClass& ranks : alone.classes) ranks.ops.clear();
  for (const MessageRef& member : exchange.members) {
    Op op = op_of(plan, member);
    op.after.clear();
    op.messages = {message_of(plan, member)};
    alone.classes[member.rank_class].ops.assign(static_cast<std::size_t>(times), op);
  }
  return alone;
}

}  // namespace collbench::plan
