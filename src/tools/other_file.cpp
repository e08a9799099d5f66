// SPDX-License-Identifier: Apache-2.0
#include "tools/other_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "base/errors.h"
#include "base/one_line.h"
#include "import/result_set.h"

namespace collbench {

void require_other_file(std::string_view flag, const std::string& output,
                        const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    for (const std::string& file : result_files(input)) {
      std::error_code nothing;
      if (!std::filesystem::equivalent(output, file, nothing)) continue;
      throw UserError(fmt::format("{} {}: is one of the files to read; give another name", flag,
                                  one_line(output)));
    }
  }
}

}  // namespace collbench
