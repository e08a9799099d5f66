// SPDX-License-Identifier: Apache-2.0
// The traffic matrix of a run.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/collective_options.h"
#include "comm/control_plane.h"
#include "traffic/matrix.h"

namespace collbench {

/// The text of the matrix's file, which rank 0 reads for all; empty where the options ask for none.
/// Collective over the run. Throws UserError, the same on every rank.
std::string read_matrix(ControlPlane& control, const CollectiveOptions& options,
                        const traffic::Traffic& traffic);

/// The weights that the options ask for, on so many ranks, of the text that read_matrix gives;
/// nothing for a collective that has no matrix. Throws UserError.
std::optional<traffic::Matrix> weights_of(const CollectiveOptions& options,
                                          const traffic::Traffic& traffic, std::string_view text,
                                          int ranks);

}  // namespace collbench
