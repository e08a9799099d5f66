// SPDX-License-Identifier: Apache-2.0
// What an exchange makes of the data in its members' slots.
#pragma once

#include <vector>

#include "plan/plan.h"
#include "replay/call_of.h"
#include "replay/slot_image.h"

namespace collbench::replay {

/// One rank's part in an exchange.
struct Member {
  const plan::Message* message = nullptr;
  Place place = {};
  std::vector<SlotImage>* slots = nullptr;  // of the rank
};

/// Members of a collective stand in the order of their positions; of a message first who sends it.
/// Elements are reduced where all members have the same elements of their terms, and unknown where
/// one member's are. Of the buffer that a reduce-scatter works on in place only the result is known
/// after it. Throws std::logic_error for other data.
void exchange_data(const std::vector<Member>& members, Terms& terms);

}  // namespace collbench::replay
