// SPDX-License-Identifier: Apache-2.0
#include "replay/slot_uses.h"

#include <algorithm>

namespace collbench::replay {

SlotUses::SlotUses(const plan::RankClass& ranks) : uses_(ranks.slots.size()) {
  for (plan::OpIndex o = 0; o < ranks.ops.size(); ++o) {
    const plan::Op& op = ranks.ops[o];
    for (const plan::Message& message : op.messages) add(message, o);
    if (op.kind == plan::OpKind::compute) {
      for (const plan::SlotIndex slot : op.writes) uses_[slot].uses.push_back({o, true});
    }
    if (op.kind == plan::OpKind::copy) add_copy(op);
  }
}

void SlotUses::add_copy(const plan::Op& op) {
  const plan::SlotIndex from = op.reads.at(0), to = op.writes.at(0);
  uses_[from].communicated = uses_[to].communicated = true;
  uses_[from].copied_to = to;
}

void SlotUses::add(const plan::Message& message, plan::OpIndex op) {
  const bool reduces =
      message.kind == plan::MessageKind::collective && traffic::row_of(message.collective).reduces;
  for (const plan::SlotIndex slot : {message.read, message.written}) {
    if (slot == plan::kNoSlot) continue;
    const bool reads = slot == message.read;
    uses_[slot].communicated = true;
    uses_[slot].uses.push_back({op, false, reads, reads && reduces, message.type});
  }
}

DataType SlotUses::type_from(plan::SlotIndex slot, std::optional<plan::OpIndex> op) const {
  const std::vector<Use>& uses = uses_[slot].uses;
  const auto from =
      std::find_if(uses.begin(), uses.end(), [&](const Use& use) { return !op || use.op > *op; });
  const auto to = std::find_if(from, uses.end(), [](const Use& use) { return use.is_fresh; });
  auto found = std::find_if(from, to, [](const Use& use) { return use.reduces; });
  if (found == to) found = std::find_if(from, to, [](const Use& use) { return use.reads; });
  return found != to ? found->type : type_of_any(slot);
}

DataType SlotUses::type_of_any(plan::SlotIndex slot) const {
  for (std::size_t hops = 0; hops <= uses_.size(); ++hops) {
    const std::vector<Use>& uses = uses_[slot].uses;
    const auto found =
        std::find_if(uses.begin(), uses.end(), [](const Use& use) { return !use.is_fresh; });
    if (found != uses.end()) return found->type;
    if (!uses_[slot].copied_to) break;
    slot = *uses_[slot].copied_to;
  }
  return DataType::uint8;
}

}  // namespace collbench::replay
