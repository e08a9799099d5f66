// SPDX-License-Identifier: Apache-2.0
// Balanced routing: experts dealt from shuffled decks.
#pragma once

#include <cstdint>
#include <vector>

#include "base/portable_math.h"
#include "routing/shape.h"

namespace collbench::routing {

/// Appends the experts of all tokens of a rank. No expert comes again before all others have come,
/// except that a token which takes the last cards of a deck has none of them twice; so any T tokens
/// give each expert T*k/E copies, or the whole numbers beside it. Where a token uses some groups
/// only, groups are dealt first, and of each as many experts from a deck of its own.
///
/// A token's experts are as in uniform routing: any k of them, alike.
void deal(const Shape& shape, PortableRandom& random, std::vector<std::uint16_t>& experts);

}  // namespace collbench::routing
