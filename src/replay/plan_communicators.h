// SPDX-License-Identifier: Apache-2.0
// PlanCommunicators: the communicators of one rank that a plan's messages go over.
#pragma once

#include <compare>
#include <map>
#include <memory>

#include "comm/communicator.h"
#include "plan/plan.h"

namespace collbench::replay {

/// One per axis that any rank of the plan communicates on; and one per pair of positions whose
/// messages ask for it, of these two ranks alone.
class PlanCommunicators {
 public:
  /// Of the rank that `all` says; `all` has the ranks of the plan's layout in their order, and need
  /// not live longer than this call. Collective over it.
  PlanCommunicators(Communicator& all, const plan::Plan& plan);

  /// The rank's one for a message of its operations. A rank's number there is its position on the
  /// axis; in a pair the one that is first on the axis is 0.
  Communicator& of(const plan::Message& message) const;

 private:
  /// Both positions are -1 for the communicator of the whole axis.
  struct Key {
    model::Axis axis = model::Axis::world;
    int first = -1, second = -1;
    auto operator<=>(const Key&) const = default;
  };

  static Key key_of(const model::Layout& layout, const plan::Message& message, int rank);
  std::unique_ptr<Communicator> split(Communicator& all, const Key& key) const;

  const model::Layout layout_;
  const int rank_;
  std::map<Key, std::unique_ptr<Communicator>> comms_;
};

}  // namespace collbench::replay
