// SPDX-License-Identifier: Apache-2.0
// The data check of collectives: known data in, one operation, known data out, on every rank.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.h"
#include "comm/control_plane.h"
#include "comm/device.h"
#include "measure/groups.h"
#include "measure/operation.h"

namespace collbench {

class Alignment;
class Background;

/// What a rank measures with.
struct Workbench {
  ControlPlane& control;
  Communicator& comm;
  Device& device;
  Stream& stream;
  Alignment* alignment = nullptr;    // of isolated operations
  Background* background = nullptr;  // what runs beside operations that are timed
};

/// The outcome over all ranks of a group, the same on every rank of the run.
struct CheckOutcome {
  Count checked_elements = 0;
  Count wrong_elements = 0;
  std::string first_wrong;  // "rank 2, byte 4096 of the result: expected 3, found 0", or empty
};

/// Fills the send buffer, runs the operation once and checks the whole result bit by bit, in all
/// of these groups at the same time. Returns the outcome of each. A rank of no group has an
/// operation without calls and blocks. Collective over the run. `seed` must differ between checks
/// that share a buffer; groups of different seeds have different data.
std::vector<CheckOutcome> check_operation(const Workbench& bench, const RanksOfGroups& groups,
                                          const Operation& operation, const Setting& setting,
                                          const Buffers& buffers, std::uint64_t seed);

}  // namespace collbench
