// SPDX-License-Identifier: Apache-2.0
#include "plan/matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "plan/print.h"

namespace collbench::plan {
namespace {

/// A group as its members' classes by position.
struct Group {
  int smallest_rank = 0;
  std::vector<std::uint32_t> classes;  // by position
  int own_position = 0;

  /// Each class once.
  std::vector<std::uint32_t> distinct() const {
    std::vector<std::uint32_t> sorted = classes;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    return sorted;
  }
};

Group group_of(const Plan& plan, std::uint32_t rank_class, model::Axis axis) {
  const int rank = plan.classes[rank_class].first_rank;
  Group group;
  const std::vector<int> members = model::group(plan.layout, axis, rank);
  group.smallest_rank = *std::min_element(members.begin(), members.end());
  for (const int member : members) {
    group.classes.push_back(static_cast<std::uint32_t>(class_of(plan, member)));
  }
  group.own_position = model::position(plan.layout, axis, rank);
  return group;
}

/// A channel delivers in order: sends from one rank to another over one communicator.
struct Channel {
  model::Axis axis;
  int smallest_rank;  // of the group
  bool pair;
  int from, to;  // positions
  auto operator<=>(const Channel&) const = default;
};

struct Queues {
  std::vector<MessageRef> sends, recvs;
};

struct Communicator {
  Group group;
  std::map<std::uint32_t, std::vector<MessageRef>> collectives;  // by class, in issue order
};

class Matcher {
 public:
  explicit Matcher(const Plan& plan) : plan_(plan) {}

  Matching run() {
    for (std::uint32_t c = 0; c < plan_.classes.size(); ++c) collect(c);
    for (const auto& [key, communicator] : communicators_) match_collectives(communicator);
    for (const auto& [channel, queues] : channels_) match_channel(channel, queues);
    return std::move(matching_);
  }

 private:
  const Message& at(const MessageRef& ref) const {
    return plan_.classes[ref.rank_class].ops[ref.op].messages[ref.message];
  }

  std::string say(const MessageRef& ref) const {
    return fmt::format("{}: {}", place(plan_, ref.rank_class, ref.op), describe(plan_, at(ref)));
  }

  template <class... Values>
  void fault(fmt::format_string<Values...> text, Values&&... values) {
    matching_.faults.push_back(fmt::format(text, std::forward<Values>(values)...));
  }

  const Group& group(std::uint32_t rank_class, model::Axis axis) {
    const auto key = std::make_pair(rank_class, axis);
    const auto found = groups_.find(key);
    if (found != groups_.end()) return found->second;
    return groups_.emplace(key, group_of(plan_, rank_class, axis)).first->second;
  }

  void collect(std::uint32_t c) {
    const std::vector<Op>& ops = plan_.classes[c].ops;
    for (OpIndex o = 0; o < ops.size(); ++o) {
      for (std::uint32_t m = 0; m < ops[o].messages.size(); ++m) {
        const MessageRef ref{c, o, m};
        if (at(ref).kind == MessageKind::collective) {
          collect_collective(ref);
        } else {
          collect_peer(ref);
        }
      }
    }
  }

  void collect_collective(const MessageRef& ref) {
    const Group& g = group(ref.rank_class, at(ref).axis);
    if (at(ref).matrix != kNoMatrix && !is_alone(g, ref)) return;
    const std::pair key(at(ref).axis, g.smallest_rank);
    Communicator& communicator = communicators_.try_emplace(key, Communicator{g, {}}).first->second;
    communicator.collectives[ref.rank_class].push_back(ref);
  }

  void collect_peer(const MessageRef& ref) {
    const Message& message = at(ref);
    const Group& g = group(ref.rank_class, message.axis);
    const auto size = static_cast<int>(g.classes.size());
    if (message.peer < 0 || message.peer >= size || message.peer == g.own_position) {
      return fault("{}; it stands at position {} of {}", say(ref), g.own_position, size);
    }
    if (!is_alone(g, ref)) return;
    const bool sends = message.kind == MessageKind::send;
    const int from = sends ? g.own_position : message.peer;
    const int to = sends ? message.peer : g.own_position;
    Queues& queues = channels_[{message.axis, g.smallest_rank, message.pair, from, to}];
    (sends ? queues.sends : queues.recvs).push_back(ref);
  }

  /// A list that names positions, or a matrix by them, is that of one position.
  bool is_alone(const Group& g, const MessageRef& ref) {
    if (std::count(g.classes.begin(), g.classes.end(), ref.rank_class) == 1) return true;
    fault("{}; ranks that share this list differ in their position on {}", say(ref),
          model::name_of(at(ref).axis));
    return false;
  }

  void match_collectives(const Communicator& communicator) {
    const std::vector<std::uint32_t> classes = communicator.group.distinct();
    const auto& first = communicator.collectives.begin()->second;
    for (std::size_t k = 0; k < first.size(); ++k) {
      Exchange exchange{{first[k]}};
      for (const std::uint32_t c : classes) {
        if (c == first[k].rank_class) continue;
        const auto found = communicator.collectives.find(c);
        if (found == communicator.collectives.end() || found->second.size() <= k) {
          fault("{}: {} never takes part", say(first[k]), member(communicator, c));
          continue;
        }
        compare(first[k], found->second[k]);
        exchange.members.push_back(found->second[k]);
      }
      matching_.exchanges.push_back(std::move(exchange));
    }
    for (const auto& [c, refs] : communicator.collectives) {
      if (refs.size() <= first.size()) continue;
      fault("{}: {} never takes part", say(refs[first.size()]),
            member(communicator, first[0].rank_class));
    }
  }

  std::string member(const Communicator& communicator, std::uint32_t c) const {
    const auto& classes = communicator.group.classes;
    const auto position = std::find(classes.begin(), classes.end(), c) - classes.begin();
    return fmt::format("rank {} ({}, position {} of the group)", plan_.classes[c].first_rank,
                       name_of(plan_, plan_.classes[c]), position);
  }

  void match_channel(const Channel&, const Queues& queues) {
    const std::size_t both = std::min(queues.sends.size(), queues.recvs.size());
    for (std::size_t k = 0; k < both; ++k) {
      const Message& sent = at(queues.sends[k]);
      const Message& received = at(queues.recvs[k]);
      if (sent.count != received.count || sent.type != received.type) {
        fault("{} meets {}", say(queues.sends[k]), say(queues.recvs[k]));
      }
      matching_.exchanges.push_back({{queues.sends[k], queues.recvs[k]}});
    }
    for (std::size_t k = both; k < queues.sends.size(); ++k) {
      fault("{}: nobody receives it", say(queues.sends[k]));
    }
    for (std::size_t k = both; k < queues.recvs.size(); ++k) {
      fault("{}: nobody sends it", say(queues.recvs[k]));
    }
  }

  void compare(const MessageRef& one, const MessageRef& other) {
    const Message &a = at(one), &b = at(other);
    const bool equal = a.collective == b.collective && a.count == b.count && a.type == b.type &&
                       a.op == b.op && a.peer == b.peer && a.matrix == b.matrix;
    if (!equal) fault("{} meets {}", say(one), say(other));
  }

  const Plan& plan_;
  Matching matching_;
  std::map<std::pair<std::uint32_t, model::Axis>, Group> groups_;
  std::map<std::pair<model::Axis, int>, Communicator> communicators_;
  std::map<Channel, Queues> channels_;
};

}  // namespace

Matching match(const Plan& plan) { return Matcher(plan).run(); }

std::string place(const Plan& plan, std::uint32_t rank_class, OpIndex op) {
  const RankClass& ranks = plan.classes[rank_class];
  return fmt::format("rank {} ({}), operation {} [{}]", ranks.first_rank, name_of(plan, ranks), op,
                     ranks.ops[op].label);
}

}  // namespace collbench::plan
