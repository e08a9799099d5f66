// SPDX-License-Identifier: Apache-2.0
#include "plan/variants.h"

#include <algorithm>
#include <stdexcept>

namespace collbench::plan {
namespace {

template <class Change>
Plan with_each_op(Plan plan, const Change& change) {
  for (RankClass& ranks : plan.classes) {
    for (Op& op : ranks.ops) change(op);
  }
  return plan;
}

/// At least 1, unless it was nothing before.
Count part_of(Count whole, Count divisor) {
  return whole == 0 ? 0 : std::max<Count>(whole / divisor, 1);
}

void shrink(Op& op, Count divisor) {
  for (Message& message : op.messages) message.count = part_of(message.count, divisor);
  for (Gemm& gemm : op.gemms) gemm.k = part_of(gemm.k, divisor);
  op.bytes = part_of(op.bytes, divisor);
}

/// A slot holds what operations move, which may have been rounded up.
class SlotsOf {
 public:
  SlotsOf(const Plan& plan, RankClass& ranks) : plan_(plan), ranks_(ranks) {}

  void shrink(Count divisor) {
    for (Slot& slot : ranks_.slots) slot.bytes = part_of(slot.bytes, divisor);
    for (const Op& op : ranks_.ops) {
      for (const Message& message : op.messages) make_room(message);
      if (op.kind != OpKind::copy) continue;
      for (const SlotIndex slot : op.reads) make_room(slot, op.bytes);
      for (const SlotIndex slot : op.writes) make_room(slot, op.bytes);
    }
  }

 private:
  void make_room(const Message& message) {
    const int ranks = model::size_of(plan_.layout, message.axis);
    make_room(message.read, bytes_read(message, ranks));
    make_room(message.written, bytes_written(message, ranks));
  }

  void make_room(SlotIndex slot, Bytes bytes) {
    if (slot == kNoSlot) return;
    ranks_.slots[slot].bytes = std::max(ranks_.slots[slot].bytes, bytes);
  }

  const Plan& plan_;
  RankClass& ranks_;
};

}  // namespace

Plan without_communication(const Plan& plan) {
  return with_each_op(plan, [](Op& op) { op.messages.clear(); });
}

Plan without_computing(const Plan& plan) {
  return with_each_op(plan, [](Op& op) {
    op.gemms.clear();
    op.bytes = 0;
  });
}

Plan skeleton(const Plan& plan) {
  return with_each_op(plan, [](Op& op) {
    for (Message& message : op.messages) message.count = std::min<Count>(message.count, 1);
  });
}

Plan shrunk(const Plan& plan, Count divisor) {
  if (divisor == 0) throw std::logic_error("a plan divided by 0");
  Plan small = with_each_op(plan, [&](Op& op) { shrink(op, divisor); });
  for (RankClass& ranks : small.classes) SlotsOf(small, ranks).shrink(divisor);
  return small;
}

}  // namespace collbench::plan
