// SPDX-License-Identifier: Apache-2.0
#include "plan/checker.h"

#include <fmt/format.h>

#include <algorithm>

namespace collbench::plan {
namespace {

/// Whether a message has a buffer on every rank that sends, or receives, anything. Which rank is
/// the root a list may not know.
bool has_buffers(const Message& message) {
  const bool reads = message.read != kNoSlot, writes = message.written != kNoSlot;
  if (message.kind == MessageKind::send) return reads;
  if (message.kind == MessageKind::recv) return writes;
  return traffic::row_of(message.collective).rooted ? reads || writes : reads && writes;
}

/// What is wrong with the matrix of a message, if it has one.
std::string mismatched(const Plan& plan, const Message& message) {
  if (message.matrix == kNoMatrix) return "";
  if (message.matrix >= plan.matrices.size()) return "has a message by a matrix that is not there";
  const bool is_by_matrix =
      message.kind == MessageKind::collective && traffic::row_of(message.collective).by_matrix;
  if (!is_by_matrix) return fmt::format("has a matrix, and {} takes none", name_of(message));
  const int ranks = plan.matrices[message.matrix].ranks();
  const int size = model::size_of(plan.layout, message.axis);
  if (ranks == size) return "";
  return fmt::format("has a matrix of {} ranks, and {} has {}", ranks, model::name_of(message.axis),
                     size);
}

/// What is wrong with the places of a message in slots that are there.
std::string misplaced(const Plan& plan, const RankClass& ranks, const Message& message) {
  if (!has_buffers(message)) return "has a message without a slot to read or to write";
  const std::string about_matrix = mismatched(plan, message);
  if (!about_matrix.empty()) return about_matrix;
  for (const auto& [slot, range] :
       {std::pair(message.read, range_read(plan, ranks, message)),
        std::pair(message.written, range_written(plan, ranks, message))}) {
    if (slot == kNoSlot || range.last <= ranks.slots[slot].bytes) continue;
    return fmt::format("has a message that ends at byte {} of slot {}, which has {}", range.last,
                       ranks.slots[slot].name, ranks.slots[slot].bytes);
  }
  const bool is_collective = message.kind == MessageKind::collective;
  if (is_collective && is_in_place(message) &&
      traffic::row_of(message.collective).in_place == traffic::InPlace::none) {
    return fmt::format("has a message in place, and {} cannot be", name_of(message));
  }
  return "";
}

std::string too_long(const RankClass& ranks, const Op& op) {
  for (const auto& slots : {op.reads, op.writes}) {
    for (const SlotIndex slot : slots) {
      if (op.bytes <= ranks.slots[slot].bytes) continue;
      return fmt::format("copies {} bytes, and slot {} has {}", op.bytes, ranks.slots[slot].name,
                         ranks.slots[slot].bytes);
    }
  }
  return "";
}

/// What is wrong with one operation by itself; empty when nothing is.
std::string malformed(const Plan& plan, const RankClass& ranks, OpIndex o) {
  const Op& op = ranks.ops[o];
  const auto is_no_slot = [&](SlotIndex slot) { return slot >= ranks.slots.size(); };
  const auto names_none = [&](const std::vector<SlotIndex>& slots) {
    return std::any_of(slots.begin(), slots.end(), is_no_slot);
  };
  const auto late =
      std::find_if(op.after.begin(), op.after.end(), [&](OpIndex a) { return a >= o; });
  if (late != op.after.end()) {
    return fmt::format("comes after operation {}, which is not issued before it", *late);
  }
  if (op.stream < 0 || static_cast<std::size_t>(op.stream) >= plan.streams.size()) {
    return fmt::format("is on stream {} of {}", op.stream, plan.streams.size());
  }
  if (names_none(slots_read(op)) || names_none(slots_written(op)))
    return "uses a slot that its rank has not";
  if (op.kind != OpKind::communicate && !op.messages.empty())
    return "has messages and is no communication";
  for (const Message& message : op.messages) {
    const std::string what = misplaced(plan, ranks, message);
    if (!what.empty()) return what;
  }
  return op.kind == OpKind::copy ? too_long(ranks, op) : "";
}

}  // namespace

std::vector<std::string> check(const Plan& plan) {
  std::vector<std::string> faults = find_malformed(plan);
  if (!faults.empty()) return faults;
  const Matching matching = match(plan);
  faults = matching.faults;
  for (const auto& found : {find_deadlocks(plan, matching), find_races(plan)}) {
    faults.insert(faults.end(), found.begin(), found.end());
  }
  return faults;
}

std::vector<std::string> find_malformed(const Plan& plan) {
  std::vector<std::string> faults;
  for (std::uint32_t c = 0; c < plan.classes.size(); ++c) {
    for (OpIndex o = 0; o < plan.classes[c].ops.size(); ++o) {
      const std::string what = malformed(plan, plan.classes[c], o);
      if (!what.empty()) faults.push_back(fmt::format("{} {}", place(plan, c, o), what));
    }
  }
  return faults;
}

}  // namespace collbench::plan
