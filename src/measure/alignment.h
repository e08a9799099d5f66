// SPDX-License-Identifier: Apache-2.0
// Alignment: brings ranks to the same moment before an operation that is timed alone.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "comm/communicator.h"
#include "comm/device.h"

namespace collbench {

/// A dissemination barrier: in round k each rank tells the one 2^k places further on that it and
/// all that it has heard of have come, so that after ceil(log2 n) rounds everybody has heard of
/// everybody. Source: Hensgen, Finkel and Manber, Two algorithms for barrier synchronization
/// (1988).
///
/// MPI's barrier is one of the things that are measured here, and differs between libraries; this
/// one is the same with all. It has a communicator of its own, so that its messages are never among
/// those of the communicator under test.
class Alignment {
 public:
  /// Of the ranks of `comm`. `clock_of_rank`: which of them read the same clock, as those of a host
  /// do.
  Alignment(std::unique_ptr<Communicator> comm, Device& device, std::vector<int> clock_of_rank);

  /// Returns when all ranks have called it, and nearly at the same time.
  void align(Stream& stream);

  /// By how much the last rank left later than the first, seconds: the most that any clock has
  /// seen, since only readings of one clock can be compared. `left_s` are the times by rank.
  /// Nothing where no two ranks share a clock.
  std::optional<double> exit_skew_s(std::span<const double> left_s) const;

 private:
  std::unique_ptr<Communicator> comm_;
  std::unique_ptr<Memory> memory_;
  std::vector<std::vector<Call>> rounds_;
  const std::vector<int> clock_of_rank_;
};

}  // namespace collbench
