// SPDX-License-Identifier: Apache-2.0
// Contents: which data every communicated slot of a rank holds in the course of a step.
//
// In a check step a computation does not compute: it checks what it reads and fills what it writes
// with fresh data, which only this rank and operation make. Communications and copies run as
// always, and nothing is serialized, so that a message that came late, from elsewhere, from the
// step before, or not at all is wrong data in a check.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "comm/pattern.h"
#include "plan/plan.h"

namespace collbench::replay {

/// Elements first .. first + count - 1 of a pattern's tensor, which lie in a slot from byte `at`
/// on.
struct Piece {
  Count count = 0;
  Count first = 0;
  std::shared_ptr<const Pattern> pattern;
  Bytes at = 0;
};

/// What is to be filled or checked. Between pieces, and after the last one, is what nobody knows: a
/// reduce-scatter in place leaves it, and bytes that are no whole element.
struct SlotContent {
  plan::SlotIndex slot = 0;
  std::vector<Piece> pieces;  // by `at`
};

/// Of a computation: first check, then fill. Other operations have none.
struct OpContents {
  std::vector<SlotContent> fill, check;
};

struct StepContents {
  std::vector<SlotContent> at_start;  // fill
  std::vector<OpContents> ops;        // by operation of the rank's class
  std::vector<SlotContent> at_end;    // check, when all is done
};

/// For one rank of the plan. Only slots that messages or copies of the rank read or write are
/// filled and checked. `seed` differs between checks.
///
/// Results that the plan knows (plan::KnownResult) are what it says, in every check.
///
/// Fresh data are of the type in which the slot's next message reads them, reductions before
/// others. Sums are exact, in any order, through chains of reductions (terms.h). All ranks are
/// followed: time and memory grow with ranks x operations.
///
/// Throws std::logic_error for plans that cannot be followed: unmatched messages or deadlocks (see
/// plan::check), sums that do not fit into their type, reductions of data of different types or
/// places, averages and products.
StepContents contents(const plan::Plan& plan, int rank, std::uint64_t seed);

/// For several ranks at once, in their order, in the time of one. They share patterns.
std::vector<StepContents> contents(const plan::Plan& plan, const std::vector<int>& ranks,
                                   std::uint64_t seed);

}  // namespace collbench::replay
