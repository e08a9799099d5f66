// SPDX-License-Identifier: Apache-2.0
#include "plan/totals.h"

#include <cmath>
#include <map>
#include <tuple>

namespace collbench::plan {

Bytes Total::sent_bytes() const {
  if (kind == MessageKind::recv || group_size == 1) return 0;
  if (kind == MessageKind::send) return message_bytes;
  if (by_matrix) return bytes_by_matrix;
  // Every bus factor of n ranks is a whole number of n-ths.
  const auto n = static_cast<Bytes>(group_size);
  const double factor = traffic::row_of(collective).bus_factor(group_size);
  const auto nths = static_cast<Bytes>(std::llround(factor * static_cast<double>(n)));
  return message_bytes / n * nths + message_bytes % n * nths / n;
}

std::string_view Total::name() const {
  Message message;
  message.kind = kind;
  message.collective = collective;
  return name_of(message);
}

std::vector<Total> totals(const Plan& plan, const RankClass& ranks) {
  std::map<std::tuple<model::Axis, MessageKind, Collective, bool>, Total> sums;
  for (const Op& op : ranks.ops) {
    for (const Message& message : op.messages) {
      const bool by_matrix = message.matrix != kNoMatrix;
      Total& sum = sums[{message.axis, message.kind, message.collective, by_matrix}];
      sum.axis = message.axis;
      sum.group_size = model::size_of(plan.layout, message.axis);
      sum.kind = message.kind;
      sum.collective = message.collective;
      ++sum.messages;
      sum.message_bytes += message_bytes(plan, message);
      sum.by_matrix = by_matrix;
      if (by_matrix) sum.bytes_by_matrix += sent_by_matrix(plan, ranks, message);
    }
  }
  std::vector<Total> rows;
  for (const auto& [key, sum] : sums) rows.push_back(sum);
  return rows;
}

Bytes sent_bytes(const Plan& plan, const RankClass& ranks) {
  Bytes sum = 0;
  for (const Total& total : totals(plan, ranks)) sum += total.sent_bytes();
  return sum;
}

Bytes sent_bytes(const Plan& plan, const RankClass& ranks, model::Axis axis) {
  Bytes sum = 0;
  for (const Total& total : totals(plan, ranks)) {
    if (total.axis == axis) sum += total.sent_bytes();
  }
  return sum;
}

Count flops(const RankClass& ranks) {
  Count sum = 0;
  for (const Op& op : ranks.ops) sum += flops(op);
  return sum;
}

Bytes slot_bytes(const RankClass& ranks, Memory memory) {
  Bytes sum = 0;
  for (const Slot& slot : ranks.slots) {
    if (slot.memory == memory) sum += slot.bytes;
  }
  return sum;
}

}  // namespace collbench::plan
