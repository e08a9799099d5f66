// SPDX-License-Identifier: Apache-2.0
#include "replay/contents.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "replay/exchange_data.h"
#include "replay/meetings.h"
#include "replay/slot_uses.h"

namespace collbench::replay {
namespace {

using plan::Op;
using plan::OpIndex;
using plan::OpKind;
using plan::SlotIndex;

/// Data of this slot as they are at some time, before their values are known.
struct Recorded {
  SlotIndex slot;
  Segments segments;
};

struct RecordedOp {
  std::vector<Recorded> fill, check;
};

/// Follows all ranks through their lists, each as far as it can go, and records what
/// those that are asked for make and expect.
class Step {
 public:
  Step(const plan::Plan& plan, const std::vector<int>& recorded, std::uint64_t seed)
      : plan_(plan), meetings_(plan), seed_(seed) {
    for (const plan::RankClass& ranks : plan.classes) uses_.emplace_back(ranks);
    for (const int rank : recorded) records_[rank] = {};
    for (int rank = 0; rank < model::ranks(plan.layout); ++rank) start(rank);
  }

  std::vector<StepContents> run(const std::vector<int>& recorded) {
    for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) ready_.push_back(rank);
    while (!ready_.empty()) {
      const int rank = ready_.front();
      ready_.pop_front();
      advance(rank);
    }
    require_all_done();
    terms_.settle();
    std::vector<StepContents> steps;
    for (const int rank : recorded) steps.push_back(values_of(records_.at(rank), everything(rank)));
    return steps;
  }

 private:
  struct Rank {
    std::size_t rank_class = 0;
    std::vector<SlotImage> slots;
    OpIndex next = 0;         // operation
    std::size_t waiting = 0;  // messages of the operation before it that have not met
  };

  struct Record {
    std::vector<Recorded> at_start;
    std::vector<RecordedOp> ops;
  };

  Record* record_of(int rank) {
    const auto found = records_.find(rank);
    return found == records_.end() ? nullptr : &found->second;
  }

  Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  const plan::RankClass& class_of(int rank) { return plan_.classes[at(rank).rank_class]; }
  const SlotUses& uses(int rank) { return uses_[at(rank).rank_class]; }

  // ---- going through the lists

  void start(int rank) {
    Rank& added = ranks_.emplace_back();
    added.rank_class = plan::class_of(plan_, rank);
    const std::vector<plan::Slot>& slots = class_of(rank).slots;
    for (SlotIndex slot = 0; slot < slots.size(); ++slot) {
      added.slots.emplace_back(slots[slot].bytes);
      if (uses(rank).is_communicated(slot)) make_fresh(rank, slot, std::nullopt);
    }
    if (Record* record = record_of(rank)) {
      record->at_start = everything(rank);
      record->ops.resize(class_of(rank).ops.size());
    }
  }

  void advance(int rank) {
    const std::vector<Op>& ops = class_of(rank).ops;
    while (at(rank).next < ops.size() && at(rank).waiting == 0) {
      const OpIndex o = at(rank).next++;
      const Op& op = ops[o];
      if (op.kind == OpKind::compute) compute(rank, o);
      if (op.kind == OpKind::copy) copy(rank, op);
      if (op.kind == OpKind::communicate) communicate(rank, op);
    }
  }

  void compute(int rank, OpIndex o) {
    const Op& op = class_of(rank).ops[o];
    Record* record = record_of(rank);
    if (record != nullptr) record->ops[o].check = images(rank, op.reads);
    for (const SlotIndex slot : op.writes) {
      if (uses(rank).is_communicated(slot)) make_fresh(rank, slot, o);
    }
    if (op.known && uses(rank).is_communicated(op.known->slot)) make_known(rank, *op.known);
    if (record != nullptr) record->ops[o].fill = images(rank, op.writes);
  }

  void copy(int rank, const Op& op) {
    std::vector<SlotImage>& slots = at(rank).slots;
    const Segments data = slots[op.reads.at(0)].read({0, op.bytes}, terms_);
    slots[op.writes.at(0)].write(0, data, terms_);
  }

  /// All messages of a group come at once. The rank goes on when the last of them has met.
  void communicate(int rank, const Op& op) {
    at(rank).waiting = op.messages.size();
    for (const plan::Message& message : op.messages) {
      const std::vector<Arrival> met = meetings_.arrive({rank, &message});
      if (met.empty()) continue;
      std::vector<Member> members;
      for (const Arrival& each : met) {
        members.push_back(
            {each.message, place_of(*each.message, plan_, each.rank), &at(each.rank).slots});
      }
      exchange_data(members, terms_);
      for (const Arrival& each : met) {
        if (--at(each.rank).waiting == 0 && each.rank != rank) ready_.push_back(each.rank);
      }
    }
  }

  void require_all_done() {
    for (int r = 0; r < static_cast<int>(ranks_.size()); ++r) {
      if (at(r).next == class_of(r).ops.size() && at(r).waiting == 0) continue;
      throw std::logic_error("operations of the plan wait for each other");
    }
  }

  // ---- data

  /// The same element of the same slot is the same element of its term, on every rank: so
  /// reductions of what lies at one place are reductions of tables.
  void make_fresh(int rank, SlotIndex slot, std::optional<OpIndex> op) {
    const Bytes bytes = class_of(rank).slots[slot].bytes;
    const DataType type = uses(rank).type_from(slot, op);
    const Bytes whole = bytes / size_of(type) * size_of(type);
    const TermIndex term = terms_.fresh(type, key(rank, slot, op));
    at(rank).slots[slot].write(0, {{whole, term, 0}, {bytes - whole, std::nullopt, 0}}, terms_);
  }

  /// In a variant with smaller slots as many as there are.
  void make_known(int rank, const plan::KnownResult& known) {
    const Bytes bytes = class_of(rank).slots[known.slot].bytes;
    const std::vector<Count>& all = plan_.tables[known.table];
    const Count count = std::min<Count>(all.size(), bytes / size_of(DataType::int64));
    Segments segments;
    for (Count first = 0; first < count; first += kPatternValues) {
      const Count here = std::min<Count>(kPatternValues, count - first);
      segments.push_back({here * size_of(DataType::int64), given(known.table, first, here), 0});
    }
    at(rank).slots[known.slot].write(0, segments, terms_);
  }

  /// The same term for the same numbers of a table.
  TermIndex given(plan::TableIndex table, Count first, Count count) {
    const auto [found, is_new] = given_.try_emplace({table, first, count});
    if (is_new) {
      const auto from = plan_.tables[table].begin() + static_cast<std::ptrdiff_t>(first);
      found->second =
          terms_.given(DataType::int64, {from, from + static_cast<std::ptrdiff_t>(count)});
    }
    return found->second;
  }

  std::uint64_t key(int rank, SlotIndex slot, std::optional<OpIndex> op) const {
    std::uint64_t key = seed_;
    for (const std::uint64_t part :
         {static_cast<std::uint64_t>(rank), std::uint64_t{slot}, op ? *op + std::uint64_t{1} : 0}) {
      key = (key ^ part) * 0x9e3779b97f4a7c15ULL;
      key ^= key >> 32;
    }
    return key;
  }

  std::vector<Recorded> images(int rank, const std::vector<SlotIndex>& slots) {
    std::vector<Recorded> all;
    for (const SlotIndex slot : std::set(slots.begin(), slots.end())) {
      if (!uses(rank).is_communicated(slot)) continue;
      all.push_back({slot, at(rank).slots[slot].all()});
    }
    return all;
  }

  std::vector<Recorded> everything(int rank) {
    std::vector<SlotIndex> slots(at(rank).slots.size());
    for (SlotIndex slot = 0; slot < slots.size(); ++slot) slots[slot] = slot;
    return images(rank, slots);
  }

  StepContents values_of(const Record& record, const std::vector<Recorded>& at_end) {
    StepContents step;
    step.at_start = values_of(record.at_start);
    for (const RecordedOp& op : record.ops) {
      step.ops.push_back({values_of(op.fill), values_of(op.check)});
    }
    step.at_end = values_of(at_end);
    return step;
  }

  std::vector<SlotContent> values_of(const std::vector<Recorded>& recorded) {
    std::vector<SlotContent> all;
    for (const auto& [slot, segments] : recorded) {
      SlotContent content{slot, {}};
      Bytes start = 0;
      for (const Segment& segment : segments) {
        if (segment.term) {
          content.pieces.push_back({segment.bytes / size_of(terms_.type_of(*segment.term)),
                                    segment.first, terms_.pattern(*segment.term), start});
        }
        start += segment.bytes;
      }
      all.push_back(std::move(content));
    }
    return all;
  }

  const plan::Plan& plan_;
  Meetings meetings_;
  std::uint64_t seed_;
  Terms terms_;
  std::map<std::tuple<plan::TableIndex, Count, Count>, TermIndex> given_;
  std::vector<SlotUses> uses_;  // by class
  std::vector<Rank> ranks_;
  std::deque<int> ready_;
  std::map<int, Record> records_;  // by rank
};

}  // namespace

std::vector<StepContents> contents(const plan::Plan& plan, const std::vector<int>& ranks,
                                   std::uint64_t seed) {
  return Step(plan, ranks, seed).run(ranks);
}

StepContents contents(const plan::Plan& plan, int rank, std::uint64_t seed) {
  return std::move(contents(plan, std::vector{rank}, seed).front());
}

}  // namespace collbench::replay
