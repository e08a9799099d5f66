// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "plan/checker.h"
#include "plan/order.h"

namespace collbench::plan {
namespace {

/// Of a part of a slot, by one operation.
struct Use {
  SlotIndex slot;
  ByteRange bytes;
  bool writes;
  OpIndex op;
  std::size_t message = 0;  // of the operation: one that is in place is no race with itself
};

bool covers(ByteRange a, ByteRange b) { return a.first <= b.first && b.last <= a.last; }

bool conflict(const Use& a, const Use& b) {
  return a.slot == b.slot && (a.writes || b.writes) && overlap(a.bytes, b.bytes);
}

class RaceSearch {
 public:
  RaceSearch(const Plan& plan, std::uint32_t rank_class)
      : plan_(plan), class_(rank_class), uses_(plan.classes[rank_class].slots.size()) {}

  std::vector<std::string> run() {
    for (OpIndex o = 0; o < ranks().ops.size(); ++o) {
      order_.append(ranks().ops[o]);
      const std::vector<Use> uses = uses_of(o);
      for (const Use& use : uses) require_order(use);
      require_one_each(uses);
      for (const Use& use : uses) remember(use);
    }
    return faults_;
  }

 private:
  const RankClass& ranks() const { return plan_.classes[class_]; }

  std::vector<Use> uses_of(OpIndex o) const {
    const Op& op = ranks().ops[o];
    std::vector<Use> uses;
    for (const SlotIndex slot : op.reads) uses.push_back({slot, whole(slot), false, o});
    for (const SlotIndex slot : op.writes) uses.push_back({slot, whole(slot), true, o});
    for (std::size_t m = 0; m < op.messages.size(); ++m) {
      const Message& message = op.messages[m];
      const ByteRange read = range_read(plan_, ranks(), message);
      const ByteRange written = range_written(plan_, ranks(), message);
      if (message.read != kNoSlot) uses.push_back({message.read, read, false, o, m});
      if (message.written != kNoSlot) uses.push_back({message.written, written, true, o, m});
    }
    return uses;
  }

  ByteRange whole(SlotIndex slot) const { return {0, ranks().slots[slot].bytes}; }

  void require_order(const Use& later) {
    for (const Use& earlier : uses_[later.slot]) {
      if (!conflict(earlier, later) || order_.is_before(earlier.op, later.op)) continue;
      faults_.push_back(fmt::format(
          "{} {} slot {} without waiting for operation {} [{}], which {} it",
          place(plan_, class_, later.op), later.writes ? "writes" : "reads", name(later.slot),
          earlier.op, ranks().ops[earlier.op].label, earlier.writes ? "wrote" : "reads"));
    }
  }

  /// Messages of one group move at the same time.
  void require_one_each(const std::vector<Use>& uses) {
    for (auto one = uses.begin(); one != uses.end(); ++one) {
      for (auto other = one + 1; other != uses.end(); ++other) {
        if (one->message == other->message || !conflict(*one, *other)) continue;
        faults_.push_back(fmt::format("{} has two messages at one place of slot {}",
                                      place(plan_, class_, one->op), name(one->slot)));
      }
    }
  }

  /// Whoever must come after this use comes after those too that it makes superfluous: what it
  /// overwrites, and what was read before it is read again.
  void remember(const Use& use) {
    std::erase_if(uses_[use.slot], [&](const Use& earlier) {
      return covers(use.bytes, earlier.bytes) && (use.writes || !earlier.writes) &&
             (earlier.op == use.op || order_.is_before(earlier.op, use.op));
    });
    uses_[use.slot].push_back(use);
  }

  const std::string& name(SlotIndex slot) const { return ranks().slots[slot].name; }

  const Plan& plan_;
  std::uint32_t class_;
  Order order_;
  std::vector<std::vector<Use>> uses_;  // by slot: what a later one must wait for
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> find_races(const Plan& plan) {
  std::vector<std::string> faults;
  for (std::uint32_t c = 0; c < plan.classes.size(); ++c) {
    const auto found = RaceSearch(plan, c).run();
    faults.insert(faults.end(), found.begin(), found.end());
  }
  return faults;
}

}  // namespace collbench::plan
