// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/library_versions.h"

#include <fmt/format.h>

namespace collbench {

std::string nccl_version_text(int version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

std::string cuda_version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace collbench
