// SPDX-License-Identifier: Apache-2.0
#include "replay/slot_memory.h"

namespace collbench::replay {
namespace {

bool moves(const plan::Op& op) {
  return op.kind == plan::OpKind::copy || op.kind == plan::OpKind::communicate;
}

}  // namespace

std::vector<Bytes> moved_slots(const plan::RankClass& ranks) {
  std::vector<Bytes> bytes(ranks.slots.size(), 0);
  for (const plan::Op& op : ranks.ops) {
    if (!moves(op)) continue;
    for (const plan::SlotIndex slot : plan::slots_read(op)) bytes[slot] = ranks.slots[slot].bytes;
    for (const plan::SlotIndex slot : plan::slots_written(op)) {
      bytes[slot] = ranks.slots[slot].bytes;
    }
  }
  return bytes;
}

Bytes moved_bytes(const plan::RankClass& ranks, plan::Memory memory) {
  const std::vector<Bytes> bytes = moved_slots(ranks);
  Bytes sum = 0;
  for (std::size_t slot = 0; slot < bytes.size(); ++slot) {
    if (ranks.slots[slot].memory == memory) sum += bytes[slot];
  }
  return sum;
}

SlotMemory::SlotMemory(Device& device, const plan::RankClass& ranks, Stream& stream) {
  const std::vector<Bytes> bytes = moved_slots(ranks);
  for (std::size_t slot = 0; slot < bytes.size(); ++slot) {
    memory_.emplace_back();
    if (bytes[slot] == 0) continue;
    const bool on_host = ranks.slots[slot].memory == plan::Memory::host;
    memory_.back() =
        device.allocate(bytes[slot], on_host ? MemoryKind::pinned : MemoryKind::device);
    device.kernels().zero(memory_.back()->data(), bytes[slot], stream);
  }
  stream.synchronize();
}

}  // namespace collbench::replay
