// SPDX-License-Identifier: Apache-2.0
// Rows of nccl-tests as records.
#pragma once

#include "import/nccl_tests_run.h"
#include "traffic/traffic.h"

namespace collbench {

/// What all rows of a run share.
struct NcclTestsCommon {
  const traffic::Traffic& traffic;
  RowKey key;
  std::uint64_t operations;  // per sample
};

/// Throws UserError that names the row when its size is not that of its elements on so many ranks.
void require_size(const NcclTestsRow& row, const NcclTestsCommon& common);

/// A placement of the row: measured, wrong, or skipped where no time of it can be told. Throws
/// UserError that names the row when its bus bandwidth does not follow from its time.
Record nccl_tests_record(const NcclTestsRun& run, const NcclTestsRow& row, bool in_place,
                         const NcclTestsCommon& common);

}  // namespace collbench
