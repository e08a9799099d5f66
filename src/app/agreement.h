// SPDX-License-Identifier: Apache-2.0
// How the ranks of a run come to one outcome.
#pragma once

#include <functional>
#include <vector>

#include "base/errors.h"
#include "comm/control_plane.h"

namespace collbench {

/// Does the work on every rank, and if it throws UserError on any, throws that of the lowest such
/// rank on all: what only rank 0 can find out (a path that cannot be written) ends the run in an
/// orderly way. Collective over the run.
void together(ControlPlane& control, const std::function<void()>& work);

/// The status of a run whose ranks ended with these: the first of 2, 3, 5, 130, 143, 4, 1, 6 that
/// one of them has, else 0.
ExitStatus combined_status(const std::vector<ExitStatus>& statuses);

}  // namespace collbench
