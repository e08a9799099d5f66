// SPDX-License-Identifier: Apache-2.0
// The table of nccl-tests, by the names of its columns, which are not those of every version.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "import/log_lines.h"
#include "import/nccl_tests_run.h"

namespace collbench {

struct NcclTestsColumns {
  std::vector<std::string_view> names;  // of all but the last, which has two words
  bool timestamp = false;
};

/// Of the line that names the columns; nothing for any other.
std::optional<NcclTestsColumns> nccl_tests_columns(const LogLine& line);

/// Whether a line is a row, whole or not, and no other program's.
bool begins_like_a_row(const std::vector<std::string_view>& words);

/// Requires begins_like_a_row. Throws UserError that names a damaged line.
NcclTestsRow nccl_tests_row(const LogLine& line, std::vector<std::string_view> words,
                            const NcclTestsColumns& columns);

}  // namespace collbench
