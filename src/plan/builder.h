// SPDX-License-Identifier: Apache-2.0
// Builder: appends operations to the list of one class of ranks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/order.h"
#include "plan/plan.h"

namespace collbench::plan {

/// Says of each operation what it reads and writes; `after` follows from that: an operation comes
/// after who wrote what it reads, and after everybody who used what it writes. An edge that
/// streams or other edges imply already is left out.
class Builder {
 public:
  /// `ranks` is a class of `plan`; both must outlive this.
  Builder(Plan& plan, RankClass& ranks) : plan_(plan), ranks_(ranks) {}

  /// A new slot. One of this name that is there already must have as many bytes, and is returned.
  SlotIndex slot(const std::string& name, Bytes bytes, Memory memory = Memory::device);

  /// What a rank computes takes turns in the order of issue, on whatever streams: two products at
  /// once would not be faster than one after the other.
  OpIndex compute(std::string label, std::vector<Gemm> gemms, std::vector<SlotIndex> reads,
                  std::vector<SlotIndex> writes, const std::string& stream = "compute");
  /// What that computation leaves in a slot that it writes.
  void set_known(OpIndex computation, SlotIndex slot, TableIndex table) {
    ranks_.ops[computation].known = {slot, table};
  }
  OpIndex copy(const std::string& stream, std::string label, Bytes bytes, SlotIndex from,
               SlotIndex to);
  /// One fused group on `stream`. Messages among groups of one rank are left out; nothing is
  /// appended where none is left.
  std::optional<OpIndex> communicate(const std::string& stream, std::string label,
                                     std::vector<Message> messages);
  /// The host waits until these are done.
  OpIndex wait(std::string label, std::vector<OpIndex> after);

  /// The next computation starts after `op`, whatever the slots say.
  void hold_compute_until(std::optional<OpIndex> op) {
    if (op) held_.push_back(*op);
  }

  /// The next communication starts after all computing that has been issued, whatever the slots
  /// say: so frameworks do that have it wait for the stream it is called on.
  void hold_communication_until_computed() { follows_compute_ = true; }

  int ranks_on(model::Axis axis) const { return model::size_of(plan_.layout, axis); }
  const RankClass& rank_class() const { return ranks_; }
  const Plan& plan() const { return plan_; }

 private:
  OpIndex append(Op op);
  void add_edges_of_slots(Op& op);
  void add_edge(Op& op, OpIndex earlier) const;

  struct Users {
    bool written = false;
    OpIndex writer = 0;            // the last one
    std::vector<OpIndex> readers;  // since then
  };

  Plan& plan_;
  RankClass& ranks_;
  Order order_;
  std::vector<Users> users_;   // by slot
  std::vector<OpIndex> held_;  // before the next computation
  std::optional<OpIndex> last_compute_;
  bool follows_compute_ = false;
};

/// Messages with the fields that each kind has. `count` is the elements of one block.
Message collective(Collective kind, model::Axis axis, DataType type, Count count, SlotIndex read,
                   SlotIndex written, ReduceOp op = ReduceOp::sum);
Message send(model::Axis axis, int peer, DataType type, Count count, SlotIndex read);
Message recv(model::Axis axis, int peer, DataType type, Count count, SlotIndex written);

}  // namespace collbench::plan
