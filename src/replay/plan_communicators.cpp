// SPDX-License-Identifier: Apache-2.0
#include "replay/plan_communicators.h"

#include <algorithm>

namespace collbench::replay {
namespace {

using plan::Message;

// Of all operations of a class.
template <class Visit>
void for_each_message(const plan::RankClass& ranks, Visit visit) {
  for (const plan::Op& op : ranks.ops) {
    for (const Message& message : op.messages) visit(message);
  }
}

}  // namespace

PlanCommunicators::PlanCommunicators(Communicator& all, const plan::Plan& plan)
    : layout_(plan.layout), rank_(all.rank()) {
  // Every rank makes all of them in the same order, also those that it is no part of.
  for (const plan::RankClass& ranks : plan.classes) {
    for_each_message(ranks, [&](const Message& message) {
      comms_.try_emplace(key_of(layout_, message, ranks.first_rank));
    });
  }
  for (auto& [key, comm] : comms_) comm = split(all, key);
}

PlanCommunicators::Key PlanCommunicators::key_of(const model::Layout& layout,
                                                 const Message& message, int rank) {
  if (!message.pair) return {message.axis};
  const int own = model::position(layout, message.axis, rank);
  return {message.axis, std::min(own, message.peer), std::max(own, message.peer)};
}

std::unique_ptr<Communicator> PlanCommunicators::split(Communicator& all, const Key& key) const {
  const int position = model::position(layout_, key.axis, rank_);
  const bool member = key.first < 0 || position == key.first || position == key.second;
  const int first_rank = model::group(layout_, key.axis, rank_).front();
  return all.split(member ? first_rank : -1, position);
}

Communicator& PlanCommunicators::of(const Message& message) const {
  return *comms_.at(key_of(layout_, message, rank_));
}

}  // namespace collbench::replay
