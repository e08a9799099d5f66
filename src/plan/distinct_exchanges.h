// SPDX-License-Identifier: Apache-2.0
// Distinct exchanges: what a step sends, each thing once, so that it can be measured by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plan/matching.h"
#include "plan/plan.h"

namespace collbench::plan {

/// Exchanges with the same operation, axis, type, reduction and size; by matrices those with the
/// same elements of a row, since layers have different ones.
struct DistinctExchange {
  Message message;                      // of the first member; of a send and its receive the send
  std::vector<std::uint64_t> per_step;  // by class: in how many of them a rank takes part
  std::vector<Exchange> exchanges;      // all of them, in the order of the step
};

/// In the order in which the first class of each takes part. Roots and peers make no difference,
/// nor whether two ranks have a communicator of their own.
std::vector<DistinctExchange> distinct_exchanges(const Plan& plan, const Matching& matching);

/// A step's exchanges one after the other, in its order, on one stream.
struct Turns {
  /// Of the classes and slots of the step, and one slot more. A reduction of one element among all
  /// ranks stands before each exchange, so that nothing else is on its way meanwhile.
  Plan plan;
  /// By class and operation: which of the distinct exchanges it belongs to.
  std::vector<std::vector<std::optional<std::size_t>>> distinct;
  std::vector<std::size_t> distinct_of_turn;  // the same by exchange
};

/// So what a message takes by itself is measured with caches as the rest of the step leaves them:
/// repeated alone, it would find its own memory there.
Turns in_turns(const Plan& plan, std::span<const DistinctExchange> distinct);

}  // namespace collbench::plan
