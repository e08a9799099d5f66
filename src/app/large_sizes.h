// SPDX-License-Identifier: Apache-2.0
// Before a run: which of its sizes the communicators cannot do, or only in pieces.
#pragma once

#include "app/run_plan.h"
#include "comm/communicator.h"
#include "comm/control_plane.h"
#include "measure/operation.h"

namespace collbench {

/// Gives a reason to the sizes that cannot be measured, marks those that are made in pieces, in
/// every group, and returns the most memory that a measured size takes on some rank beside its
/// buffers. `comm` is of the own group. Collective over the run, with the same outcome on every
/// rank.
Bytes settle_large_sizes(RunPlan& plan, const Operation& operation, const Communicator& comm,
                         ControlPlane& control);

}  // namespace collbench
