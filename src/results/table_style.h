// SPDX-License-Identifier: Apache-2.0
// TableStyle: what a table has besides the columns and lines of nccl-tests, or instead.
#pragma once

#include <cstddef>

namespace collbench {

struct TableStyle {
  bool nccl_tests = false;  // nothing that nccl-tests would not print
  bool timestamps = false;  // a column with the local time at the end of each row
  bool statistics = false;  // columns about how well each time is known
  std::size_t width = 0;    // of the terminal, in columns; 0: as wide as it needs to be
  bool colour = false;      // for what must not be overlooked
};

}  // namespace collbench
