// SPDX-License-Identifier: Apache-2.0
// Meetings: which messages of which ranks are one exchange, while ranks go through their lists.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "plan/plan.h"

namespace collbench::replay {

/// A message of a rank that has come to it.
struct Arrival {
  int rank;  // in the run
  const plan::Message* message;
};

/// By the rule of every library, as plan/matching.h, for all ranks and not only for classes.
class Meetings {
 public:
  explicit Meetings(const plan::Plan& plan) : plan_(plan) {}

  /// All members of the exchange in the order of their positions, of a message the sender first, if
  /// this is the last one to come; otherwise none.
  std::vector<Arrival> arrive(const Arrival& arrival);

 private:
  struct Channel {
    model::Axis axis;
    int smallest_rank;  // of the group
    bool pair;
    int from, to;  // positions; -1 of collectives
    auto operator<=>(const Channel&) const = default;
  };
  struct Group {
    std::vector<int> ranks;  // by position
    int smallest_rank = 0;
  };

  const Group& group_of(model::Axis axis, int rank);
  Channel channel_of(const Arrival& arrival, const Group& group, std::size_t position) const;

  const plan::Plan& plan_;
  std::map<std::pair<model::Axis, int>, Group> groups_;            // by rank
  std::map<std::pair<Channel, std::size_t>, std::size_t> counts_;  // by member: how many have been
  std::map<std::pair<Channel, std::size_t>, std::map<std::size_t, Arrival>> open_;  // by number
};

}  // namespace collbench::replay
