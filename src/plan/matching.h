// SPDX-License-Identifier: Apache-2.0
// Matching: which messages of different ranks are one exchange, by the rule of every library: the
// k-th collective of each member of a communicator, and the k-th send with the k-th receive between
// two ranks of it.
//
// Works on classes. The group of a class's first rank stands for those of all its ranks: what is
// equal in one group is equal in all.
#pragma once

#include <string>
#include <vector>

#include "plan/plan.h"

namespace collbench::plan {

/// A message by where it stands.
struct MessageRef {
  std::uint32_t rank_class = 0;
  OpIndex op = 0;
  std::uint32_t message = 0;
  bool operator==(const MessageRef&) const = default;
};

/// Messages that are one exchange. Of the members of a group only one of each class is named.
struct Exchange {
  std::vector<MessageRef> members;
};

struct Matching {
  std::vector<Exchange> exchanges;
  std::vector<std::string> faults;  // one sentence each; empty where every message has its match
};

/// Faults: a message without a match, a match of another kind, type, size or root, a peer that is
/// the rank itself or off the axis, a send to an axis on which ranks of one class differ.
Matching match(const Plan& plan);

/// "rank 8 (pp 1), operation 12 [send F3]": where a message or operation stands.
std::string place(const Plan& plan, std::uint32_t rank_class, OpIndex op);

}  // namespace collbench::plan
