// SPDX-License-Identifier: Apache-2.0
// Times of what a step sends, each exchange by itself and in the step's order.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "replay/step_sampler.h"

namespace collbench::replay {

/// This rank's part in plan::Turns: an executor that times each operation, and which of `distinct`
/// exchanges each belongs to.
struct TurnsReplay {
  Replay replay;
  std::span<const std::optional<std::size_t>> distinct_of_op;  // empty on a rank without a part
  std::size_t distinct = 0;
  std::span<const std::size_t> distinct_of_turn;  // of all turns, on every rank
};

/// Rounds of all turns until rank 0 knows well how long one takes. Returns the times of each
/// distinct exchange, one for each round, in seconds: the mean over the round's exchanges of its
/// kind, each of the rank on which it is longest; there it lasts from when the stream comes to it,
/// after the turn before it, until it is done. The same on every rank. Collective over the run.
std::vector<std::vector<double>> time_turns(const StepBench& bench, const TurnsReplay& turns,
                                            const StepSampling& sampling);

}  // namespace collbench::replay
