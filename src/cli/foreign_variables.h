// SPDX-License-Identifier: Apache-2.0
// Variables of nccl-tests: one that counts here too, and those that collbench has flags for
// instead.
#pragma once

#include <optional>

#include "comm/launcher_facts.h"

namespace collbench {

inline constexpr const char* kFirstDeviceVariable = "NCCL_TESTS_DEVICE";

/// Throws UserError where such a variable is set: ignored, a script that is carried over would
/// measure something else than it asks for. Those of alltoallv's matrix count where a matrix is
/// needed and none is given.
void refuse_foreign_variables(bool needs_matrix, const ReadEnvironment& read);

/// NCCL_TESTS_DEVICE, as nccl-tests reads it: the number of the GPU that the first rank of every
/// process takes, its next ranks those after it. Nothing where it is not set. Throws UserError.
std::optional<int> first_device(const ReadEnvironment& read);

}  // namespace collbench
