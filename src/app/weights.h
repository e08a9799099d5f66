// SPDX-License-Identifier: Apache-2.0
// The traffic matrix of a run.
#pragma once

#include <optional>

#include "cli/collective_options.h"
#include "comm/control_plane.h"
#include "traffic/matrix.h"

namespace collbench {

/// The weights that the options ask for, on so many ranks; nothing for a collective that has no
/// matrix. A file is read by rank 0 alone. Collective over the run. Throws UserError, the same on
/// every rank.
std::optional<traffic::Matrix> load_weights(ControlPlane& control, const CollectiveOptions& options,
                                            const traffic::Traffic& traffic, int ranks);

}  // namespace collbench
