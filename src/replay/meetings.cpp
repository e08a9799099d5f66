// SPDX-License-Identifier: Apache-2.0
#include "replay/meetings.h"

#include <algorithm>

namespace collbench::replay {

std::vector<Arrival> Meetings::arrive(const Arrival& arrival) {
  const plan::Message& message = *arrival.message;
  const Group& group = group_of(message.axis, arrival.rank);
  const auto position = static_cast<std::size_t>(
      std::find(group.ranks.begin(), group.ranks.end(), arrival.rank) - group.ranks.begin());
  const Channel channel = channel_of(arrival, group, position);
  const bool is_collective = message.kind == plan::MessageKind::collective;
  const bool receives = message.kind == plan::MessageKind::recv;
  const std::size_t member = is_collective ? position : (receives ? 1 : 0);
  const std::size_t number = counts_[{channel, member}]++;
  auto& met = open_[{channel, number}];
  met.emplace(member, arrival);
  if (met.size() < (is_collective ? group.ranks.size() : 2)) return {};
  std::vector<Arrival> all;
  for (const auto& [place, each] : met) all.push_back(each);
  open_.erase({channel, number});
  return all;
}

const Meetings::Group& Meetings::group_of(model::Axis axis, int rank) {
  const auto [found, is_new] = groups_.try_emplace({axis, rank});
  Group& group = found->second;
  if (is_new) {
    group.ranks = model::group(plan_.layout, axis, rank);
    group.smallest_rank = *std::min_element(group.ranks.begin(), group.ranks.end());
  }
  return group;
}

Meetings::Channel Meetings::channel_of(const Arrival& arrival, const Group& group,
                                       std::size_t position) const {
  const plan::Message& message = *arrival.message;
  if (message.kind == plan::MessageKind::collective) {
    return {message.axis, group.smallest_rank, false, -1, -1};
  }
  const int own = static_cast<int>(position);
  const bool sends = message.kind == plan::MessageKind::send;
  return {message.axis, group.smallest_rank, message.pair, sends ? own : message.peer,
          sends ? message.peer : own};
}

}  // namespace collbench::replay
