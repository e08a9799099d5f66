// SPDX-License-Identifier: Apache-2.0
// Variables of nccl-tests that collbench has flags for instead.
#pragma once

#include "comm/launcher_facts.h"

namespace collbench {

/// Throws UserError where such a variable is set: ignored, a script that is carried over would
/// measure something else than it asks for. Those of alltoallv's matrix count where a matrix is
/// needed and none is given.
void refuse_foreign_variables(bool needs_matrix, const ReadEnvironment& read);

}  // namespace collbench
