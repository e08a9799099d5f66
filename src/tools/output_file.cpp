// SPDX-License-Identifier: Apache-2.0
#include "tools/output_file.h"

#include <fmt/format.h>

#include "base/errors.h"
#include "results/open_file.h"

namespace collbench {

void require_free(const std::string& path, bool force) {
  require_replaceable(path);
  if (force || !exists(path)) return;
  throw UserError(fmt::format(
      "{}: this file exists; choose another name, or give --force to replace it", path));
}

}  // namespace collbench
