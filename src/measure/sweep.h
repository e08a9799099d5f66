// SPDX-License-Identifier: Apache-2.0
// The sizes of a sweep: what was asked for, and what can be measured of it.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/data_type.h"
#include "traffic/matrix.h"
#include "traffic/traffic.h"

namespace collbench {

/// From `min_bytes` to `max_bytes`, by a factor where it is above 1, else by steps.
struct Sweep {
  Bytes min_bytes = 32ULL << 20;
  Bytes max_bytes = 32ULL << 20;
  Bytes step_bytes = 1ULL << 20;
  std::uint64_t factor = 1;
};

/// Throws UserError for a sweep that is empty, endless or longer than a million sizes.
void validate(const Sweep& sweep);

/// The sizes in ascending order. Requires a valid sweep.
std::vector<Bytes> sizes_of(const Sweep& sweep);

/// One size of a sweep for a given collective, type and number of ranks.
struct SweepSize {
  Bytes requested_bytes = 0;
  Bytes message_bytes = 0;  // after rounding to whole elements and aligned blocks
  Count count = 0;          // elements of a block; by matrix, of the mean one where it is largest
  std::string skip_reason;  // empty: to be measured
  bool in_pieces = false;   // the backend needs several calls of its library for it
};

/// What sizes are rounded for.
struct SizeContext {
  const traffic::Traffic& traffic;
  DataType type = DataType::float32;
  int ranks = 1;
  const traffic::Matrix* weights = nullptr;  // of a collective by matrix
};

/// Every requested size once, rounded as traffic::block_count or traffic::scaled says. A size that
/// rounds to nothing, or to the size before it, stays in the list with a reason and is not
/// measured; so does every size that so many ranks cannot measure.
std::vector<SweepSize> plan_sweep(const Sweep& sweep, const SizeContext& context);

}  // namespace collbench
