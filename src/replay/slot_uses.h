// SPDX-License-Identifier: Apache-2.0
// SlotUses: who reads the slots of a class, for which data are made.
#pragma once

#include <optional>
#include <vector>

#include "plan/plan.h"

namespace collbench::replay {

class SlotUses {
 public:
  explicit SlotUses(const plan::RankClass& ranks);

  /// Whether a message or a copy reads or writes it.
  bool is_communicated(plan::SlotIndex slot) const { return uses_[slot].communicated; }

  /// In which type to make data that are written at operation `op`, or, without one, before the
  /// first: that of the first reduction that reads them before they are overwritten, else of the
  /// first message, else of any message that uses the slot or one that it is copied to, else bytes.
  DataType type_from(plan::SlotIndex slot, std::optional<plan::OpIndex> op) const;

 private:
  struct Use {
    plan::OpIndex op;
    bool is_fresh;  // data are made here, after the operation's other uses
    bool reads = false;
    bool reduces = false;
    DataType type = DataType::uint8;
  };
  struct Slot {
    bool communicated = false;
    std::optional<plan::SlotIndex> copied_to = {};
    std::vector<Use> uses;  // in issue order
  };

  void add(const plan::Message& message, plan::OpIndex op);
  void add_copy(const plan::Op& op);
  DataType type_of_any(plan::SlotIndex slot) const;

  std::vector<Slot> uses_;  // by slot
};

}  // namespace collbench::replay
