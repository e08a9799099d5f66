// SPDX-License-Identifier: Apache-2.0
#include "plan/predict.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <queue>
#include <stdexcept>

#include "plan/shared_links.h"

namespace collbench::plan {
namespace {

struct OpRef {
  std::uint32_t rank_class;
  OpIndex op;
};

/// What is still missing before an operation, and who waits for it.
struct State {
  std::uint32_t missing = 0;   // operations before it
  std::uint32_t messages = 0;  // of it, that have not ended
  std::vector<OpIndex> next;
};

/// Members arrive; the last one lets it start.
struct Meeting {
  std::uint32_t missing = 0;
  double start_s = 0;
  LinkTime alone = {};
  bool within_node = true;
};

enum class EventKind : std::uint8_t { op_ends, transfer_begins, transfer_ends };

struct Event {
  double at_s = 0;
  EventKind kind = EventKind::op_ends;
  OpRef op = {};              // that ends
  SharedLinks::End end = {};  // of a transfer; when it begins, only which one
};

/// Ends before beginnings: what ends when something begins shares no link with it.
bool is_later(const Event& a, const Event& b) {
  if (a.at_s != b.at_s) return a.at_s > b.at_s;
  return a.kind == EventKind::transfer_begins && b.kind != EventKind::transfer_begins;
}

/// Of a rank: two to its node, two to others, one for each direction.
constexpr std::size_t kLinksOfRank = 4;

class EventModel {
 public:
  EventModel(const Plan& plan, const Matching& matching, const Costs& costs)
      : plan_(plan),
        matching_(matching),
        costs_(costs),
        links_(plan.classes.size() * kLinksOfRank, matching.exchanges.size()),
        events_(is_later) {
    for (std::uint32_t c = 0; c < plan.classes.size(); ++c) link_ops(c);
    for (std::uint32_t x = 0; x < matching.exchanges.size(); ++x) enter_exchange(x);
  }

  Timeline run() {
    for (std::uint32_t c = 0; c < states_.size(); ++c) {
      for (OpIndex o = 0; o < states_[c].size(); ++o) {
        if (states_[c][o].missing == 0) start({c, o});
      }
    }
    std::size_t done = 0;
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      if (event.kind == EventKind::op_ends) ++done;
      take(event);
    }
    require_all(done);
    return std::move(times_);
  }

 private:
  const Op& at(OpRef ref) const { return plan_.classes[ref.rank_class].ops[ref.op]; }
  OpTime& time(OpRef ref) { return times_[ref.rank_class][ref.op]; }
  State& state(OpRef ref) { return states_[ref.rank_class][ref.op]; }

  void link_ops(std::uint32_t c) {
    const std::vector<Op>& ops = plan_.classes[c].ops;
    auto& states = states_.emplace_back(ops.size());
    times_.emplace_back(ops.size());
    meetings_of_.emplace_back(ops.size());
    std::vector<std::int64_t> last_on(plan_.streams.size(), -1);
    std::int64_t last_wait = -1;
    const auto link = [&](std::int64_t from, OpIndex to) {
      if (from < 0) return;
      states[static_cast<std::size_t>(from)].next.push_back(to);
      ++states[to].missing;
    };
    for (OpIndex o = 0; o < ops.size(); ++o) {
      for (const OpIndex earlier : ops[o].after) link(earlier, o);
      link(last_wait, o);
      if (ops[o].kind == OpKind::wait) {
        last_wait = o;
        continue;
      }
      link(last_on[static_cast<std::size_t>(ops[o].stream)], o);
      last_on[static_cast<std::size_t>(ops[o].stream)] = o;
      states[o].messages = static_cast<std::uint32_t>(ops[o].messages.size());
      meetings_of_[c][o].resize(ops[o].messages.size());
    }
  }

  void enter_exchange(std::uint32_t x) {
    const std::vector<MessageRef>& members = matching_.exchanges[x].members;
    Meeting& meeting = meetings_.emplace_back();
    meeting.missing = static_cast<std::uint32_t>(members.size());
    set_time(meeting, members);
    for (const MessageRef& member : members) {
      meetings_of_[member.rank_class][member.op][member.message] = x;
    }
  }

  const Message& message_of(const MessageRef& ref) const {
    return at({ref.rank_class, ref.op}).messages[ref.message];
  }

  void set_time(Meeting& meeting, const std::vector<MessageRef>& members) {
    const MessageRef& first = members.front();
    const Message& message = message_of(first);
    if (message.kind != MessageKind::collective) {
      const int rank = plan_.classes[first.rank_class].first_rank;
      const int peer = plan_.classes[members.back().rank_class].first_rank;
      const int node = costs_.links.ranks_per_node;
      meeting.within_node = rank / node == peer / node;
      meeting.alone =
          transfer_time(costs_.links, meeting.within_node, message_bytes(plan_, message));
      return;
    }
    const GroupPlace& group = place(first.rank_class, message.axis);
    meeting.within_node = group.nodes == 1;
    meeting.alone =
        collective_time(costs_.links, message.collective, group, message_bytes(plan_, message));
  }

  const GroupPlace& place(std::uint32_t c, model::Axis axis) {
    const auto [found, is_new] = places_.try_emplace({c, axis});
    if (is_new) {
      const int rank = plan_.classes[c].first_rank;
      found->second = place_of(costs_.links, model::group(plan_.layout, axis, rank));
    }
    return found->second;
  }

  void take(const Event& event) {
    switch (event.kind) {
      case EventKind::op_ends:
        return release(event.op);
      case EventKind::transfer_begins:
        return begin_transfer(event.end.transfer, event.at_s);
      case EventKind::transfer_ends:
        if (links_.end(event.end)) end_exchange(event.end.transfer, event.at_s);
        return enter_moved_ends();
    }
  }

  void start(OpRef ref) {
    const Op& op = at(ref);
    OpTime& t = time(ref);
    if (op.kind != OpKind::communicate || op.messages.empty()) {
      t.start_s = t.ready_s;
      t.end_s = t.ready_s + own_s(op);
      events_.push({t.end_s, EventKind::op_ends, ref});
      return;
    }
    t.start_s = std::numeric_limits<double>::infinity();
    std::array<double, 3> before{};  // by kind: what goes the same way in this group
    for (std::size_t m = 0; m < op.messages.size(); ++m) {
      const std::uint32_t x = meetings_of_[ref.rank_class][ref.op][m];
      double& offset = before[static_cast<std::size_t>(op.messages[m].kind)];
      arrive(x, t.ready_s + offset);
      offset += meetings_[x].alone.total_s();
    }
  }

  double own_s(const Op& op) const {
    if (op.kind == OpKind::compute) return static_cast<double>(flops(op)) / costs_.compute.flops;
    return static_cast<double>(op.bytes) / costs_.compute.memory_Bps;
  }

  void arrive(std::uint32_t x, double at_s) {
    Meeting& meeting = meetings_[x];
    meeting.start_s = std::max(meeting.start_s, at_s);
    if (--meeting.missing > 0) return;
    for (const MessageRef& member : matching_.exchanges[x].members) {
      OpTime& t = time({member.rank_class, member.op});
      t.start_s = std::min(t.start_s, meeting.start_s);
    }
    events_.push({meeting.start_s + meeting.alone.latency_s,
                  EventKind::transfer_begins,
                  {},
                  {.transfer = x}});
  }

  void begin_transfer(std::uint32_t x, double now_s) {
    links_.begin(x, now_s, meetings_[x].alone.transfer_s, links_of(x));
    enter_moved_ends();
  }

  /// Collectives go both ways.
  std::vector<LinkIndex> links_of(std::uint32_t x) const {
    std::vector<LinkIndex> links;
    if (!costs_.links.shared || meetings_[x].alone.transfer_s == 0) return links;
    for (const MessageRef& member : matching_.exchanges[x].members) {
      const auto first = static_cast<LinkIndex>(member.rank_class * kLinksOfRank +
                                                (meetings_[x].within_node ? 0 : 2));
      const MessageKind kind = message_of(member).kind;
      if (kind != MessageKind::recv) links.push_back(first);
      if (kind != MessageKind::send) links.push_back(first + 1);
    }
    return links;
  }

  void enter_moved_ends() {
    for (const SharedLinks::End& end : links_.take_moved()) {
      events_.push({end.at_s, EventKind::transfer_ends, {}, end});
    }
  }

  void end_exchange(std::uint32_t x, double now_s) {
    for (const MessageRef& member : matching_.exchanges[x].members) {
      const OpRef ref{member.rank_class, member.op};
      time(ref).end_s = std::max(time(ref).end_s, now_s);
      if (--state(ref).messages == 0) events_.push({time(ref).end_s, EventKind::op_ends, ref});
    }
  }

  void release(OpRef ref) {
    for (const OpIndex next : state(ref).next) {
      const OpRef follower{ref.rank_class, next};
      time(follower).ready_s = std::max(time(follower).ready_s, time(ref).end_s);
      if (--state(follower).missing == 0) start(follower);
    }
  }

  void require_all(std::size_t done) const {
    std::size_t all = 0;
    for (const RankClass& ranks : plan_.classes) all += ranks.ops.size();
    if (done != all) throw std::logic_error("operations of the plan wait for each other");
  }

  const Plan& plan_;
  const Matching& matching_;
  const Costs& costs_;
  std::vector<std::vector<State>> states_;
  std::vector<std::vector<std::vector<std::uint32_t>>> meetings_of_;  // by class, op, message
  std::vector<Meeting> meetings_;                                     // by exchange
  std::map<std::pair<std::uint32_t, model::Axis>, GroupPlace> places_;
  SharedLinks links_;
  std::priority_queue<Event, std::vector<Event>, bool (*)(const Event&, const Event&)> events_;
  Timeline times_;
};

}  // namespace

Timeline predict(const Plan& plan, const Matching& matching, const Costs& costs) {
  return EventModel(plan, matching, costs).run();
}

double step_s(const Timeline& timeline) {
  double last = 0;
  for (const auto& ops : timeline) {
    for (const OpTime& op : ops) last = std::max(last, op.end_s);
  }
  return last;
}

Costs on_an_infinite_network(const Costs& costs) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  Costs free = costs;
  free.links.node = free.links.network = {0, kInfinite};
  free.links.measured.clear();
  return free;
}

}  // namespace collbench::plan
