// SPDX-License-Identifier: Apache-2.0
// Distinct exchanges: what a step sends, each thing once, so that it can be measured by itself.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/matching.h"
#include "plan/plan.h"

namespace collbench::plan {

/// Exchanges with the same operation, axis, type, reduction and size.
struct DistinctExchange {
  Message message;                      // of the first member; of a send and its receive the send
  std::vector<std::uint64_t> per_step;  // by class: in how many of them a rank takes part
  Exchange exchange;                    // the first of them
};

/// In the order in which the first class of each takes part. Roots and peers make no difference,
/// nor whether two ranks have a communicator of their own.
std::vector<DistinctExchange> distinct_exchanges(const Plan& plan, const Matching& matching);

/// A plan in which nothing but this exchange happens, `times` times one after the other, on all
/// groups of its axis whose ranks are of its members' classes. Slots, streams and classes are those
/// of `plan`.
Plan only(const Plan& plan, const Exchange& exchange, int times);

}  // namespace collbench::plan
