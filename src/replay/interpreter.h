// SPDX-License-Identifier: Apache-2.0
// For tests: runs a plan on bytes, all ranks in one process and one operation after the other, with
// the simplest collectives there can be, and checks what `contents` says.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/element.h"
#include "comm/host_pattern.h"
#include "measure/test_arithmetic.h"
#include "plan/matching.h"
#include "replay/call_of.h"
#include "replay/contents.h"

namespace collbench::replay {

/// What each rank makes and expects.
inline std::vector<StepContents> contents_of_all(const plan::Plan& plan, std::uint64_t seed) {
  std::vector<int> all(static_cast<std::size_t>(model::ranks(plan.layout)));
  std::iota(all.begin(), all.end(), 0);
  return contents(plan, all, seed);
}

class Interpreter {
 public:
  /// A hook may change a rank's call before it is made.
  using Fault = std::function<void(int rank, Call& call)>;

  explicit Interpreter(const plan::Plan& plan, Fault fault = {})
      : plan_(plan), matching_(plan::match(plan)), fault_(std::move(fault)) {
    for (std::size_t x = 0; x < matching_.exchanges.size(); ++x) {
      for (const plan::MessageRef& member : matching_.exchanges[x].members) {
        exchange_of_[{member.rank_class, member.op, member.message}] = x;
      }
    }
    for (int rank = 0; rank < model::ranks(plan.layout); ++rank) {
      Rank& added = ranks_.emplace_back();
      added.rank_class = static_cast<std::uint32_t>(plan::class_of(plan, rank));
      for (const plan::Slot& slot : plan.classes[added.rank_class].slots) {
        added.slots.emplace_back(slot.bytes, std::byte{0xa5});
      }
    }
  }

  /// A whole step; on the slots as the step before has left them. What was wrong, in a line each.
  std::vector<std::string> run(const std::vector<StepContents>& contents) {
    wrong_.clear();
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      ranks_[r].next = 0;
      fill(r, contents[r].at_start);
    }
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t r = 0; r < ranks_.size(); ++r) moved |= advance(r, contents[r]);
    }
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      if (ranks_[r].next < ops(r).size()) wrong_.push_back(fmt::format("rank {} hangs", r));
      check(r, contents[r].at_end, "at the end");
    }
    return wrong_;
  }

  std::size_t checked_elements() const { return checked_; }

 private:
  struct Rank {
    std::uint32_t rank_class = 0;
    std::vector<std::vector<std::byte>> slots;
    std::size_t next = 0;
    std::size_t waiting = 0;
  };
  using Key = std::pair<std::size_t, int>;                  // exchange, smallest rank of the group
  using Met = std::map<int, std::pair<std::size_t, Call>>;  // by position: rank, and its call

  const std::vector<plan::Op>& ops(std::size_t rank) const {
    return plan_.classes[ranks_[rank].rank_class].ops;
  }

  bool advance(std::size_t r, const StepContents& contents) {
    Rank& rank = ranks_[r];
    bool moved = false;
    while (rank.next < ops(r).size() && rank.waiting == 0) {
      moved = true;
      const std::size_t o = rank.next++;
      const plan::Op& op = ops(r)[o];
      check(r, contents.ops[o].check, op.label);
      fill(r, contents.ops[o].fill);
      if (op.kind == plan::OpKind::copy && op.bytes > 0) {
        std::memcpy(rank.slots[op.writes[0]].data(), rank.slots[op.reads[0]].data(), op.bytes);
      }
      rank.waiting = op.messages.size();
      for (std::size_t m = 0; m < op.messages.size(); ++m) arrive(r, o, m);
    }
    return moved;
  }

  std::byte* slot(std::size_t rank, plan::SlotIndex index) {
    return index == plan::kNoSlot ? nullptr : ranks_[rank].slots[index].data();
  }

  void arrive(std::size_t r, std::size_t o, std::size_t m) {
    const plan::Message& message = ops(r)[o].messages[m];
    const auto rank = static_cast<int>(r);
    const std::vector<int> group = model::group(plan_.layout, message.axis, rank);
    const Place place = place_of(message, plan_, rank);
    const PeerCounts* counts = nullptr;
    if (auto given = peer_counts(message, place)) {
      counts = &counts_.emplace_back(std::move(*given));
    }
    Call call = call_of(message, place, slot(r, message.read), slot(r, message.written), counts);
    if (fault_) fault_(rank, call);
    const bool collective = message.kind == plan::MessageKind::collective;
    const std::size_t exchange = exchange_of_.at({ranks_[r].rank_class, o, m});
    const Key key = {exchange, *std::min_element(group.begin(), group.end())};
    const bool receives = message.kind == plan::MessageKind::recv;
    const int position = model::position(plan_.layout, message.axis, rank);
    met_[key].emplace(collective ? position : static_cast<int>(receives), std::pair(r, call));
    if (met_[key].size() < (collective ? group.size() : 2)) return;
    exchange_bytes(met_[key]);
    for (const auto& [at, member] : met_[key]) --ranks_[member.first].waiting;
    met_.erase(key);
  }

  // ---- bytes

  using AllBytes = std::vector<std::vector<std::byte>>;  // by member

  static std::vector<std::byte> bytes_of(const void* from, Bytes bytes) {
    const auto* first = static_cast<const std::byte*>(from);
    return {first, first + bytes};
  }

  /// Everybody's data is taken before anything is written.
  static void exchange_bytes(const Met& met) {
    const Call& first = met.begin()->second.second;
    if (first.kind == CallKind::all_to_all_v) return exchange_by_counts(met);
    const Bytes block = first.count * size_of(first.type);
    const std::size_t n = met.size();
    const bool blocks = first.kind == CallKind::reduce_scatter ||
                        first.kind == CallKind::all_to_all || first.kind == CallKind::scatter;
    AllBytes sent;
    for (const auto& [place, member] : met) {
      const void* data = member.second.send;
      sent.push_back(data == nullptr ? std::vector<std::byte>{}
                                     : bytes_of(data, blocks ? n * block : block));
    }
    const bool reduces = first.kind == CallKind::all_reduce || first.kind == CallKind::reduce ||
                         first.kind == CallKind::reduce_scatter;
    const std::vector<std::byte> sum = reduces ? reduced(first, sent) : std::vector<std::byte>{};
    std::size_t to = 0;
    for (const auto& [place, member] : met) {
      if (member.second.recv != nullptr) {
        const std::vector<std::byte> got = received(member.second, sent, sum, to, block);
        std::memcpy(member.second.recv, got.data(), got.size());
      }
      ++to;
    }
  }

  /// Each by its own counts; what two ranks say of their block must agree.
  static void exchange_by_counts(const Met& met) {
    AllBytes sent;
    for (const auto& [place, member] : met) {
      const Call& call = member.second;
      sent.push_back(bytes_of(call.send, total(call.counts->send) * size_of(call.type)));
    }
    for (const auto& [to, member] : met) {
      const Call& call = member.second;
      const Bytes element = size_of(call.type);
      for (const auto& [from, other] : met) {
        const PeerCounts& theirs = *other.second.counts;
        const auto t = static_cast<std::size_t>(to), f = static_cast<std::size_t>(from);
        if (theirs.send[t] != call.counts->recv[f]) throw std::logic_error("counts disagree");
        std::memcpy(static_cast<std::byte*>(call.recv) + call.counts->recv_first[f] * element,
                    sent[f].data() + theirs.send_first[t] * element, theirs.send[t] * element);
      }
    }
  }

  static Count total(const std::vector<Count>& counts) {
    return std::accumulate(counts.begin(), counts.end(), Count{0});
  }

  static std::vector<std::byte> received(const Call& call, const AllBytes& sent,
                                         const std::vector<std::byte>& sum, std::size_t to,
                                         Bytes block) {
    const auto root = static_cast<std::size_t>(call.root);
    switch (call.kind) {
      case CallKind::all_reduce:
      case CallKind::reduce:
        return sum;
      case CallKind::reduce_scatter:
        return bytes_of(sum.data() + to * block, block);
      case CallKind::broadcast:
        return sent[root];
      case CallKind::scatter:
        return bytes_of(sent[root].data() + to * block, block);
      case CallKind::recv:
        return sent[0];
      default:
        break;
    }
    std::vector<std::byte> got;
    for (const auto& from : sent) {  // gathers and all-to-all
      const std::byte* data = from.data() + (call.kind == CallKind::all_to_all ? to * block : 0);
      got.insert(got.end(), data, data + block);
    }
    return got;
  }

  static std::vector<std::byte> reduced(const Call& call, const AllBytes& sent) {
    std::vector<std::byte> sum = sent[0];
    visit_element_type(call.type, [&](auto element) {
      using T = typename decltype(element)::type;
      for (std::size_t from = 1; from < sent.size(); ++from) {
        std::byte* to = sum.data();
        const std::byte* data = sent[from].data();
        for (const std::byte* end = to + sum.size(); to != end;
             to += sizeof(T), data += sizeof(T)) {
          T a{}, b{};
          std::memcpy(&a, to, sizeof a);
          std::memcpy(&b, data, sizeof b);
          a = combine_in_type(call.op, a, b);
          std::memcpy(to, &a, sizeof a);
        }
      }
    });
    return sum;
  }

  // ---- test data

  void fill(std::size_t rank, const std::vector<SlotContent>& all) {
    for (const SlotContent& content : all) {
      for (const Piece& piece : content.pieces) {
        collbench::fill(slot(rank, content.slot) + piece.at, piece.count, *piece.pattern,
                        piece.first);
      }
    }
  }

  void check(std::size_t rank, const std::vector<SlotContent>& all, const std::string& where) {
    for (const SlotContent& content : all) {
      for (const Piece& piece : content.pieces) {
        const CheckResult result = collbench::check(slot(rank, content.slot) + piece.at,
                                                    piece.count, *piece.pattern, piece.first);
        checked_ += piece.count;
        if (result.wrong == 0) continue;
        wrong_.push_back(
            fmt::format("rank {} [{}] slot {} byte {}: {} of {} wrong", rank, where,
                        plan_.classes[ranks_[rank].rank_class].slots[content.slot].name,
                        piece.at + result.first_wrong * size_of(piece.pattern->type), result.wrong,
                        piece.count));
      }
    }
  }

  const plan::Plan& plan_;
  plan::Matching matching_;
  Fault fault_;
  std::map<std::tuple<std::uint32_t, std::size_t, std::size_t>, std::size_t> exchange_of_;
  std::vector<Rank> ranks_;
  std::map<Key, Met> met_;
  std::deque<PeerCounts> counts_;  // that calls point to
  std::vector<std::string> wrong_;
  std::size_t checked_ = 0;
};

}  // namespace collbench::replay
