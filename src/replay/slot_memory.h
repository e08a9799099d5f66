// SPDX-License-Identifier: Apache-2.0
// SlotMemory: memory for the slots of one rank.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "comm/device.h"
#include "plan/plan.h"

namespace collbench::replay {

/// Bytes of a slot that have to be there: none where nothing moves into it or out of it, since
/// computing works in memory of its own.
std::vector<Bytes> moved_slots(const plan::RankClass& ranks);

/// The same, added up over the slots of one kind of memory.
Bytes moved_bytes(const plan::RankClass& ranks, plan::Memory memory);

class SlotMemory {
 public:
  /// Holds numbers that stay finite, whatever is added up of them. Throws SystemError where there
  /// is not so much.
  SlotMemory(Device& device, const plan::RankClass& ranks, Stream& stream);

  /// nullptr for a slot that nothing moves into or out of.
  std::byte* at(plan::SlotIndex slot) const {
    return memory_.at(slot) ? memory_[slot]->data() : nullptr;
  }

 private:
  std::vector<std::unique_ptr<Memory>> memory_;
};

}  // namespace collbench::replay
