// SPDX-License-Identifier: Apache-2.0
#include "plan/variants.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

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

/// Slots of one rank, and what lies in them.
class Slots {
 public:
  Slots(const Plan& plan, RankClass& ranks) : plan_(plan), ranks_(ranks) {}

  /// Where buffers that lie in one slot start, once their sizes are divided: none of what lay side
  /// by side overlaps, though some may have been rounded up.
  void move_buffers(Count divisor) {
    std::map<std::pair<SlotIndex, Bytes>, Buffers> all;  // by slot and bytes of an element
    each_buffer([&](SlotIndex slot, const Message& message, Count& first, ByteRange range) {
      const Bytes element = size_of(message.type);
      Buffer& buffer = all[{slot, element}][first];
      buffer.elements = std::max(buffer.elements, (range.last - range.first) / element);
    });
    for (auto& [slot, buffers] : all) {
      Count end = 0;
      for (auto& [first, buffer] : buffers) {
        buffer.first = std::max((first + divisor - 1) / divisor, end);
        end = buffer.first + buffer.elements;
      }
    }
    each_buffer([&](SlotIndex slot, const Message& message, Count& first, ByteRange) {
      first = all[{slot, size_of(message.type)}][first].first;
    });
  }

  void shrink(Count divisor) {
    for (Slot& slot : ranks_.slots) slot.bytes = part_of(slot.bytes, divisor);
    each_buffer([&](SlotIndex slot, const Message&, Count&, ByteRange range) {
      make_room(slot, range.last);
    });
    for (const Op& op : ranks_.ops) {
      if (op.kind != OpKind::copy) continue;
      for (const SlotIndex slot : op.reads) make_room(slot, op.bytes);
      for (const SlotIndex slot : op.writes) make_room(slot, op.bytes);
    }
  }

 private:
  struct Buffer {
    Count first = 0, elements = 0;
  };
  using Buffers = std::map<Count, Buffer>;  // by where they start

  template <class Visit>
  void each_buffer(const Visit& visit) {
    for (Op& op : ranks_.ops) {
      for (Message& message : op.messages) {
        // Both before either is changed: they say whether it is in place.
        const ByteRange read = range_read(plan_, ranks_, message);
        const ByteRange written = range_written(plan_, ranks_, message);
        if (message.read != kNoSlot) visit(message.read, message, message.read_first, read);
        if (message.written == kNoSlot) continue;
        visit(message.written, message, message.written_first, written);
      }
    }
  }

  void make_room(SlotIndex slot, Bytes bytes) {
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
    for (Message& message : op.messages) {
      message.count = std::min<Count>(message.count, 1);
      message.matrix = kNoMatrix;
    }
  });
}

Plan evened(const Plan& plan) {
  return with_each_op(plan, [&](Op& op) {
    for (Message& message : op.messages) {
      if (message.matrix == kNoMatrix) continue;
      message.count *= even_rows(plan.matrices[message.matrix]);
      message.matrix = kNoMatrix;
    }
  });
}

Plan shrunk(const Plan& plan, Count divisor) {
  if (divisor == 0) throw std::logic_error("a plan divided by 0");
  Plan small = with_each_op(plan, [&](Op& op) { shrink(op, divisor); });
  for (RankClass& ranks : small.classes) {
    Slots slots(small, ranks);
    slots.move_buffers(divisor);
    slots.shrink(divisor);
  }
  return small;
}

}  // namespace collbench::plan
