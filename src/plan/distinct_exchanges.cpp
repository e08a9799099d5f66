// SPDX-License-Identifier: Apache-2.0
#include "plan/distinct_exchanges.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

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
                    message.count, message.matrix != kNoMatrix);
}

/// Appends operations of one stream to the classes of a plan.
class TurnsBuilder {
 public:
  explicit TurnsBuilder(const Plan& plan) : plan_(plan), turns_{plan, {}, {}} {
    turns_.plan.streams = {"turns"};
    turns_.distinct.resize(plan.classes.size());
    for (RankClass& ranks : turns_.plan.classes) {
      ranks.ops.clear();
      ranks.slots.push_back({"turn", size_of(DataType::float32)});
    }
  }

  void add(const Exchange& exchange, std::size_t distinct) {
    for (std::size_t k = 0; k < turns_.plan.classes.size(); ++k) append(k, turn(k), std::nullopt);
    turns_.distinct_of_turn.push_back(distinct);
    for (const MessageRef& member : exchange.members) {
      append(member.rank_class, message_of(plan_, member), distinct);
    }
  }

  Turns turns() { return std::move(turns_); }

 private:
  Message turn(std::size_t rank_class) const {
    Message message;
    message.count = 1;
    message.read = message.written =
        static_cast<SlotIndex>(turns_.plan.classes[rank_class].slots.size() - 1);
    return message;
  }

  void append(std::size_t rank_class, Message message, std::optional<std::size_t> distinct) {
    Op op;
    op.kind = OpKind::communicate;
    op.label = distinct ? std::string(name_of(message)) : "turn";
    op.messages = {std::move(message)};
    turns_.plan.classes[rank_class].ops.push_back(std::move(op));
    turns_.distinct[rank_class].push_back(distinct);
  }

  const Plan& plan_;
  Turns turns_;
};

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
      all.push_back({message, std::vector<std::uint64_t>(plan.classes.size()), {}});
    }
    all[found->second].exchanges.push_back(exchange);
    for (const MessageRef& member : exchange.members) {
      ++all[found->second].per_step[member.rank_class];
    }
  }
  return all;
}

Turns in_turns(const Plan& plan, std::span<const DistinctExchange> distinct) {
  std::vector<std::pair<const Exchange*, std::size_t>> in_order;
  for (std::size_t k = 0; k < distinct.size(); ++k) {
    for (const Exchange& exchange : distinct[k].exchanges) in_order.emplace_back(&exchange, k);
  }
  std::ranges::sort(in_order, {}, [](const auto& entry) { return place_of(*entry.first); });
  TurnsBuilder builder(plan);
  for (const auto& [exchange, k] : in_order) builder.add(*exchange, k);
  return builder.turns();
}

}  // namespace collbench::plan
