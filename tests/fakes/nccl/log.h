// SPDX-License-Identifier: Apache-2.0
// What reached this library, where FAKE_NCCL_LOG says so; tests/operation_log.h has the form.
#pragma once

#include <string>
#include <vector>

#include "group.h"

namespace fakenccl {

/// Logs the operations of one group, each in the file of its rank of the run: that of the
/// communicator which its own was split from.
void log_group(const std::vector<Issued>& operations);

/// Logs a line on what a rank has told NCCL beside operations, into use-RANK.txt.
void log_use(int origin_rank, const std::string& line);

}  // namespace fakenccl
